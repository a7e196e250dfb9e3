import Foundation
import SQLiteTestSupport
import Testing

@testable import QueryKitSQLite

/// In which form SQLite stores the values of a statement.
struct StoredFormTests {
    private static let id = UUID(uuidString: "00010203-0405-0607-0809-0A0B0C0D0EFF")!

    @Test(
        arguments: [
            (.null, .null), (.bool(false), .integer(0)), (.bool(true), .integer(1)), (.integer(.min), .integer(.min)),
            (.unsigned(5), .integer(5)), (.real(-1.5), .real(-1.5)), (.text("a\0ü"), .text("a\0ü")), (.blob(Data()), .blob(Data())),
            (.date(Date(timeIntervalSince1970: 1.2346)), .integer(1_235)), (.date(.distantPast), .integer(-62_135_769_600_000)),
            (.date(Date(timeIntervalSince1970: 1e300)), .real(1e303)),
            (.uuid(id), .blob(Data([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255]))), (.decimal(Decimal(25) / 10), .text("2.5")),
        ] as [(SQLValue, SQLiteValue)]
    )
    func `D3 a value has one form in SQLite`(_ value: SQLValue, _ form: SQLiteValue) async throws {
        #expect(SQLiteValue(value) == form)
        let database = try await SQLiteDatabase.make(.inMemory, "CREATE TABLE t (v)")
        try await database.execute("INSERT INTO t VALUES (\(value))")
        try await database.write { db in try db.prepare("INSERT INTO t VALUES (?)").run(value) }
        #expect(try await database.read { db in try db.values(SQLiteValue.self, "SELECT v FROM t") } == [form, form])
    }

    @Test func `D3 the stored form of a type is that of its values`() {
        func expect<Value: SQLiteConvertible>(_ value: Value) { #expect(value.sqliteValue == SQLiteValue(value.sqlValue)) }
        expect(Int64.max)
        expect(Int.min)
        expect(UInt(9))
        expect(UInt64.max - 1 - UInt64(Int64.max))
        expect(true)
        expect(1.5)
        expect(Float(1.5))
        expect("a")
        expect(Data([1]))
        expect(Date.distantFuture)
        expect(Self.id)
        expect(URL(filePath: "/a"))
        expect(Decimal(string: "0.1"))
        expect(nil as String?)
    }

    @Test(
        arguments: [
            .unsigned(.max), .unsigned(UInt64(Int64.max) + 1), .real(.nan), .date(Date(timeIntervalSince1970: .infinity)), .decimal(.nan),
        ] as [SQLValue]
    )
    func `D3 a value that can't be stored is refused`(_ value: SQLValue) async throws {
        let database = try await SQLiteDatabase.make(.inMemory, "CREATE TABLE t (v)")
        let single = await #expect(throws: SQLiteError.self) { try await database.execute("INSERT INTO t VALUES (\(value))") }
        #expect(single?.code == .invalidValue)
        let repeated = await #expect(throws: SQLiteError.self) {
            try await database.write { db in try db.prepare("INSERT INTO t VALUES (?)").run(value) }
        }
        #expect(repeated?.code == .invalidValue)
        #expect(try await database.count("SELECT count(*) FROM t") == 0)
    }

    @Test func `D5 a partition is named by the stored form of its value`() {
        let day = Date(timeIntervalSince1970: 86_400)
        let sql: SQL = "\(reading: ["a"], of: "t")\(reading: [1, nil], of: "t")\(reading: [true], of: "t")\(reading: [day], of: "t")"
        #expect(sql.partitions.map(\.partitions) == [["a"], ["1", "null"], ["1"], ["86400000"]])
    }

    @Test func `a row that is looked up by a value of any type is the region that the read depends on`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory, "CREATE TABLE t (id INTEGER PRIMARY KEY)")
        let day = Date(timeIntervalSince1970: 86.4)
        for (sql, row) in [
            ("SELECT * FROM t WHERE id = \(day)", 86_400), ("SELECT * FROM t WHERE id = \(true)", 1),
            ("SELECT * FROM t WHERE id = \(7)", 7),
        ] as [(SQL, Int64)] {
            #expect(try await database.explain(sql).reads.map(\.part) == [.rows([row])])
        }
    }

    // MARK: A user's types

    /// A type that knows only its form in SQLite.
    private struct Grams: SQLiteConvertible, Equatable {
        let amount: Double
        var sqliteValue: SQLiteValue { .real(amount) }

        init(_ amount: Double) { self.amount = amount }

        init(sqliteColumn column: borrowing SQLiteColumn) throws { self.init(try column.real()) }
    }

    private enum Meal: String, SQLiteConvertible {
        case breakfast, dinner
    }

    private struct Trip: RawRepresentable, SQLiteConvertible {
        let rawValue: UUID
    }

    private struct Count: RawRepresentable, SQLiteConvertible {
        let rawValue: UInt64
    }

    /// A type that stores something else than its raw value.
    private struct Moment: RawRepresentable, SQLiteConvertible {
        let rawValue: Date
        var sqliteValue: SQLiteValue { .text("\(Int(rawValue.timeIntervalSince1970)) s") }

        init(rawValue: Date) { self.rawValue = rawValue }

        init(sqliteColumn column: borrowing SQLiteColumn) throws { self.init(rawValue: Date(timeIntervalSince1970: try column.real())) }
    }

    /// A type for several databases.
    private struct Flag: SQLiteConvertible {
        let isSet: Bool
        var sqlValue: SQLValue { .bool(isSet) }
        static var sqlType: SQLType { .bool }
        var sqliteValue: SQLiteValue { SQLiteValue(sqlValue) }

        init(isSet: Bool) { self.isSet = isSet }

        init(sqliteColumn column: borrowing SQLiteColumn) throws { self.init(isSet: try column.integer() != 0) }
    }

    private func stored<Value: SQLiteConvertible>(_ value: Value, _ expected: SQLValue, _ type: SQLType) async throws -> Value? {
        #expect(value.sqlValue == expected)
        #expect(Value.sqlType == type)
        let database = try await SQLiteDatabase.make(.inMemory, "CREATE TABLE t (v)")
        try await database.execute("INSERT INTO t VALUES (\(value))")
        #expect(try await database.read { db in try db.value(SQLiteValue.self, "SELECT v FROM t") } == value.sqliteValue)
        return try await database.read { db in try db.value("SELECT v FROM t WHERE v IN \([value])") }
    }

    @Test func `a type that only SQLite knows is bound in its stored form`() async throws {
        #expect(try await stored(Grams(2.5), .real(2.5), .unknown) == Grams(2.5))
    }

    @Test func `a type with a raw value is bound as that, unless it stores something else`() async throws {
        #expect(try await stored(Meal.dinner, .text("dinner"), .text) == .dinner)
        let trip = Trip(rawValue: Self.id)
        #expect(try await stored(trip, .uuid(Self.id), .uuid)?.rawValue == Self.id)
        #expect(Count(rawValue: 3).sqlValue == .integer(3))
        #expect(Count(rawValue: .max).sqlValue == .unsigned(.max))
        let moment = Moment(rawValue: Date(timeIntervalSince1970: 7))
        await #expect(throws: SQLiteError.self) { try await stored(moment, .text("7 s"), .date) }
    }

    @Test func `a type may declare its value for all databases`() async throws {
        #expect(try await stored(Flag(isSet: true), .bool(true), .bool)?.isSet == true)
        #expect(try await stored(Flag(isSet: false) as Flag?, .bool(false), .bool)??.isSet == false)
    }
}
