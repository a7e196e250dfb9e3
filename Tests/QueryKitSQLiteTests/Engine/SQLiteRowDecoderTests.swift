import Foundation
import Testing

@testable import QueryKitSQLite

/// Rows as `Decodable` types.
struct SQLiteRowDecoderTests {
    private enum Meal: String, Decodable { case breakfast, dinner }

    private struct Portion: Decodable, Equatable {
        let grams: Double
        let tags: [String]
        let of: [String: Int]?
    }

    private struct Entry: Decodable, Equatable {
        let id: Int
        let name: String
        let note: String?
        let missing: Int?
        let meal: Meal
        let eatenAt: Date
        let key: UUID
        let photo: Data
        let link: URL?
        let price: Decimal
        let portion: Portion
        let steps: [Int]
        let isDone: Bool
    }

    private func decode<Row: Decodable & Sendable>(_ type: Row.Type, _ sql: SQL) async throws -> [Row] {
        try await SQLiteDatabase.open(.inMemory).read { db in try db.decode(type, sql) }
    }

    private func refusal<Row: Decodable & Sendable>(_ type: Row.Type, _ sql: SQL) async -> SQLiteError? {
        do {
            _ = try await decode(type, sql)
            return nil
        } catch {
            return error as? SQLiteError
        }
    }

    @Test func `each key is read from the column with its name`() async throws {
        let key = UUID()
        let date = Date(timeIntervalSince1970: 1_700_000_000.123)
        let json = #"{"grams": 1.5, "tags": ["a", "b"]}"#
        let entries = try await decode(
            Entry.self,
            """
            SELECT \(date) AS eatenAt, 7 AS id, 'oats' AS name, NULL AS note, 'dinner' AS meal, \(key) AS key, x'0102' AS photo,
                'https://example.com/a?b' AS link, '12.30' AS price, \(json) AS portion, '[1, 2]' AS steps, 1 AS isDone, 9 AS other
            UNION ALL
            SELECT 0, 8, 'rice', 'good', 'breakfast', \(key), x'', NULL, 2, \(#"{"grams": 2, "tags": [], "of": {"x": 1}}"#), '[]', 0, 9
            """
        )
        #expect(
            entries == [
                Entry(
                    id: 7,
                    name: "oats",
                    note: nil,
                    missing: nil,
                    meal: .dinner,
                    eatenAt: date,
                    key: key,
                    photo: Data([1, 2]),
                    link: URL(string: "https://example.com/a?b"),
                    price: Decimal(string: "12.3") ?? 0,
                    portion: Portion(grams: 1.5, tags: ["a", "b"], of: nil),
                    steps: [1, 2],
                    isDone: true
                ),
                Entry(
                    id: 8,
                    name: "rice",
                    note: "good",
                    missing: nil,
                    meal: .breakfast,
                    eatenAt: Date(timeIntervalSince1970: 0),
                    key: key,
                    photo: Data(),
                    link: nil,
                    price: 2,
                    portion: Portion(grams: 2, tags: [], of: ["x": 1]),
                    steps: [],
                    isDone: false
                ),
            ]
        )
    }

    @Test func `a single value is the first column`() async throws {
        #expect(try await decode(Int.self, "SELECT 1, 2 UNION ALL SELECT 3, 4") == [1, 3])
        #expect(try await decode(Int?.self, "SELECT NULL UNION ALL SELECT 3") == [nil, 3])
        #expect(try await decode(Date.self, "SELECT 1000") == [Date(timeIntervalSince1970: 1)])
        #expect(try await decode(Meal.self, "SELECT 'dinner'") == [.dinner])
        let none = try await SQLiteDatabase.open(.inMemory).read { db in try db.decodeFirst(Int.self, "SELECT 1 WHERE 0") }
        #expect(none == nil)
        #expect(try await SQLiteDatabase.open(.inMemory).read { db in try db.decodeFirst(Int.self, "SELECT 1 UNION ALL SELECT 2") } == 1)
    }

    private struct Grams: Decodable { let grams: Int8 }
    private struct Nested: Decodable { let portion: Portion? }
    private struct Eaten: Decodable { let meal: Meal }
    private struct Priced: Decodable { let price: Decimal }

    @Test func `a decoding error names the column but not the value`() async throws {
        let tooBig = await refusal(Grams.self, "SELECT 1 AS id, 300 AS grams")
        #expect(tooBig?.code == .mismatch && tooBig?.message.contains("Column 1 (grams)") == true)
        #expect(await refusal(Grams.self, "SELECT NULL AS grams")?.message.contains("(grams)") == true)
        #expect(await refusal(Grams.self, "SELECT '5' AS grams")?.message.contains("(grams)") == true)
        let missing = await refusal(Grams.self, "SELECT 1 AS gram")
        #expect(missing?.message.contains("named \"grams\"") == true && missing?.message.contains("gram") == true)
        let json = await refusal(Nested.self, #"SELECT '{"grams": 1, "tags": [1]}' AS portion"#)
        #expect(json?.message.contains("(portion)") == true && json?.message.contains("tags") == true)
        #expect(await refusal(Nested.self, "SELECT 'secret' AS portion")?.message.contains("(portion)") == true)
        let meal = await refusal(Eaten.self, "SELECT 'secret' AS meal")
        #expect(meal?.message.contains("(meal)") == true && meal?.message.contains("secret") == false)
        #expect(await refusal(Priced.self, "SELECT '12 apples' AS price")?.message.contains("(price)") == true)
        #expect(
            await refusal([Int].self, "SELECT 1")?.message
                == "A row is decoded by the names of its columns, not as a list. Decode a type with a property for each column."
        )
    }

    private struct Wide: Decodable, Equatable {
        let big: UInt64
        let plain: UInt?
    }

    @Test func `integers too large to be bound can be read into types that fit`() async throws {
        #expect(try await decode(Wide.self, "SELECT 9223372036854775807 AS big, 7 AS plain") == [Wide(big: UInt64(Int64.max), plain: 7)])
        #expect(try await decode(Wide.self, "SELECT 0 AS big, NULL AS plain") == [Wide(big: 0, plain: nil)])
        #expect(try await decode(UInt64.self, "SELECT 5") == [5])
        #expect(try await decode(UInt?.self, "SELECT NULL UNION ALL SELECT 3") == [nil, 3])
        #expect(await refusal(Wide.self, "SELECT -1 AS big")?.message.contains("(big)") == true)
        #expect(await refusal(UInt64.self, "SELECT 'x'")?.code == .mismatch)
    }

    @Test func `a link and a price can be read from the first column`() async throws {
        #expect(try await decode(URL.self, "SELECT 'https://example.com/a'") == [URL(string: "https://example.com/a")])
        #expect(try await decode(URL?.self, "SELECT NULL") == [nil])
        #expect(try await decode(Decimal.self, "SELECT '0.1', 'x'") == [Decimal(1) / 10])
        #expect(await refusal(Decimal.self, "SELECT 'x'")?.code == .mismatch)
    }

    @Test func `JSON that is NULL is nil`() async throws {
        #expect(try await decode(Nested.self, "SELECT NULL AS portion").first?.portion == nil)
        #expect(try await decode(Nested.self, "SELECT 1").first?.portion == nil)
    }

    @Test func `a price stored as text is exact`() async throws {
        #expect(try await decode(Priced.self, "SELECT '0.1' AS price").first?.price == Decimal(1) / 10)
        #expect(
            try await decode(Priced.self, "SELECT '123456789012345678.91' AS price").first?.price
                == Decimal(string: "123456789012345678.91")
        )
    }
}
