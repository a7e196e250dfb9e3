import CSQLite
import Foundation
import SQLiteTestSupport
import Testing

@testable import QueryKitSQLite

struct ValueTests {
    /// Stores a value in a column without a type, and reads it back.
    private func roundTrip<Value: SQLiteConvertible>(_ value: Value) async throws -> Value? {
        let database = try await SQLiteDatabase.make(.inMemory, "CREATE TABLE t (v)")
        try await database.execute("INSERT INTO t VALUES (\(value))")
        return try await database.read { db in try db.map("SELECT v FROM t") { try $0[0] as Value }.first }
    }

    private enum Meal: String, SQLiteConvertible {
        case breakfast, dinner
    }

    @Test func `D3 a stored value is read back unchanged`() async throws {
        #expect(try await roundTrip(Int.min) == .min)
        #expect(try await roundTrip(Int64.max) == .max)
        #expect(try await roundTrip(UInt8.max) == 255)
        #expect(try await roundTrip(true) == true)
        #expect(try await roundTrip(Double.infinity) == .infinity)
        #expect(try await roundTrip(-0.0) == 0)
        #expect(try await roundTrip(Float(1.25)) == 1.25)
        #expect(try await roundTrip("") == "")
        #expect(try await roundTrip("a\0b ü 日本 👨‍👩‍👧") == "a\0b ü 日本 👨‍👩‍👧")
        #expect(try await roundTrip(Data()) == Data())
        #expect(try await roundTrip(Data([0, 1, 255])) == Data([0, 1, 255]))
        let id = UUID()
        #expect(try await roundTrip(id) == id)
        #expect(try await roundTrip(Meal.dinner) == .dinner)
        #expect(try await roundTrip(nil as String?) == .some(nil))
        #expect(try await roundTrip("a" as String?) == "a")
        #expect(try await roundTrip(SQLiteValue.real(1.5)) == .real(1.5))
        #expect(try await roundTrip(SQLiteValue.null) == .null)
    }

    @Test func `D3 a value for which there is not enough memory is an error with the statement`() throws {
        let statement = try Connection.make().prepare("SELECT 1", for: .engine)
        #expect(try statement.step())
        let error = SQLiteColumn(firstOf: statement).outOfMemory
        #expect(error == SQLiteError(.outOfMemory, "There is not enough memory for the value of a column.", sql: "SELECT 1"))
    }

    @Test func `D3 a date is stored as whole milliseconds since 1970`() async throws {
        let date = Date(timeIntervalSince1970: 1_763_000_000.123)
        #expect(date.sqliteValue == .integer(1_763_000_000_123))
        #expect(try await roundTrip(date) == Date(timeIntervalSince1970: 1_763_000_000.123))
        #expect(Date(timeIntervalSince1970: -0.0004).sqliteValue == .integer(0))
        #expect(Date.distantPast.sqliteValue == .integer(-62_135_769_600_000))
    }

    @Test(arguments: [Double.nan, Double.signalingNaN])
    func `a NaN or infinite number or date can't be stored`(_ number: Double) async throws {
        let database = try await SQLiteDatabase.make(.inMemory, "CREATE TABLE t (v)")
        let error = await #expect(throws: SQLiteError.self) { try await database.execute("INSERT INTO t VALUES (\(number))") }
        #expect(error?.code == .invalidValue)
        #expect(
            error?.message
                == "Parameter 1 can't be stored: it is not a number (NaN), or an integer larger than SQLite's 64 bits."
        )
        let date = Date(timeIntervalSince1970: number)
        await #expect(throws: SQLiteError.self) { try await database.execute("INSERT INTO t VALUES (\(date))") }
        #expect(try await database.count("SELECT count(*) FROM t") == 0)
    }

    @Test func `D3 reading a column as a wrong type throws an error that names the column`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory, "CREATE TABLE t (name)")
        try await database.execute("INSERT INTO t VALUES ('12abc')")
        let error = await #expect(throws: SQLiteError.self) {
            try await database.read { db in try db.values(Int.self, "SELECT name FROM t") }
        }
        #expect(error?.code == .mismatch)
        #expect(error?.message == "Column 0 (name): expected an integer, found a text.")
        #expect(error?.sql == "SELECT name FROM t")
    }

    @Test func `D3 a number that does not fit throws instead of being truncated`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory)
        func read<Value: SQLiteConvertible>(_ sql: SQL, as: Value.Type) async throws -> Value? {
            try await database.read { db in try db.map(sql) { try $0[0] as Value }.first }
        }
        await #expect(throws: SQLiteError.self) { try await read("SELECT 256", as: UInt8.self) }
        await #expect(throws: SQLiteError.self) { try await read("SELECT -1", as: UInt32.self) }
        await #expect(throws: SQLiteError.self) { try await read("SELECT 1.5", as: Int.self) }
        await #expect(throws: SQLiteError.self) { try await read("SELECT NULL", as: Int.self) }
        await #expect(throws: SQLiteError.self) { try await read("SELECT x'00'", as: UUID.self) }
        await #expect(throws: SQLiteError.self) { try await read("SELECT 'lunch'", as: Meal.self) }
        await #expect(throws: SQLiteError.self) { try await read("SELECT 1", as: String.self) }
        #expect(try await read("SELECT 3", as: Double.self) == 3)
        #expect(try await read("SELECT 'ab'", as: Data.self) == Data("ab".utf8))
    }

    @Test(arguments: [[0xFF], [0xE2, 0x82], [0x61, 0xF0, 0x9F, 0x92], [0xC0, 0x80]] as [[UInt8]])
    func `D3 a text that is not valid UTF-8 throws, and can be read as bytes`(_ bytes: [UInt8]) async throws {
        let database = try await SQLiteDatabase.make(.inMemory)
        let data = Data(bytes)
        let error = await #expect(throws: SQLiteError.self) {
            try await database.read { db in try db.value(String.self, "SELECT CAST(\(data) AS TEXT)") }
        }
        #expect(error?.message.contains("not valid UTF-8") == true)
        #expect(try await database.read { db in try db.value(Data.self, "SELECT CAST(\(data) AS TEXT)") } == data)
    }

    @Test func `D3 columns are read by position and by name`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory)
        let found = try await database.read { db in
            try db.map("SELECT 1 AS a, 'x' AS b, 2 AS a") { row in
                "\(try row["a"] as Int) \(try row[2] as Int) \(try row["b"] as String) \(row.names) \(row.count) \(row.contains("c"))"
            }
        }
        #expect(found == ["1 2 x [\"a\", \"b\", \"a\"] 3 false"])
        for bad in [3, -1, .max] {
            await #expect(throws: SQLiteError.self) {
                try await database.read { db in try db.map("SELECT 1, 2, 3") { try $0[bad] as Int } }
            }
        }
        let error = await #expect(throws: SQLiteError.self) {
            try await database.read { db in try db.map("SELECT 1 AS a") { try $0["b"] as Int } }
        }
        #expect(error?.message == "There is no column named \"b\"; the columns are: a.")
    }
}
