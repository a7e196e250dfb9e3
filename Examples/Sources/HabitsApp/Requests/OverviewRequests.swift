package import QueryKit

/// One request for each part of the overview. Each wraps a use case.
extension Overview {
    package static var habits: InlineQuery<[Habit]> {
        InlineQuery("habits/all") { try await LoadHabits(repository: $0.habits)() }
    }

    package static func done(on day: Day, in week: Week) -> InlineQuery<Set<Habit.ID>> {
        InlineQuery("habits/done", week, day) { try await LoadDone(repository: $0.habits)(on: day, in: week) }
    }

    package static func streaks(in week: Week) -> InlineQuery<[Habit.ID: Int]> {
        InlineQuery("habits/streaks", week) { try await LoadStreaks(repository: $0.habits)(in: week) }
    }

    package static func statistics(in week: Week) -> InlineQuery<Statistics> {
        InlineQuery("habits/statistics", week) { try await LoadStatistics(repository: $0.habits)(in: week) }
    }
}
