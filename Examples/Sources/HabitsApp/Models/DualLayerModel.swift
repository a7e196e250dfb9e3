import Observation
package import QueryKit

/// Way c: a data layer holds the queries, one object for each row, and passes domain types to the presentation layer.
@MainActor @Observable
package final class DualLayerModel: OverviewModel, QueryModel {
    package let queryClient: QueryClient
    package private(set) var day: Day

    @ObservationIgnored @SharedQuery(Overview.habits.ttl(.infinity), default: []) private var habits
    @ObservationIgnored @SharedQuery<DefaultedState<InlineQuery<Statistics>.State>> private var statistics: Statistics
    @ObservationIgnored private var rows: [Habit.ID: RowData] = [:]

    private let week: Week
    private let work = SerialWork()

    package var overview: Overview { Overview(day: day, rows: habits.map { data(of: $0).row }, statistics: statistics) }
    package var problem: String? { work.problem ?? ($habits.error ?? $statistics.error).map { "\($0)" } }

    package init(queryClient: QueryClient, week: Week) {
        (self.queryClient, self.week, day) = (queryClient, week, week.lastDay)
        _statistics = SharedQuery(Overview.statistics(in: week).ttl(.infinity), default: .none)
    }

    package func tap(_ habit: Habit) {
        let mark = overview.toggled(habit)
        work.run { [self] in
            try await MarkHabit(repository: queryClient.context.habits)(mark)
            queryClient.invalidate(.prefix(habit.rowPath))
            queryClient.invalidate("habits/statistics/**")
        }
    }

    package func show(_ day: Day) {
        self.day = day
        for row in rows.values { row.show(day) }
    }

    package func becomeActive() { queryClient.invalidate("habits/**") }

    package func written() async { await work.ended() }

    private func data(of habit: Habit) -> RowData {
        if let data = rows[habit.id] { return data }
        let data = RowData(of: habit, on: day, in: week, client: queryClient)
        rows[habit.id] = data
        return data
    }
}

/// The queries of one row. In SwiftUI, the data view `HabitRowData` holds them.
@MainActor
private final class RowData {
    @SharedQuery<DefaultedState<InlineQuery<Bool>.State>> private var isDone: Bool
    @SharedQuery<DefaultedState<InlineQuery<Int>.State>> private var streak: Int
    private let habit: Habit
    private let week: Week

    var row: Overview.Row { Overview.Row(habit: habit, isDone: isDone, streak: streak) }

    init(of habit: Habit, on day: Day, in week: Week, client: QueryClient) {
        (self.habit, self.week) = (habit, week)
        _isDone = SharedQuery(habit.isDone(on: day, in: week).ttl(.infinity).keepingPrevious(), default: false, client: client)
        _streak = SharedQuery(habit.streak(in: week).ttl(.infinity), default: 0, client: client)
    }

    func show(_ day: Day) { $isDone.show(habit.isDone(on: day, in: week).ttl(.infinity).keepingPrevious()) }
}
