//! Preferences in a table, which follow commits automatically,
//! including those of other processes.
import Foundation
import QueryKit
import QueryKitSQLite

// snippet.hide
nonisolated struct PreferenceKey<
    Value: Codable & Sendable
>: Hashable, Sendable {
    let name: String
    let defaultValue: Value

    static func == (left: Self, right: Self) -> Bool {
        left.name == right.name
    }

    func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

nonisolated extension PreferenceKey where Value == Bool {
    static var amoled: Self {
        Self(name: "amoled", defaultValue: false)
    }
}

nonisolated protocol PreferenceStore: Sendable {
    func text(of name: String) async throws -> String?
    func setText(_ text: String, of name: String) async throws
}

nonisolated extension QueryDependencies {
    var preferences: QueryDependency<(any PreferenceStore)?> {
        .init(nil)
    }
}

struct Preference<Value: Codable & Sendable>: QueryRequest {
    let key: PreferenceKey<Value>

    init(_ key: PreferenceKey<Value>) { self.key = key }

    var path: QueryPath { ["preferences", key.name] }

    func setup(context: inout QueryContext) { context.ttl = .infinity }

    func fetch(
        in context: QueryContext,
        with continuation: QueryContinuation<Value>
    ) async throws -> Value {
        guard
            let text = try await context.preferences?.text(of: key.name)
        else { return key.defaultValue }
        return try JSONDecoder().decode(
            Value.self,
            from: Data(text.utf8)
        )
    }
}

struct SetPreference<Value: Codable & Sendable>: MutationRequest {
    let key: PreferenceKey<Value>

    init(_ key: PreferenceKey<Value>) { self.key = key }

    var path: QueryPath { ["setPreference", key.name] }

    func mutate(
        with value: Value,
        in context: QueryContext,
        with continuation: QueryContinuation<Void>
    ) async throws {
        try await context.preferences?.setText(
            String(
                decoding: JSONEncoder().encode(value),
                as: UTF8.self
            ),
            of: key.name
        )
    }

    func optimistic(with value: Value, in layers: inout QueryLayers) {
        layers.update(Preference(key), default: key.defaultValue) {
            $0 = value
        }
    }
}
// snippet.show

// snippet.store
nonisolated struct SQLitePreferences: PreferenceStore {
    static let migrations: SQLiteMigrations = [
        SQLiteMigration(
            "preferences",
            """
            CREATE TABLE preferences (
                name TEXT PRIMARY KEY,
                value TEXT NOT NULL
            ) STRICT
            """
        )
    ]

    let database: SQLiteDatabase

    func text(of name: String) async throws -> String? {
        try await database.read { db in
            try db.value(
                String.self,
                "SELECT value FROM preferences WHERE name = \(name)"
            )
        }
    }

    func setText(_ text: String, of name: String) async throws {
        try await database.write { db in
            try db.execute(
                """
                INSERT INTO preferences (name, value)
                VALUES (\(name), \(text))
                ON CONFLICT (name) DO UPDATE SET value = excluded.value
                """
            )
        }
    }
}
// snippet.end

// snippet.hide
if CommandLine.arguments.count == 2 {
    // This is the second process of the sample.
    let file = URL(fileURLWithPath: CommandLine.arguments[1])
    let database = try await SQLiteDatabase.open(
        .file(file),
        migrations: SQLitePreferences.migrations
    )
    try await SQLitePreferences(database: database).setText(
        "true",
        of: "amoled"
    )
    await database.close()
    exit(0)
}
let folder = FileManager.default.temporaryDirectory.appending(
    path: UUID().uuidString
)
try FileManager.default.createDirectory(
    at: folder,
    withIntermediateDirectories: true
)
let file = folder.appending(path: "preferences.sqlite")
// snippet.show

// snippet.connect
let database = try await SQLiteDatabase.open(
    .file(file),
    migrations: SQLitePreferences.migrations
)
var context = QueryContext()
context.preferences = SQLitePreferences(database: database)
let client = QueryClient(context: context)
client.connect(to: database)

let amoled = SharedQuery(
    Preference(.amoled),
    default: false,
    client: client
)
try amoled.setValue(true, via: SetPreference(.amoled))
print(amoled.wrappedValue)  // true, before it is committed
await client.settled()
// snippet.end
// snippet.hide
precondition(amoled.wrappedValue && !amoled.isOptimistic)
try amoled.setValue(false, via: SetPreference(.amoled))
await client.settled()
precondition(!amoled.wrappedValue)
let process = Process()
process.executableURL =
    Bundle.main.executableURL
    ?? URL(fileURLWithPath: CommandLine.arguments[0])
process.arguments = [file.path]
// snippet.show

// snippet.foreign
try process.run()  // another process, which writes to the same file
for await isOn in amoled.store.select(\.value) where isOn == true {
    break
}
print(amoled.state.cause == .otherProcess)  // true
// snippet.end
// snippet.hide
await client.settled()
precondition(amoled.wrappedValue && amoled.state.cause == .otherProcess)
process.waitUntilExit()
precondition(process.terminationStatus == 0)
await database.close()
try FileManager.default.removeItem(at: folder)
// snippet.show
