//! An app and its widget over one file: each process follows the commits of the other, and the app closes the file before it is suspended.
import Foundation
import QueryKit
import QueryKitSQLite

nonisolated extension QueryDependencies {
    var steps: QueryDependency<SQLiteSteps> { .required() }
}

nonisolated struct SQLiteSteps: Sendable {
    static let migrations: SQLiteMigrations = [
        SQLiteMigration("steps", "CREATE TABLE steps (day TEXT PRIMARY KEY, count INTEGER NOT NULL) STRICT")
    ]

    let database: SQLiteDatabase

    func count(on day: String) async throws -> Int {
        try await database.read { db in try db.value("SELECT count FROM steps WHERE day = \(day)") } ?? 0
    }

    func add(_ count: Int, on day: String) async throws {
        try await database.write { db in
            try db.execute(
                "INSERT INTO steps (day, count) VALUES (\(day), \(count)) ON CONFLICT (day) DO UPDATE SET count = count + excluded.count"
            )
        }
    }
}

// snippet.open
/// Opens the file in the container of the app group. Both the app and the widget call it.
func openClient(at file: URL) async throws -> (client: QueryClient, database: SQLiteDatabase) {
    let database = try await SQLiteDatabase.open(.file(file), migrations: SQLiteSteps.migrations)
    var context = QueryContext()
    context.steps = SQLiteSteps(database: database)
    let client = QueryClient(context: context)
    client.connect(to: database)
    return (client, database)
}

func steps(on day: String) -> some QueryRequest<Int, QueryState<Int?, Int>> {
    InlineQuery("steps", day) { context in try await context.steps.count(on: day) }.freshUntilChanged()
}
// snippet.end

// snippet.hide
let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
let file = folder.appending(path: "steps.sqlite")
// snippet.show
let app = try await openClient(at: file)
let widget = try await openClient(at: file)

// snippet.widget
// A widget's timeline fetches once.
let shown = try await widget.client.fetch(steps(on: "monday"))
// snippet.end
precondition(shown == 0)

// snippet.follow
// The app is open and follows commits, including those of the widget's process.
let states = app.client.store(for: steps(on: "monday")).states
try await widget.client.context.steps.add(500, on: "monday")
for await state in states where state.value == 500 { break }
// snippet.end

// snippet.suspend
/// Call it when the app enters the background, within a background task. The system ends a suspended app that holds a lock.
func enterBackground() async {
    await app.client.settled()
    await app.database.suspend()
}

/// Call it when the app becomes active again, and when a background refresh begins.
func enterForeground() { app.database.resume() }
// snippet.end

// snippet.background
/// A background refresh: fetches what is stale, and returns when the new values are stored, so that the system may suspend the app.
func refreshInBackground() async -> Bool {
    enterForeground()
    let failures = await app.client.invalidate("steps/**", refetch: .all).finished()
    await enterBackground()
    return failures.isEmpty
}
// snippet.end

// snippet.hide
await enterBackground()
try await widget.client.context.steps.add(100, on: "monday")
let isRefreshed = await refreshInBackground()
precondition(isRefreshed)
precondition(app.client.value(for: InlineQuery<Int>("steps", "monday")) != nil)
enterForeground()
let count = try await app.client.fetch(steps(on: "monday"))
precondition(count == 600, "\(count)")
await app.database.close()
await widget.database.close()
try? FileManager.default.removeItem(at: folder)
// snippet.show
