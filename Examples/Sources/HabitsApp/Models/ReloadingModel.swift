import Observation

/// Way a, without QueryKit: after every tap, each of the four parts is loaded again.
@MainActor @Observable
package final class ReloadingModel: OverviewModel {
    package private(set) var overview: Overview
    package var problem: String? { work.problem }

    private let repository: any HabitRepository
    private let week: Week
    private let work = SerialWork()

    package init(repository: any HabitRepository, week: Week) {
        (self.repository, self.week) = (repository, week)
        overview = Overview(day: week.lastDay, rows: [], statistics: .none)
        becomeActive()
    }

    package func tap(_ habit: Habit) {
        let mark = overview.toggled(habit)
        work.run { [self] in
            try await MarkHabit(repository: repository)(mark)
            try await load(overview.day)
        }
    }

    package func show(_ day: Day) { work.run { [self] in try await load(day) } }

    package func becomeActive() { work.run { [self] in try await load(overview.day) } }

    package func written() async { await work.ended() }

    private func load(_ day: Day) async throws {
        overview = Overview(
            day: day,
            habits: try await LoadHabits(repository: repository)(),
            done: try await LoadDone(repository: repository)(on: day, in: week),
            streaks: try await LoadStreaks(repository: repository)(in: week),
            statistics: try await LoadStatistics(repository: repository)(in: week)
        )
    }
}
