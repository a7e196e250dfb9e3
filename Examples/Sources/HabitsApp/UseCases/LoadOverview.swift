/// The four reads of the overview. Each is a separate use case that doesn't depend on the others, so each reads all that it needs.
package struct LoadHabits: Sendable {
    let repository: any HabitRepository

    package func callAsFunction() async throws -> [Habit] { try await repository.habits() }
}

/// Loads which habits are done on a day.
package struct LoadDone: Sendable {
    let repository: any HabitRepository

    package func callAsFunction(on day: Day, in week: Week) async throws -> Set<Habit.ID> {
        Set(try await repository.histories(in: week).filter { $0.value.isDone(on: day) }.keys)
    }
}

/// Loads the streaks up to the last day of a week.
package struct LoadStreaks: Sendable {
    let repository: any HabitRepository

    package func callAsFunction(in week: Week) async throws -> [Habit.ID: Int] {
        try await repository.histories(in: week).mapValues { $0.streak(upTo: week.lastDay) }
    }
}

/// Loads the statistics of a week.
package struct LoadStatistics: Sendable {
    let repository: any HabitRepository

    package func callAsFunction(in week: Week) async throws -> Statistics {
        Statistics(of: try await repository.histories(in: week).values, in: week)
    }
}

extension HabitRepository {
    fileprivate func histories(in week: Week) async throws -> [Habit.ID: History] {
        var histories: [Habit.ID: History] = [:]
        for habit in try await habits() { histories[habit.id] = try await history(of: habit.id, in: week) }
        return histories
    }
}
