import Foundation
import Testing

@testable import QueryKitSQLite

@Suite(.timeLimit(.minutes(1)))
struct SQLiteDatabaseTests {
    @Test(arguments: [SQLiteDatabase.Location.inMemory, .temporary])
    func `a database is made, written, read, suspended and closed`(_ location: SQLiteDatabase.Location) async throws {
        var configuration = SQLiteDatabase.Configuration()
        configuration.partitions = [SQLitePartition(table: "entries", column: "day")]
        let database = try await SQLiteDatabase.open(
            location,
            migrations: [
                SQLiteMigration(
                    "food",
                    "CREATE TABLE food (id INTEGER PRIMARY KEY, name TEXT NOT NULL, grams REAL) STRICT; CREATE TABLE entries (id INTEGER PRIMARY KEY, day TEXT NOT NULL) STRICT;"
                )
            ],
            configuration: configuration
        )
        var changes = database.changes.makeAsyncIterator()
        let id = try await database.write { db in
            try db.execute("INSERT INTO food (name, grams) VALUES (\("O'Reilly\0x"), \(1.5))")
            return db.lastInsertedRowID
        }
        #expect(id == 1)
        #expect(await changes.next()?.regions == [SQLiteRegion(table: "food")])
        let found = try await database.read { db in
            try db.map("SELECT id, name, grams FROM food WHERE id IN \([1, 2, 3])") { row in
                "\(try row[0] as Int) \(try row["name"] as String) \(try row[2] as Double?)"
            }
        }
        #expect(found == ["1 O'Reilly\0x Optional(1.5)"])
        try await database.write { db in
            let insert = try db.prepare("INSERT INTO entries (day) VALUES (?)")
            for day in ["a", "a", "b"] { try insert.run(day) }
        }
        #expect(
            await changes.next()?.regions == [
                SQLiteRegion(table: "entries", partition: "a"), SQLiteRegion(table: "entries", partition: "b"),
            ]
        )
        try await database.write { db in try db.execute("UPDATE food SET grams = 1 WHERE 0") }
        try await database.write { db in try db.execute("DELETE FROM entries") }
        #expect(
            await changes.next()?.regions == [
                SQLiteRegion(table: "entries", partition: "a"), SQLiteRegion(table: "entries", partition: "b"),
            ]
        )
        await #expect(throws: SQLiteError.self) { try await database.read { db in try db.values(Int.self, "DELETE FROM food") } }
        await #expect(throws: SQLiteError.self) { try await database.write { db in try db.execute("COMMIT") } }
        await database.suspend()
        database.resume()
        #expect(try await database.read { db in try db.value(Int.self, "SELECT count(*) FROM food") } == 1)
        await database.close()
        await #expect(throws: SQLiteError.self) { try await database.read { _ in } }
    }
}
