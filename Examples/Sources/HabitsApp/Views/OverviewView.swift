#if canImport(SwiftUI)
    import QueryKit
    package import SwiftUI

    /// The overview of a view model.
    package struct OverviewView<Model: OverviewModel>: View {
        private let model: Model

        package init(model: Model) { self.model = model }

        package var body: some View {
            List {
                ForEach(model.overview.rows) { row in
                    HabitRow(row: row) { model.tap(row.habit) }
                }
                StatisticsRow(statistics: model.overview.statistics)
                if let problem = model.problem { Text(problem) }
            }
        }
    }

    /// Presentation: gets a domain type, and doesn't know about queries.
    struct HabitRow: View {
        let row: Overview.Row
        let onTap: @MainActor () -> Void

        var body: some View { Button("\(row.isDone ? "✓ " : "")\(row.habit.name), streak \(row.streak)", action: onTap) }
    }

    /// Presentation: gets a domain type, and doesn't know about queries.
    struct StatisticsRow: View {
        let statistics: Statistics

        var body: some View { Text(statistics.line) }
    }

    /// Way c without a view model: each data view holds the queries of its part, and passes their values to a presentation view.
    package struct OverviewDataView: View {
        @State<[Habit]>.Query(Overview.habits.ttl(.infinity), default: []) private var habits
        @State.Query private var statistics: Statistics
        private let day: Day
        private let week: Week
        private let onTap: @MainActor (Mark) -> Void

        /// - Parameter onTap: Runs the use case that saves a mark, and invalidates the path of the row and the statistics.
        package init(day: Day, week: Week, onTap: @escaping @MainActor (Mark) -> Void) {
            (self.day, self.week, self.onTap) = (day, week, onTap)
            _statistics = State.Query(Overview.statistics(in: week).ttl(.infinity), default: .none)
        }

        package var body: some View {
            List {
                ForEach(habits) { habit in HabitRowData(of: habit, on: day, in: week, onTap: onTap) }
                StatisticsRow(statistics: statistics)
            }
        }
    }

    /// The data view of one row.
    struct HabitRowData: View {
        @State.Query private var isDone: Bool
        @State.Query private var streak: Int
        private let habit: Habit
        private let day: Day
        private let onTap: @MainActor (Mark) -> Void

        init(of habit: Habit, on day: Day, in week: Week, onTap: @escaping @MainActor (Mark) -> Void) {
            (self.habit, self.day, self.onTap) = (habit, day, onTap)
            _isDone = State.Query(habit.isDone(on: day, in: week).ttl(.infinity).keepingPrevious(), default: false)
            _streak = State.Query(habit.streak(in: week).ttl(.infinity), default: 0)
        }

        var body: some View {
            HabitRow(row: Overview.Row(habit: habit, isDone: isDone, streak: streak)) {
                onTap(Mark(habit, on: day, isDone: !isDone))
            }
        }
    }
#endif
