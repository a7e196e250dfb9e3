import Foundation
import SQLiteTestSupport
import Testing

@testable import QueryKitSQLite

@Suite(.timeLimit(.minutes(5)))
struct SQLTests {
    @Test func `D2 a value is bound and never a part of the text`() {
        let name = "'; DROP TABLE food; --"
        let sql: SQL = "SELECT * FROM food WHERE name = \(name) AND grams > \(1.5) AND day = \(nil as Int?)"
        #expect(sql.text == "SELECT * FROM food WHERE name = ? AND grams > ? AND day = ?")
        #expect(sql.values == [.text(name), .real(1.5), .null])
    }

    @Test func `D2 a list becomes as many places as its width, filled with its last value`() {
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

    @Test func `D2 fragments bring their values along, and one that is missing leaves nothing`() {
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

    @Test func `D5 a partition is bound and claimed`() {
        let sql: SQL =
            "SELECT 1 FROM entries WHERE day = \(partition: "a", of: "entries") OR day IN \(partitions: [1, 2], of: "entries")\(reading: [3], of: "other")"
        #expect(sql.text == "SELECT 1 FROM entries WHERE day = ? OR day IN (?, ?)")
        #expect(sql.values == [.text("a"), .integer(1), .integer(2)])
        #expect(
            sql.partitions == [
                PartitionClaim(table: "entries", partitions: ["a"]), PartitionClaim(table: "entries", partitions: ["1", "2"]),
                PartitionClaim(table: "other", partitions: ["3"]),
            ]
        )
    }
}

@Suite(.timeLimit(.minutes(5)))
struct FullTextQueryTests {
    @Test(arguments: [
        ("oat", "\"oat\""), ("non-fat milk", "\"non-fat\" AND \"milk\""), ("rice OR", "\"rice\" AND \"OR\""),
        ("say \"hi\"", "\"say\" AND \"\"\"hi\"\"\""),
        ("a\0b", "\"a\" AND \"b\""), ("\"\u{301}x", "\"\"\"\u{301}x\""),
    ])
    func `D2 each word is quoted`(_ typed: String, _ text: String) {
        #expect(FullTextQuery(typed)?.text == text)
    }

    @Test func `nothing but white space is no query`() {
        #expect(FullTextQuery("") == nil)
        #expect(FullTextQuery(" \n\t\0") == nil)
        #expect(FullTextQuery("salt & pepper - \"x\"")?.text == FullTextQuery("salt pepper \"x\"")?.text)
    }

    @Test func `a word that comes again counts once, and the last one stays the last`() {
        #expect(FullTextQuery("rice oat rice milk oat")?.text == "\"rice\" AND \"milk\" AND \"oat\"")
        #expect(FullTextQuery("ri oat ri", prefix: true)?.text == "\"oat\" AND \"ri\" *")
    }

    @Test func `any of the words, and the last as a beginning`() {
        #expect(FullTextQuery("a b", matching: .any)?.text == "\"a\" OR \"b\"")
        #expect(FullTextQuery("a b", prefix: true)?.text == "\"a\" AND \"b\" *")
    }

    @Test(arguments: [
        "non-fat", "O'Reilly", "rice OR", "(", "NEAR(a b)", "a:b", "^x", "\"", "\"\u{301}", "{a b}: c", "*", "-", "é ü", "日本", "\u{1F}",
        "a\0\"b",
    ])
    func `D2 FTS5 takes what a user types, whatever it is`(_ typed: String) async throws {
        let database = try await SQLiteDatabase.make(.inMemory, "CREATE VIRTUAL TABLE f USING fts5(name)")
        try await database.execute("INSERT INTO f VALUES (\("the name is \(typed) here"))")
        // What has no letter and no digit is in no index.
        guard typed.contains(where: { $0.isLetter || $0.isNumber }) else {
            #expect(FullTextQuery(typed) == nil)
            return
        }
        let query = try #require(FullTextQuery(typed))
        #expect(try await database.count("SELECT count(*) FROM f WHERE f MATCH \(query)") == 1)
    }
}
