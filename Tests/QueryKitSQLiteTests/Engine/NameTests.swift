import Foundation
import SQLiteTestSupport
import Testing

@testable import QueryKitSQLite

/// Names ignore the case of ASCII letters, as in SQLite.
struct NameTests {
    private struct Food: Decodable, Equatable {
        let name: String
        let kcal: Int
    }

    @Test func `a column is found regardless of the case of its name`() async throws {
        let database = try await SQLiteDatabase.make(
            .temporary,
            "CREATE TABLE food (Name TEXT, kCal INTEGER); INSERT INTO food VALUES ('Oats', 370)"
        )
        try await database.read { db in
            let names = try db.map("SELECT * FROM food") { row in
                let (isThere, isOther) = (row.contains("NAME"), row.contains("nam"))
                #expect(isThere && !isOther)
                return try row["name"] as String
            }
            #expect(names == ["Oats"])
            // If two columns differ only in case, the exact match is used.
            #expect(try db.map("SELECT 1 AS a, 2 AS A") { row in try [row["a"], row["A"]] as [Int] } == [[1, 2]])
            // Only ASCII letters.
            #expect(try db.map("SELECT 1 AS \"É\"") { row in row.contains("é") } == [false])
            #expect(try db.decode(Food.self, "SELECT NAME, KCAL FROM food") == [Food(name: "Oats", kcal: 370)])
        }
        await database.close()
    }

    @Test func `D5 a change concerns a table regardless of the case of its name`() {
        let change = SQLiteChangeSet(.local, [SQLiteRegion(table: "Food")])
        #expect(change.concerns(table: "food"))
        #expect(change.concerns(table: "FOOD"))
        #expect(!change.concerns(table: "foods"))
        #expect(!SQLiteChangeSet(.local, [SQLiteRegion(table: "Éclair")]).concerns(table: "éclair"))
    }

    @Test func `D5 a partition can be declared and claimed in any case`() async throws {
        let database = try await SQLiteDatabase.make(.temporary, "CREATE TABLE entries (day TEXT, a INTEGER)") {
            $0.partitions = [SQLitePartition(table: "Entries", column: "DAY")]
        }
        var changes = database.changes.makeAsyncIterator()
        try await database.execute("INSERT INTO ENTRIES VALUES ('monday', 1)")
        #expect(await changes.next()?.regions == [SQLiteRegion(table: "entries", partition: "monday")])
        let count = try await database.count("SELECT count(*) FROM entries WHERE day = \(partition: "monday", of: "eNTRIES")")
        #expect(count == 1)
        await database.close()
    }

    @Test(arguments: [("NOCASE", false), ("RTRIM", false), ("BINARY", true)])
    func `a partition with a collation is refused when it is declared`(collation: String, isAllowed: Bool) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "collation-\(UUID().uuidString).sqlite")
        defer { try? FileManager.default.removeItem(at: folder) }
        do {
            let connection = try Connection(path: folder.path(percentEncoded: false), settings: ConnectionSettings(mode: .readWrite))
            try connection.run("CREATE TABLE entries (day TEXT COLLATE \(collation))")
        }
        var configuration = SQLiteDatabase.Configuration()
        configuration.partitions = [SQLitePartition(table: "entries", column: "day")]
        do {
            let database = try await SQLiteDatabase.open(.file(folder), configuration: configuration)
            #expect(isAllowed)
            await database.close()
        } catch let error as SQLiteError {
            #expect(!isAllowed)
            #expect(error.code == .misuse)
            #expect(
                error.message == """
                    The column day can't partition the table entries: with its collation \(collation), SQLite treats values as equal that are in \
                    different partitions. Use a column without a collation.
                    """
            )
        }
    }

    @Test func `values are bound as they are decoded`() async throws {
        let database = try await SQLiteDatabase.make(.temporary)
        let url = try #require(URL(string: "https://example.com/a?b=c"))
        let decimal = try #require(Decimal(string: "1234567890.123456789012345678"))
        let id = UUID()
        try await database.read { db in
            #expect(try db.value(URL.self, "SELECT \(url)") == url)
            #expect(try db.value(Decimal.self, "SELECT \(decimal)") == decimal)
            #expect(try db.value(Decimal.self, "SELECT \(-decimal)") == -decimal)
            #expect(try db.value(Decimal.self, "SELECT 7") == 7)
            #expect(try db.value(UUID.self, "SELECT \(id)") == id)
            #expect(try db.value(UInt64.self, "SELECT \(UInt64(Int64.max))") == UInt64(Int64.max))
            #expect(try db.value(UInt.self, "SELECT \(UInt(7))") == 7)
            for value in [UInt64(Int64.max) + 1, .max] {
                do {
                    _ = try db.value(UInt64.self, "SELECT \(value)")
                    Issue.record("\(value) was stored")
                } catch let error as SQLiteError {
                    #expect(error.code == .invalidValue)
                }
            }
            #expect(throws: SQLiteError.self) { try db.value(Decimal.self, "SELECT \(Decimal.nan)") }
            #expect(throws: SQLiteError.self) { try db.value(UInt64.self, "SELECT -1") }
            #expect(throws: SQLiteError.self) { try db.value(Decimal.self, "SELECT 'twelve'") }
        }
        await database.close()
    }

    @Test func `a single-statement write can be used as the last expression of a function without a result`() async throws {
        let database = try await SQLiteDatabase.make(.temporary, "CREATE TABLE t (a INTEGER)")
        let work: @Sendable () async throws -> Void = { try await database.write { try $0.execute("INSERT INTO t VALUES (1)") } }
        try await work()
        let task: Task<Void, any Error> = Task { try await database.write { try $0.execute("INSERT INTO t VALUES (2)") } }
        try await task.value
        #expect(try await database.count("SELECT count(*) FROM t") == 2)
        await database.close()
    }
}
