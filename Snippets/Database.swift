//! A database: its schema, statements, rows, and errors.
import Foundation
import QueryKitSQLite

// snippet.migrations
let migrations: SQLiteMigrations = [
    SQLiteMigration(
        "food",
        """
        CREATE TABLE food (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            category TEXT,
            kilocalories REAL NOT NULL
        ) STRICT;
        CREATE INDEX food_category ON food (category);
        """
    ),
    SQLiteMigration(
        "entries",
        """
        CREATE TABLE entries (
            id INTEGER PRIMARY KEY,
            food INTEGER NOT NULL REFERENCES food,
            day TEXT NOT NULL,
            grams REAL NOT NULL
        ) STRICT
        """
    ),
]
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

// snippet.open
let database = try await SQLiteDatabase.open(
    .file(url),
    migrations: migrations
)
switch database.report.outcome {
case .healthy: break
case .recovered(let recovery):
    let count = recovery.rows.values.reduce(0, +)
    print("The file was damaged. \(count) rows were saved.")
case .quarantined(let file):
    print("The file was damaged and could not be read.")
    print("It is kept at \(file.lastPathComponent).")
case .inMemory(let reason):
    print("Changes are lost when the app ends: \(reason)")
}
// snippet.end

// snippet.rows
nonisolated struct Food: Sendable, Equatable {
    let id: Int64
    let name: String
    let category: String?
    let kilocalories: Double
}

nonisolated extension Food: SQLiteRowDecodable {
    init(row: borrowing SQLiteRow) throws {
        id = try row[0]
        name = try row[1]
        category = try row[2]
        kilocalories = try row[3]
    }
}
// snippet.end

// snippet.write
try await database.write { db in
    try db.execute(
        """
        INSERT INTO food (name, category, kilocalories)
        VALUES (\("Porridge"), \("cereal"), \(68))
        """
    )
    let oats = db.lastInsertedRowID
    try db.execute(
        """
        INSERT INTO entries (food, day, grams)
        VALUES (\(oats), \("2026-11-21"), \(250))
        """
    )
}
// snippet.end

// snippet.prepared
let foods = [
    ("Apple", "fruit", 52.0), ("Pear", "fruit", 57.0),
    ("Rye bread", "bread", 259.0),
]
try await database.write { db in
    let insert = try db.prepare(
        """
        INSERT INTO food (name, category, kilocalories)
        VALUES (?, ?, ?)
        """
    )
    for (name, category, kilocalories) in foods {
        try insert.run(name, category, kilocalories)
    }
}
// snippet.end

// snippet.read
let fruit = try await database.read { db in
    try db.rows(
        Food.self,
        """
        SELECT id, name, category, kilocalories FROM food
        WHERE category = \("fruit") ORDER BY name
        """
    )
}
print(fruit.map(\.name))  // ["Apple", "Pear"]
// snippet.end

// snippet.fragments
/// Each condition is a separate value, and may be missing.
nonisolated func search(category: String?, names: [String]) -> SQL {
    let ofCategory: SQL? = category.map { "AND category = \($0)" }
    let ofNames: SQL? = names.isEmpty ? nil : "AND name IN \(names)"
    return """
        SELECT id, name, category, kilocalories FROM food
        WHERE kilocalories > \(10) \(ofCategory) \(ofNames)
        ORDER BY id
        """
}

let found = try await database.read { db in
    try db.rows(
        Food.self,
        search(category: "fruit", names: ["Pear", "Rye bread"])
    )
}
print(found.map(\.name))  // ["Pear"]
// snippet.end

// snippet.value
let count = try await database.read { db in
    try db.value(Int.self, "SELECT count(*) FROM food")
}
let perCategory = try await database.read { db in
    try db.map(
        """
        SELECT category, avg(kilocalories) AS average FROM food
        GROUP BY category ORDER BY category
        """
    ) { row in
        (
            name: try row["category"] as String?,
            average: try row["average"] as Double
        )
    }
}
// snippet.end
print(count ?? 0, perCategory.map(\.average))

// snippet.decode
/// Decoded by column name, which is slower than by
/// position but needs no code.
nonisolated struct Energy: Decodable, Sendable {
    let name: String
    let kilocalories: Double
}

let strongest = try await database.read { db in
    try db.decodeFirst(
        Energy.self,
        "SELECT name, kilocalories FROM food ORDER BY kilocalories DESC"
    )
}
// snippet.end
print(strongest?.name ?? "")  // Rye bread

// snippet.errors
do {
    try await database.write { db in
        try db.execute(
            "INSERT INTO food (name, kilocalories) VALUES ('Apple', 1)"
        )
    }
} catch let error as SQLiteError where error.constraint == .unique {
    print("This food exists already.")
}
// snippet.end

// snippet.changes
/// Prints the next change that is committed.
func printNextChange(of database: SQLiteDatabase) async throws {
    var changes = database.changes.makeAsyncIterator()
    try await database.write { db in
        try db.execute(
            "UPDATE food SET kilocalories = 53 WHERE name = 'Apple'"
        )
    }
    if let change = await changes.next() {
        print(change.origin, change.regions)
    }  // local [food]
}
// snippet.end
// snippet.hide
try await printNextChange(of: database)
precondition(fruit.count == 2 && found.count == 1 && count == 4)
// snippet.show

// snippet.close
await database.close()
// snippet.end
// snippet.hide
try FileManager.default.removeItem(at: folder)
// snippet.show
