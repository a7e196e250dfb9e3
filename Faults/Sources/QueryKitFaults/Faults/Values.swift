import Foundation
import QueryKitSQLite

/// Values that are too large, of another type, or not numbers: they must be read back unchanged, or fail with an error that names the
/// column.
enum Values {
    static func run(_ trial: Trial) async throws {
        let url = trial.file("values.sqlite")
        let database = try await SQLiteDatabase.open(
            .file(url),
            migrations: [SQLiteMigration("values", "CREATE TABLE stored (id INTEGER PRIMARY KEY, value)")]
        )
        try await roundTrips(trial, database)
        await wrongTypes(trial, database)
        await numbers(trial, database)
        try await foreignBytes(trial, database, url)
        try await large(trial, database)
        await database.close()
    }

    private static func store<Value: SQLiteConvertible & Equatable>(_ value: Value, _ database: SQLiteDatabase) async throws -> Value? {
        try await database.write { db in
            try db.execute("INSERT OR REPLACE INTO stored VALUES (1, \(value))")
            return try db.value(Value.self, "SELECT value FROM stored WHERE id = 1")
        }
    }

    private static func expectSame<Value: SQLiteConvertible & Equatable>(_ trial: Trial, _ database: SQLiteDatabase, _ values: Value...)
        async throws
    {
        for value in values { trial.check(try await store(value, database) == value, "\(Value.self) \(value) is not read back unchanged") }
    }

    private static func roundTrips(_ trial: Trial, _ database: SQLiteDatabase) async throws {
        try await expectSame(trial, database, Int64.min, Int64.max, 0, -1)
        try await expectSame(trial, database, UInt8.max, UInt8.min)
        try await expectSame(trial, database, Int8.min, Int8.max)
        try await expectSame(
            trial,
            database,
            0.1,
            -0.0,
            Double.infinity,
            -Double.infinity,
            Double.leastNonzeroMagnitude,
            .greatestFiniteMagnitude
        )
        try await expectSame(
            trial,
            database,
            "",
            "\0",
            "a\0b",
            "\u{FEFF}x",
            "e\u{301}",
            "🧑🏽‍🍳",
            "\u{10FFFF}",
            String(repeating: "食", count: 100_000)
        )
        try await expectSame(trial, database, Data(), Data([0]), Data(count: 70_000))
        try await expectSame(trial, database, Date(timeIntervalSince1970: 0), .distantPast, .distantFuture)
        try await expectSame(trial, database, true, false)
        trial.check(try await store(Optional<String>.none, database) == .some(nil) ?? nil, "nil is not read back unchanged")
    }

    private static func wrongTypes(_ trial: Trial, _ database: SQLiteDatabase) async {
        func expect<Value: SQLiteConvertible>(_ type: Value.Type, _ sql: SQL) async {
            await trial.expectError([.mismatch], saying: "Column 0", "\(type) from \(sql)") {
                _ = try await database.read { db in try db.map(sql) { row in try row[0] as Value } }
            }
        }
        await expect(UInt8.self, "SELECT 256")
        await expect(UInt8.self, "SELECT -1")
        await expect(Int8.self, "SELECT 128")
        await expect(UInt32.self, "SELECT -1")
        await expect(Int32.self, "SELECT 2147483648")
        await expect(Int.self, "SELECT 1.0")
        await expect(Int.self, "SELECT 9223372036854775808")
        await expect(Int.self, "SELECT '1'")
        await expect(Int.self, "SELECT NULL")
        await expect(Double.self, "SELECT '1.5'")
        await expect(String.self, "SELECT 1")
        await expect(String.self, "SELECT x'41'")
        await expect(Data.self, "SELECT 1")
        await expect(Bool.self, "SELECT 'true'")
        await expect(UUID.self, "SELECT x'0011'")
        await expect(Date.self, "SELECT '2026-01-01'")
        await trial.expectError([.range], "a column that doesn't exist") {
            _ = try await database.read { db in try db.map("SELECT 1") { row in try row[1] as Int } }
        }
        await trial.expectError([.range], "a column with a negative index") {
            _ = try await database.read { db in try db.map("SELECT 1") { row in try row[-1] as Int } }
        }
        await trial.expectError([.range], "a column with a large index") {
            _ = try await database.read { db in try db.map("SELECT 1") { row in try row[Int.max] as Int } }
        }
        await trial.expectError([.range], saying: "nothing", "a column without that name") {
            _ = try await database.read { db in try db.map("SELECT 1") { row in try row["nothing"] as Int } }
        }
    }

    private static func numbers(_ trial: Trial, _ database: SQLiteDatabase) async {
        for value in [Double.nan, Double.signalingNaN] {
            await trial.expectError([.invalidValue], saying: "NaN", "NaN") { _ = try await store(value, database) }
        }
        await trial.expectError([.invalidValue], "NaN in a prepared statement") {
            try await database.write { db in try db.prepare("INSERT INTO stored (value) VALUES (?)").run(Double.nan) }
        }
        await trial.expectError([.invalidValue], "a date that is not a number") {
            try await database.write { db in _ = try db.execute("INSERT INTO stored (value) VALUES (\(Date(timeIntervalSince1970: .nan)))")
            }
        }
        await trial.expectError([.invalidValue], "a date that is infinite") {
            try await database.write { db in
                _ = try db.execute("INSERT INTO stored (value) VALUES (\(Date(timeIntervalSince1970: .infinity)))")
            }
        }
        await trial.expectError([.error], saying: "overflow", "a sum that overflows") {
            _ = try await database.read { db in
                try db.value(Int.self, "SELECT sum(column1) FROM (VALUES (9223372036854775807), (1))")
            }
        }
    }

    /// Text that is not UTF-8, written by another program.
    private static func foreignBytes(_ trial: Trial, _ database: SQLiteDatabase, _ url: URL) async throws {
        let path = url.path(percentEncoded: false)
        let wrong: [[UInt8]] = [
            [0xff, 0xfe, 0x41], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x98], [0x41, 0x00, 0xff],
            Array(repeating: 0x80, count: 9_999),
        ]
        for bytes in wrong {
            trial.expect(ForeignWriter.run("INSERT OR REPLACE INTO stored VALUES (7, ?)", bytes, in: path), 101, "a foreign write")
            await trial.expectError([.mismatch], saying: "UTF-8", "a text not in UTF-8") {
                _ = try await database.read { db in try db.value(String.self, "SELECT value FROM stored WHERE id = 7") }
            }
            await trial.expectError([.mismatch], saying: "UTF-8", "such text read as any value") {
                _ = try await database.read { db in try db.value(SQLiteValue.self, "SELECT value FROM stored WHERE id = 7") }
            }
            let found = try await database.read { db in try db.value(Data.self, "SELECT value FROM stored WHERE id = 7") }
            trial.expect(found, Data(bytes), "the bytes of such text")
        }
        // The same in a name of the schema.
        let name = Array("CREATE TABLE odd (\"\u{FFFD}".utf8.dropLast(3)) + [0xff] + Array("\" INTEGER)".utf8)
        let script = String(decoding: name, as: UTF8.self)
        trial.expect(ForeignWriter.run(script, [], in: path), 101, "creating a table without the engine")
        await trial.expectOutcome("a table with a strange column") {
            _ = try await database.read { db in try db.map("SELECT * FROM odd") { row in row.names } }
        }
    }

    private static func large(_ trial: Trial, _ database: SQLiteDatabase) async throws {
        let size = trial.plan.isShort ? 10 << 20 : 50 << 20
        var bytes = Data(count: size)
        for index in stride(from: 0, to: size, by: 4_099) { bytes[index] = UInt8(truncatingIfNeeded: index) }
        let start = ContinuousClock.now
        trial.check(try await store(bytes, database) == bytes, "a blob of \(size) bytes is not read back unchanged")
        trial.note("\(size >> 20) MB out and in \(start.duration(to: .now).milliseconds) ms")
        await trial.expectError([.tooBig], "a blob that is larger than SQLite allows") {
            try await database.write { db in _ = try db.execute("INSERT INTO stored (value) VALUES (zeroblob(2147483000))") }
        }
        for count in [1_000, 32_766, 32_767, 250_000, 250_001, 300_000] {
            let numbers = Array(0..<count)
            let error = await trial.expectOutcome("a list of \(count) values") {
                let found = try await database.read { db in try db.value(Int.self, "SELECT count(*) FROM stored WHERE id IN \(numbers)") }
                trial.check((found ?? 0) >= 1, "a list of \(count) values finds nothing")
            }
            if let error {
                trial.check([.error, .range, .tooBig].contains(error.code), "a list of \(count) values: \(error.code) \(error.message)")
            }
        }
        trial.expect(try await database.read { db in try db.value(Int.self, "SELECT 1") }, 1, "a read after all that")
    }
}
