import QueryKitSQL
import Testing

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

    @Test func `a list keeps its length and its type, also if it is empty`() {
        let three: SQL = "\(["a", "b", "c"])"
        let none: SQL = "\([] as [Bool?])"
        #expect(three.lists == [SQL.List(count: 3, width: 4, type: .text)])
        #expect(none.lists == [SQL.List(count: 0, width: 0, type: .bool)])
        let many: SQL = "\(partitions: Array(1...1_025), of: "entries") \([1.5])"
        #expect(many.lists == [SQL.List(count: 1_025, width: 1_025, type: .integer), SQL.List(count: 1, width: 1, type: .real)])
    }

    @Test func `D5 a partition in a statement is bound and claimed`() {
        let sql: SQL =
            "SELECT 1 FROM entries WHERE day = \(partition: "a", of: "entries") OR day IN \(partitions: [1, 2], of: "entries")\(reading: [3], of: "other")"
        #expect(sql.text == "SELECT 1 FROM entries WHERE day = ? OR day IN (?, ?)")
        #expect(sql.values == [.text("a"), .integer(1), .integer(2)])
        #expect(sql.partitions.map(\.table) == ["entries", "entries", "other"])
        #expect(sql.partitions.map(\.values) == [[.text("a")], [.integer(1), .integer(2)], [.integer(3)]])
    }

    @Test func `claims and values of joined fragments stay in order`() {
        let day: SQL = "day = \(partition: 7, of: "entries")"
        let sql: SQL = "SELECT \(true) WHERE \(SQL(joining: [day, "name = \("a")"], separator: " AND "))"
        #expect(sql.text == "SELECT ? WHERE day = ? AND name = ?")
        #expect(sql.values == [.bool(true), .integer(7), .text("a")])
        #expect(sql.partitions.map(\.values) == [[.integer(7)]])
    }

    @Test func `D3 a literal is recognized with any values`() {
        func literal(_ id: Int, _ names: [String]) -> SQL { "SELECT 1 WHERE id = \(id) AND name IN \(names)" }
        func isSame(_ one: SQL, _ other: SQL) -> Bool { one.mark == other.mark && SQLPiece.areSame(one.pieces, other.pieces) }
        #expect(isSame(literal(1, ["a"]), literal(2, ["b"])))
        #expect(isSame(literal(1, ["a", "b", "c"]), literal(1, ["a", "b", "c", "d"])))
        #expect(!isSame(literal(1, ["a"]), literal(1, ["a", "b"])))
        #expect(!isSame(literal(1, []), literal(1, ["a"])))
        #expect(!isSame("SELECT \(1)", "SELECT \(1) "))
        #expect(!isSame("\(1)", "\([1])"))
        // A text that was built at run time has no address.
        #expect(!isSame(SQL(text: "SELECT 1"), SQL(text: "SELECT 1")))
    }
}

extension SQL {
    struct List: Equatable {
        let count: Int
        let width: Int
        let type: SQLType
    }

    /// The lists in the statement.
    fileprivate var lists: [List] {
        pieces.compactMap {
            if case .list(let count, let width, let type) = $0 { List(count: count, width: width, type: type) } else { nil }
        }
    }
}
