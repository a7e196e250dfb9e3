//! An app and its widget over one file: each process
//! follows the commits of the other, and the app closes the
//! file before it is suspended.
import Foundation
import QueryKit
import QueryKitSQLite

nonisolated extension QueryDependencies {
    var steps: QueryDependency<SQLiteSteps> { .required() }
}

nonisolated struct SQLiteSteps: Sendable {
    static let migrations: SQLiteMigrations = [
        SQLiteMigration(
            "steps",
            """
            CREATE TABLE steps (
                day TEXT PRIMARY KEY,
                count INTEGER NOT NULL
            ) STRICT
            """
        )
    ]

    let database: SQLiteDatabase

    func count(on day: String) async throws -> Int {
        try await database.read { db in
            try db.value("SELECT count FROM steps WHERE day = \(day)")
        } ?? 0
    }

    func add(_ count: Int, on day: String) async throws {
        try await database.write { db in
            try db.execute(
                """
                INSERT INTO steps (day, count)
                VALUES (\(day), \(count))
                ON CONFLICT (day)
                DO UPDATE SET count = count + excluded.count
                """
            )
        }
    }
}

// snippet.open
/// Opens the file in the container of the app group. Both the
/// app and the widget call it.
func openClient(at file: URL) async throws -> (
    client: QueryClient, database: SQLiteDatabase
) {
    let database = try await SQLiteDatabase.open(
        .file(file),
        migrations: SQLiteSteps.migrations
    )
    var context = QueryContext()
    context.steps = SQLiteSteps(database: database)
    context.mutationJournal = try await SQLiteMutationJournal.open(
        .file(
            file.deletingLastPathComponent().appending(
                path: "calls.sqlite"
            )
        )
    )
    let client = QueryClient(context: context)
    client.connect(to: database)
    return (client, database)
}

func steps(
    on day: String
) -> some QueryRequest<Int, QueryState<Int?, Int>> {
    InlineQuery("steps", day) { context in
        try await context.steps.count(on: day)
    }.freshUntilChanged()
}
// snippet.end

// snippet.hide
if CommandLine.arguments.count > 2 {
    // The process of the widget: adds steps to the file, and ends.
    let widget = try await openClient(
        at: URL(fileURLWithPath: CommandLine.arguments[1])
    )
    try await widget.client.context.steps.add(
        Int(CommandLine.arguments[2]) ?? 0,
        on: "monday"
    )
    await widget.database.close()
    exit(0)
}
let folder = FileManager.default.temporaryDirectory.appending(
    path: UUID().uuidString
)
try FileManager.default.createDirectory(
    at: folder,
    withIntermediateDirectories: true
)
let file = folder.appending(path: "steps.sqlite")

/// Runs the widget's process, which adds steps.
func runWidget(adding count: Int) throws -> Process {
    let process = Process()
    process.executableURL =
        Bundle.main.executableURL
        ?? URL(fileURLWithPath: CommandLine.arguments[0])
    process.arguments = [file.path, String(count)]
    try process.run()
    return process
}
// snippet.show
let app = try await openClient(at: file)

// snippet.widget
/// The timeline of a widget fetches once.
func timeline(of client: QueryClient) async throws -> Int {
    try await client.fetch(steps(on: "monday"))
}
// snippet.end
let shown = try await timeline(of: app.client)
precondition(shown == 0)

// snippet.follow
// The app is open and follows commits, including those
// of the widget's process.
let widget = try runWidget(adding: 500)
for await state in app.client.store(for: steps(on: "monday")).states
where state.value == 500 { break }
// snippet.end
widget.waitUntilExit()

// snippet.suspend
/// Call it when the app enters the background, within a background
/// task. The system ends a suspended app that holds a lock.
func enterBackground() async {
    await app.client.settled()
    await app.database.suspend()
}

/// Call it when the app becomes active again, and when a
/// background refresh begins.
func enterForeground() { app.database.resume() }
// snippet.end

// snippet.background
/// A background refresh: fetches what the first screen
/// shows, and returns when the values are there, so that the
/// system may suspend the app.
func refreshInBackground() async throws {
    enterForeground()
    app.client.invalidate("steps/**", refetch: .none)
    let result = await Task {
        try await app.client.fetch(steps(on: "monday"))
    }.result
    await enterBackground()
    _ = try result.get()
}
// snippet.end

// snippet.hide
await enterBackground()
try runWidget(adding: 100).waitUntilExit()
try await refreshInBackground()
let count = app.client.value(for: InlineQuery<Int>("steps", "monday"))
precondition(count == 600, "\(count ?? -1)")
enterForeground()
await app.database.close()
try? FileManager.default.removeItem(at: folder)
// snippet.show
