import Foundation
import QueryKitSQL
import Testing

struct SQLConvertibleTests {
    private enum Meal: String, SQLConvertible {
        case breakfast, dinner
    }

    private struct Trip: RawRepresentable, SQLConvertible {
        let rawValue: UUID
    }

    private struct Grams: SQLConvertible {
        let amount: Double
        var sqlValue: SQLValue { .real(amount) }
        static var sqlType: SQLType { .real }
    }

    private func expect<Value: SQLConvertible>(_ value: Value, _ expected: SQLValue, _ type: SQLType) {
        #expect(value.sqlValue == expected)
        #expect(Value.sqlType == type)
        let (one, list): (SQL, SQL) = ("\(value)", "\([value])")
        #expect(one.values == [expected])
        #expect(list.values == [expected])
    }

    @Test func `integers of all widths are the same type`() {
        expect(Int64.min, .integer(.min), .integer)
        expect(Int.max, .integer(.max), .integer)
        expect(Int32.min, .integer(-2_147_483_648), .integer)
        expect(Int16.max, .integer(32_767), .integer)
        expect(Int8.min, .integer(-128), .integer)
        expect(UInt32.max, .integer(4_294_967_295), .integer)
        expect(UInt16.max, .integer(65_535), .integer)
        expect(UInt8.max, .integer(255), .integer)
    }

    @Test func `an integer above Int64's largest one keeps its value`() {
        expect(UInt64(Int64.max), .integer(.max), .integer)
        expect(UInt64(Int64.max) + 1, .unsigned(9_223_372_036_854_775_808), .integer)
        expect(UInt64.max, .unsigned(.max), .integer)
        expect(UInt.max, .unsigned(.max), .integer)
        expect(UInt(7), .integer(7), .integer)
    }

    @Test func `each type keeps its meaning`() {
        expect(true, .bool(true), .bool)
        expect(-0.0, .real(-0.0), .real)
        expect(Double.infinity, .real(.infinity), .real)
        expect(Float(1.25), .real(1.25), .real)
        expect("a\0b ü", .text("a\0b ü"), .text)
        expect(Data([0, 255]), .blob(Data([0, 255])), .blob)
        let date = Date(timeIntervalSince1970: 1_763_000_000.123_456)
        expect(date, .date(date), .date)
        expect(Date.distantFuture, .date(.distantFuture), .date)
        let id = UUID()
        expect(id, .uuid(id), .uuid)
        expect(URL(filePath: "/a b"), .text("file:///a%20b"), .text)
        expect(Decimal.greatestFiniteMagnitude, .decimal(.greatestFiniteMagnitude), .decimal)
        expect(SQLValue.unsigned(1), .unsigned(1), .unknown)
        guard case .real(let number) = Double.nan.sqlValue else {
            Issue.record("NaN became another value.")
            return
        }
        #expect(number.isNaN)
    }

    @Test func `nil is NULL and has the type of its value`() {
        expect(nil as Date?, .null, .date)
        expect(5 as Int?, .integer(5), .integer)
        expect(nil as Meal?, .null, .text)
    }

    @Test func `a type with a raw value is bound as that, and other types as they declare`() {
        expect(Meal.dinner, .text("dinner"), .text)
        let id = UUID()
        expect(Trip(rawValue: id), .uuid(id), .uuid)
        expect(Grams(amount: 2.5), .real(2.5), .real)
    }
}
