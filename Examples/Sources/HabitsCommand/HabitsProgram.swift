import Foundation
import HabitsApp
import QueryKitSQLite

/// Commands that read or write once and end. They need no client: the app notices what they write.
enum HabitsProgram {
    /// Runs a command.
    ///
    /// - Returns: The lines to print.
    static func run(_ call: HabitsCall, in file: URL) async throws -> [String] {
        let database = try await SQLiteDatabase.open(
            .file(file),
            migrations: SQLiteHabits.migrations,
            configuration: SQLiteHabits.configuration()
        )
        do {
            let lines = try await run(call, SQLiteHabits(CountedDatabase(database)))
            await database.close()
            return lines
        } catch {
            await database.close()
            throw error
        }
    }

    private static func run(_ call: HabitsCall, _ habits: any HabitRepository) async throws -> [String] {
        switch call {
        case .help, .session: return []
        case .show(let day): return try await screen(of: day, habits)
        case .add(let name): try await habits.add(name)
        case .mark(let name, on: let day, let isDone):
            guard let habit = try await habits.habits().first(where: { $0.name == name }) else { throw HabitError.gone(name) }
            try await habits.save(Mark(habit, on: day, isDone: isDone))
        }
        return ["Done."]
    }

    private static func screen(of day: Day, _ repository: any HabitRepository) async throws -> [String] {
        let week = Week(endingOn: day)
        let habits = try await repository.habits()
        if habits.isEmpty { return ["No habits yet. Add one: habits add NAME"] }
        var histories: [Habit.ID: History] = [:]
        for habit in habits { histories[habit.id] = try await repository.history(of: habit.id, in: week) }
        return OverviewScreen(Overview(day: day, habits: habits, histories: histories, week: week)).lines
    }
}
