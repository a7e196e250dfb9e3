//! A screen that follows the database through request, use case and
//! repository, even when another process writes.
import Foundation
import QueryKit
import QueryKitSQLite

// snippet.repository
/// Reads and writes. It depends on the database, but not on requests.
struct EntryRepository: Sendable {
    let database: SQLiteDatabase

    func names(on day: String) async throws -> [String] {
        try await database.read { db in
            try db.values(
                String.self,
                """
                SELECT name FROM entries
                WHERE day = \(partition: day, of: "entries")
                ORDER BY id
                """
            )
        }
    }

    func count(on day: String) async throws -> Int {
        try await database.read { db in
            try db.value(
                Int.self,
                """
                SELECT count(*) FROM entries
                WHERE day = \(partition: day, of: "entries")
                """
            ) ?? 0
        }
    }

    func add(_ name: String, on day: String) async throws {
        try await database.write { db in
            try db.execute(
                """
                INSERT INTO entries (day, name)
                VALUES (\(day), \(name))
                """
            )
        }
    }
}
// snippet.end

// snippet.request
struct ShowDay: Sendable {
    let entries: EntryRepository

    func callAsFunction(_ day: String) async throws -> [String] {
        try await entries.names(on: day)
    }
}

nonisolated extension QueryDependencies {
    var showDay: QueryDependency<ShowDay?> { .init(nil) }
}

struct EntriesOfDay: QueryRequest {
    let day: String

    func fetch(
        in context: QueryContext,
        with continuation: QueryContinuation<[String]>
    ) async throws -> [String] {
        guard let show = context.showDay else {
            throw QueryError(
                .invalidParameters,
                "The context has no ShowDay."
            )
        }
        return try await show(day)
    }
}
// snippet.end

// snippet.hide
let folder = FileManager.default.temporaryDirectory.appending(
    path: UUID().uuidString
)
try FileManager.default.createDirectory(
    at: folder,
    withIntermediateDirectories: true
)
let url = folder.appending(path: "diary.sqlite")
// snippet.show

// snippet.connect
var configuration = SQLiteDatabase.Configuration()
configuration.partitions = [
    SQLitePartition(table: "entries", column: "day")
]
let database = try await SQLiteDatabase.open(
    .file(url),
    migrations: [
        SQLiteMigration(
            "entries",
            """
            CREATE TABLE entries (
                id INTEGER PRIMARY KEY,
                day TEXT NOT NULL,
                name TEXT NOT NULL
            ) STRICT
            """
        )
    ],
    configuration: configuration
)
let repository = EntryRepository(database: database)
var context = QueryContext()
context.showDay = ShowDay(entries: repository)
context.networkMode = .always  // a database needs no network

let client = QueryClient(context: context)
client.connect(to: database)
// snippet.end

// snippet.watch
// Never becomes stale with time, because the
// database reports every change.
let today = client.store(
    for: EntriesOfDay(day: "2026-11-21").freshUntilChanged()
)
let yesterday = client.store(
    for: EntriesOfDay(day: "2026-11-20").freshUntilChanged()
)
let subscriptions = [today, yesterday].map { store in
    store.subscribe(
        with: QueryEventHandler(onResultReceived: { result, _ in
            print((try? result.get()) ?? [])
        })
    )
}
await client.settled()

try await repository.add("Porridge", on: "2026-11-21")
// Prints ["Porridge"]: today runs again, and yesterday does not.
await client.settled()
// What has changed, as database/table/partition#row, with hashes
// instead of values: diary/entries/‹0c5f2a91›#‹e7d04b36›
print(today.state.cause.region?.description ?? "")
print(today.state.cause.region?.partition ?? "")  // 2026-11-21
// snippet.end
// snippet.hide
precondition(
    today.value == ["Porridge"] && yesterday.valueUpdateCount == 1
)
// snippet.show

// snippet.explain
print(
    try await database.explain(
        "SELECT name FROM entries WHERE id = \(1)"
    )
)
// SEARCH entries USING INTEGER PRIMARY KEY (rowid=?)
// reads entries: row 1; columns name
print(
    try await database.explain(
        "SELECT name FROM entries WHERE id > \(1)"
    )
)
// SEARCH entries USING INTEGER PRIMARY KEY (rowid>?)
// reads entries: the whole table; columns name, because a range of its
// rows is read, or a key that comes from an expression

print(client.snapshot(includingValues: true).stores.map(\.reads))
// [["diary/entries/2026-11-20"], ["diary/entries/2026-11-21"]]
// snippet.end

// snippet.statements
for store in client.snapshot().stores {
    for statement in store.statements { print(statement) }
}
// SELECT name FROM entries
// WHERE day = ?
// ORDER BY id
//   SCAN entries
//   reads entries: partitions; columns day, name
// snippet.end
// snippet.hide
precondition(
    client.snapshot(includingValues: true).stores.map(\.reads) == [
        ["diary/entries/2026-11-20"], ["diary/entries/2026-11-21"],
    ]
)
precondition(
    client.snapshot().stores.allSatisfy { store in
        store.statements.map(\.description) == [
            """
            SELECT name FROM entries
            WHERE day = ?
            ORDER BY id
              SCAN entries
              reads entries: partitions; columns day, name
            """
        ]
    }
)
// snippet.show

// snippet.foreign
// Another process, such as a widget or a command: here a second
// database on the same file.
let other = try await SQLiteDatabase.open(
    .file(url),
    configuration: configuration
)
try await EntryRepository(database: other).add(
    "Apple",
    on: "2026-11-21"
)
for await names in today.select(\.value) where names?.count == 2 {
    break
}  // detected within milliseconds
print(today.state.cause == .otherProcess)  // true
// snippet.end
// snippet.hide
precondition(
    today.state.cause == .otherProcess
        && yesterday.valueUpdateCount == 1
)
withExtendedLifetime(subscriptions) {}
// snippet.show

// snippet.consistent
struct CountOfDay: QueryRequest {
    let day: String

    func fetch(
        in context: QueryContext,
        with continuation: QueryContinuation<Int>
    ) async throws -> Int {
        guard let show = context.showDay else {
            throw QueryError(
                .invalidParameters,
                "The context has no ShowDay."
            )
        }
        return try await show.entries.count(on: day)
    }
}

let screen = QueryCombination(
    client.store(for: EntriesOfDay(day: "2026-11-21").consistent()),
    client.store(for: CountOfDay(day: "2026-11-21").consistent())
) { names, count in
    "\(names.value?.count ?? 0) names, \(count.value ?? 0) counted"
}
let adding = Task {
    for name in ["Tea", "Bread", "Cheese"] {
        try await repository.add(name, on: "2026-11-21")
    }
}
for await text in screen {
    // 2 names, 2 counted … 5 names, 5 counted: never 3 names, 2 counted
    print(text)
    // snippet.hide
    let numbers = text.split(separator: " ").compactMap { Int($0) }
    precondition(numbers[0] == numbers[1] || numbers.contains(0))
    // snippet.show
    if text.hasPrefix("5") { break }
}
// snippet.end
// snippet.hide
try await adding.value
await other.close()
await database.close()
try FileManager.default.removeItem(at: folder)
// snippet.show
