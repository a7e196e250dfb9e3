import Observation
package import QueryKit

/// Way b: reads by query, writes by use case. After a write, the model invalidates all that a mark may concern.
@MainActor @Observable
package final class QueriedModel: OverviewModel, QueryModel {
    package let queryClient: QueryClient
    package private(set) var day: Day

    @ObservationIgnored @SharedQuery(Overview.habits.ttl(.infinity), default: []) private var habits
    @ObservationIgnored @SharedQuery<DefaultedState<InlineQuery<Set<Habit.ID>>.State>> private var done: Set<Habit.ID>
    @ObservationIgnored @SharedQuery<DefaultedState<InlineQuery<[Habit.ID: Int]>.State>> private var streaks: [Habit.ID: Int]
    @ObservationIgnored @SharedQuery<DefaultedState<InlineQuery<Statistics>.State>> private var statistics: Statistics

    private let week: Week
    private let work = SerialWork()

    package var overview: Overview { Overview(day: day, habits: habits, done: done, streaks: streaks, statistics: statistics) }
    package var problem: String? {
        work.problem ?? ($habits.error ?? $done.error ?? $streaks.error ?? $statistics.error).map { "\($0)" }
    }

    package init(queryClient: QueryClient, week: Week) {
        (self.queryClient, self.week, day) = (queryClient, week, week.lastDay)
        _done = SharedQuery(Overview.done(on: week.lastDay, in: week).ttl(.infinity).keepingPrevious(), default: [])
        _streaks = SharedQuery(Overview.streaks(in: week).ttl(.infinity), default: [:])
        _statistics = SharedQuery(Overview.statistics(in: week).ttl(.infinity), default: .none)
    }

    package func tap(_ habit: Habit) {
        let mark = overview.toggled(habit)
        work.run { [self] in
            try await MarkHabit(repository: queryClient.context.habits)(mark)
            for pattern in ["habits/done/**", "habits/streaks/**", "habits/statistics/**"] as [QueryPattern] {
                queryClient.invalidate(pattern)
            }
        }
    }

    package func show(_ day: Day) {
        self.day = day
        $done.show(Overview.done(on: day, in: week).ttl(.infinity).keepingPrevious())
    }

    package func becomeActive() { queryClient.invalidate("habits/**") }

    package func written() async { await work.ended() }
}
