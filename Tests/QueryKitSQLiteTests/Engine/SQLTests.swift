import Foundation
import SQLiteTestSupport
import Testing

@testable import QueryKitSQLite

@Suite(.timeLimit(.minutes(5)))
struct SQLTests {
    @Test func `D2 a value is bound and never part of the text`() {
        let name = "'; DROP TABLE food; --"
        let sql: SQL = "SELECT * FROM food WHERE name = \(name) AND grams > \(1.5) AND day = \(nil as Int?)"
        #expect(sql.text == "SELECT * FROM food WHERE name = ? AND grams > ? AND day = ?")
        #expect(sql.values == [.text(name), .real(1.5), .null])
    }

    @Test func `D2 a list is expanded to a power of two of parameters, filled with its last value`() {
        func places(_ count: Int) -> (String, Int) {
            let sql: SQL = "\(Array(1...max(1, count)).prefix(count).map(\.self))"
            return (sql.text, sql.values.count)
        }
        #expect(places(0) == ("()", 0))
        #expect(places(1) == ("(?)", 1))
        #expect(places(2) == ("(?, ?)", 2))
        #expect(places(3) == ("(?, ?, ?, ?)", 4))
        #expect(places(5).1 == 8)
        #expect(places(1_024).1 == 1_024)
        #expect(places(1_025).1 == 1_025)
        let three: SQL = "\(["a", "b", "c"])"
        #expect(three.values == [.text("a"), .text("b"), .text("c"), .text("c")])
    }

    @Test func `D2 fragments bring their values, and an empty fragment adds nothing`() {
        let filter: SQL? = "AND category = \("fruit")"
        let none: SQL? = nil
        let order: SQL = "ORDER BY name"
        let sql: SQL = "SELECT 1 WHERE a = \(1) \(filter) \(none) \(order)"
        #expect(sql.text == "SELECT 1 WHERE a = ? AND category = ?  ORDER BY name")
        #expect(sql.values == [.integer(1), .text("fruit")])
        let joined = SQL(joining: ["a = \(1)", "b = \(2)"], separator: " OR ")
        #expect(joined.text == "a = ? OR b = ?")
        #expect(joined.values == [.integer(1), .integer(2)])
        #expect(SQL(joining: []).text == "")
    }

    @Test func `D5 a partition in a statement is bound and claimed`() {
        let sql: SQL =
            "SELECT 1 FROM entries WHERE day = \(partition: "a", of: "entries") OR day IN \(partitions: [1, 2], of: "entries")\(reading: [3], of: "other")"
        #expect(sql.text == "SELECT 1 FROM entries WHERE day = ? OR day IN (?, ?)")
        #expect(sql.values == [.text("a"), .integer(1), .integer(2)])
        #expect(sql.partitions.map(\.table) == ["entries", "entries", "other"])
        #expect(sql.partitions.map(\.partitions) == [["a"], ["1", "2"], ["3"]])
    }
}
