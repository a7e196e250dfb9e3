import Foundation
import QueryKitSQLite

/// A row of the measured tables: a key, two numbers, a text and an optional text.
struct Food: Sendable, Equatable {
    let id: Int64
    let name: String
    let kilocalories: Double
    let grams: Int
    let category: String?

    init(id: Int64, name: String, kilocalories: Double, grams: Int, category: String?) {
        self.id = id
        self.name = name
        self.kilocalories = kilocalories
        self.grams = grams
        self.category = category
    }

    init(number: Int) {
        self.init(
            id: Int64(number),
            name: "Food with the number \(number)",
            kilocalories: Double(number % 900) + 0.5,
            grams: number % 500,
            category: number % 3 == 0 ? nil : "category \(number % 20)"
        )
    }
}

extension Food: SQLiteRowDecodable {
    init(row: borrowing SQLiteRow) throws {
        id = try row[0]
        name = try row[1]
        kilocalories = try row[2]
        grams = try row[3]
        category = try row[4]
    }
}

/// A database in a temporary folder, with a raw connection to another file with the same contents.
final class DatabaseFixture: Sendable {
    static let select = "SELECT id, name, kcal, grams, category FROM food WHERE id >= ? ORDER BY id LIMIT ?"
    static let insert = "INSERT OR REPLACE INTO food (id, name, kcal, grams, category) VALUES (?, ?, ?, ?, ?)"

    let database: SQLiteDatabase
    let rawPath: String
    let path: String
    private let folder: URL

    init(rows: Int, configuration: SQLiteDatabase.Configuration = SQLiteDatabase.Configuration()) async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "querykit-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var configuration = configuration
        // A profiler makes a read fifty times slower, but the read must take the same code path as without it.
        // The checks for other processes depend on time, and are not part of the operation.
        if CommandLine.arguments.contains("--rehearse") {
            configuration.callersThreadLimit = .seconds(1)
            configuration.probeInterval = .seconds(3_600)
        }
        path = folder.appending(path: "engine.sqlite").path(percentEncoded: false)
        rawPath = folder.appending(path: "raw.sqlite").path(percentEncoded: false)
        database = try await SQLiteDatabase.open(
            .file(URL(filePath: path)),
            migrations: [
                SQLiteMigration(
                    "food",
                    """
                    CREATE TABLE food (id INTEGER PRIMARY KEY, name TEXT NOT NULL, kcal REAL NOT NULL, grams INTEGER NOT NULL, category TEXT) STRICT;
                    CREATE TABLE other (id INTEGER PRIMARY KEY, number INTEGER NOT NULL) STRICT;
                    """
                )
            ],
            configuration: configuration
        )
        try await database.write { db in
            let insert = try db.prepare("INSERT INTO food (id, name, kcal, grams, category) VALUES (?, ?, ?, ?, ?)")
            for number in 0..<rows {
                let food = Food(number: number)
                try insert.run(food.id, food.name, food.kilocalories, food.grams, food.category)
            }
        }
        let raw = raw()
        raw.run(
            "CREATE TABLE food (id INTEGER PRIMARY KEY, name TEXT NOT NULL, kcal REAL NOT NULL, grams INTEGER NOT NULL, category TEXT) STRICT"
        )
        raw.run("BEGIN")
        let insert = RawStatement(handle: raw.prepare(Self.insert))
        for number in 0..<rows { insert.insert(Food(number: number)) }
        raw.run("COMMIT")
    }

    func raw() -> RawSQLite { RawSQLite(rawPath) }

    deinit { try? FileManager.default.removeItem(at: folder) }
}
