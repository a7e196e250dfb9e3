import HabitsApp
import QueryKit
import QueryKitSQLite
import QueryKitTesting

/// The app's repository, whose writes the test can hold or make fail.
struct HeldHabits: HabitRepository {
    let habits: SQLiteHabits
    let writes: Gate

    func habits() async throws -> [Habit] { try await habits.habits() }

    func history(of habit: Habit.ID, in week: Week) async throws -> History { try await habits.history(of: habit, in: week) }

    func save(_ mark: Mark) async throws {
        try await writes.pass()
        try await habits.save(mark)
    }

    func add(_ name: String) async throws { try await habits.add(name) }
}

/// The app of way e over its own database with two habits. The gate is open unless a test closes it.
@MainActor
struct TestApp {
    let writes = Gate()
    let counted: CountedDatabase
    let client: QueryClient
    let model: LayeredModel

    init() async throws {
        let database = try await SQLiteDatabase.open(
            .inMemory,
            migrations: SQLiteHabits.migrations,
            configuration: SQLiteHabits.configuration()
        )
        counted = CountedDatabase(database)
        let habits = SQLiteHabits(counted)
        client = QueryClient.test(context: .habits(HeldHabits(habits: habits, writes: writes)))
        client.connect(to: database)
        model = LayeredModel(queryClient: client, week: Session.week)
        for name in ["Read", "Write"] { try await habits.add(name) }
        writes.open()
        _ = model.overview  // the first read fetches
        await client.settled()
    }

    func habit(_ name: String) throws -> Habit {
        guard let row = model.overview.rows.first(where: { $0.habit.name == name }) else { throw HabitError.gone(name) }
        return row.habit
    }

    /// The names of the habits that are shown as done.
    var done: [String] { model.overview.rows.filter(\.isDone).map(\.habit.name) }
}

/// The error of a broken disk.
struct DiskError: Error, CustomStringConvertible {
    let description = "The disk is broken."
}
