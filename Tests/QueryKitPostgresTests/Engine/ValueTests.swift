#if Postgres
import Foundation
import PostgresTestSupport
@testable import QueryKitPostgres
import Testing

@Suite(.enabled(if: PostgresServer.url != nil, "make test-postgres starts a server"), .timeLimit(.minutes(2)))
struct ValueTests {
    /// Runs a statement on a connection of its own.
    private func result(_ sql: SQL, at url: String? = PostgresServer.url) async throws -> PostgresResult {
        let connection = try await Connection.open(try Endpoint(url ?? ""), within: .seconds(10))
        defer { connection.close() }
        return try await connection.run(sql)
    }

    private func value<Value: PostgresConvertible & Sendable>(_ type: Value.Type = Value.self, _ sql: SQL) async throws -> Value? {
        try await result(sql).first { try $0[0] }
    }

    private func value<Value: PostgresConvertible & Sendable>(_ sql: SQL) async throws -> Value? { try await value(Value.self, sql) }

    private func error(_ sql: SQL) async -> PostgresError? {
        do {
            _ = try await result(sql)
            return nil
        } catch {
            return error as? PostgresError
        }
    }

    @Test func `values of all types come back as they were`() async throws {
        #expect(try await value("SELECT \(true)") == true)
        #expect(try await value("SELECT \(Int.max)") == Int.max)
        #expect(try await value("SELECT \(Int.min)") == Int.min)
        #expect(try await value("SELECT \(UInt64.max)") == UInt64.max)
        #expect(try await value("SELECT \(Int8(-5))") == Int8(-5))
        #expect(try await value("SELECT \(0.1)") == 0.1)
        #expect(try await value("SELECT \(-Double.infinity)") == -Double.infinity)
        #expect(try await value("SELECT \("Grüße 👋")") == "Grüße 👋")
        #expect(try await value("SELECT \("")") == "")
        #expect(try await value("SELECT \(Data([0, 1, 255]))") == Data([0, 1, 255]))
        #expect(try await value("SELECT \(Data())") == Data())
        let id = UUID()
        #expect(try await value("SELECT \(id)") == id)
        let date = Date(timeIntervalSince1970: 1_700_000_000.25)
        #expect(try await value("SELECT \(date)") == date)
        #expect(try await value(String?.self, "SELECT \(nil as String?)::text") == .some(nil))
    }

    @Test(arguments: ["0", "1", "-1", "0.5", "-0.00001", "10000", "12345678901234567890.123456789", "100000000", "0.0001", "1000000.10"])
    func `a decimal number keeps its digits`(_ text: String) async throws {
        let number = try #require(Decimal(string: text))
        #expect(try await value("SELECT \(number)") == number)
        #expect(try await value(Double.self, "SELECT \(number)") == Double(text))
    }

    @Test func `sums of integers, which are numeric, are read as integers`() async throws {
        #expect(try await value(Int.self, "SELECT sum(n) FROM generate_series(1::bigint, 100000) n") == 5_000_050_000)
        #expect(try await value(Int.self, "SELECT -9223372036854775808::numeric") == Int.min)
        #expect(try await value(Double.self, "SELECT avg(n) FROM generate_series(1, 2) n") == 1.5)
        await #expect(throws: PostgresError.self) { try await value(Int.self, "SELECT 1.5") }
        await #expect(throws: PostgresError.self) { try await value(Int.self, "SELECT 9223372036854775808") }
    }

    @Test func `narrow columns are read as wide types`() async throws {
        #expect(try await value(Int.self, "SELECT 7::smallint") == 7)
        #expect(try await value(Int.self, "SELECT -7::integer") == -7)
        #expect(try await value(Double.self, "SELECT 0.5::real") == 0.5)
        #expect(try await value(Double.self, "SELECT 3::integer") == 3)
        #expect(try await value(String.self, "SELECT 'a'::char(3)") == "a  ")
        #expect(try await value(String.self, #"SELECT '{"a": 1}'::jsonb"#) == #"{"a": 1}"#)
        #expect(try await value(Date.self, "SELECT '2000-01-02'::date") == Date(timeIntervalSince1970: 946_771_200))
        #expect(try await value(Date.self, "SELECT '1999-12-31 23:59:59'::timestamp") == Date(timeIntervalSince1970: 946_684_799))
    }

    @Test func `a text takes the type of the column it is compared with`() async throws {
        #expect(try await value("SELECT '2024-05-01'::date = \("2024-05-01")") == true)
        #expect(try await value("SELECT '{\"a\": 1}'::jsonb = \("{ \"a\":1 }")") == true)
        #expect(try await value("SELECT 'a' || \("b")") == "ab")
    }

    @Test func `lists have one statement per power of two, and an empty list matches nothing`() async throws {
        #expect(try await value(Int.self, "SELECT count(*) FROM generate_series(1, 10) g WHERE g IN \([1, 2, 3, 99])") == 3)
        #expect(try await value(Int.self, "SELECT count(*) FROM generate_series(1, 10) g WHERE g IN \([Int]())") == 0)
        #expect(try await value(Int.self, "SELECT count(*) FROM generate_series(1, 10) g WHERE g NOT IN \([Int]())") == 10)
        #expect(try await value(Int.self, "SELECT count(*) FROM (VALUES ('a')) t (a) WHERE a IN \([String]())") == 0)
    }

    @Test func `a type that doesn't fit is an error that names column and types`() async throws {
        let row = try await result("SELECT 'a' AS name, point(1, 2) AS place, NULL::int AS nothing")
        func message(_ body: (borrowing PostgresRow) throws -> Void) -> String {
            do {
                try row.forEach(body)
                return ""
            } catch {
                return (error as? PostgresError)?.message ?? "\(error)"
            }
        }
        #expect(message { _ = try $0[0] as Int } == "Column 0 (name): expected an integer, found text.")
        #expect(message { _ = try $0["nothing"] as Int } == "Column 2 (nothing): expected an integer, found NULL.")
        #expect(
            message { _ = try $0["place"] as String }
                == "Column 1 (place): expected a text, found point, which can't be read directly; select it as text with ::text."
        )
        #expect(message { _ = try $0["size"] as Int } == "The result has no column named \"size\". Its columns: name, place, nothing.")
        #expect(message { _ = try $0[3] as Int } == "The result has no column number 3. Its columns: name, place, nothing.")
    }

    @Test func `a text with NUL is refused before it is sent`() async throws {
        let error = await error("SELECT \("a\0b")")
        #expect(error?.code == .invalidValue)
        #expect(error?.message == "Value 1 of the statement contains a NUL character, which PostgreSQL can't store in a text.")
    }

    @Test func `65,535 values are sent, and one more is refused`() async throws {
        let values = Array(1...65_535)
        #expect(try await value(Int.self, "SELECT count(*) FROM (VALUES (7)) t (g) WHERE g IN \(values)") == 1)
        let error = await error("SELECT 1 WHERE 1 IN \(values + [0])")
        #expect(error?.code == .limit)
    }

    @Test func `dates outside PostgreSQL's range are refused`() async throws {
        #expect(await error("SELECT \(Date(timeIntervalSince1970: .infinity))")?.code == .invalidValue)
        #expect(await error("SELECT \(Date(timeIntervalSince1970: .nan))")?.code == .invalidValue)
        #expect(try await value("SELECT \(Date.distantPast)") == Date.distantPast)
        #expect(try await value("SELECT \(Date.distantFuture)") == Date.distantFuture)
        await #expect(throws: PostgresError.self) { try await value(Date.self, "SELECT 'infinity'::timestamptz") }
    }

    @Test func `a number that the type can't hold is an error, not NaN or infinity`() async throws {
        #expect(try await value("SELECT 0.5::float8") == Decimal(0.5))
        #expect(try await value("SELECT 0.5::float8") == Float(0.5))
        #expect(try await value("SELECT 'Infinity'::float8") == Float.infinity)
        await #expect(throws: PostgresError.self) { try await value(Decimal.self, "SELECT 1e200::float8") }
        await #expect(throws: PostgresError.self) { try await value(Decimal.self, "SELECT 1e-200::float8") }
        await #expect(throws: PostgresError.self) { try await value(Float.self, "SELECT 1e300::float8") }
    }

    @Test func `values that are too large for one message are refused before they are sent`() throws {
        #expect {
            _ = try Parameters([.integer(1), .text("0123456789")], byteLimit: 15) { "SELECT $1, $2" }
        } throws: {
            ($0 as? PostgresError)?.code == .limit
        }
    }

    @Test func `a long statement is cut in errors`() async throws {
        let error = await error(SQL(text: "SELECT missing /* \(String(repeating: "x", count: 5_000)) */"))
        #expect(error?.sql?.count == 1_000)
    }

    @Test func `errors say what they mean for the caller`() async throws {
        #expect(await error("SELECT * FROM missing")?.code == .undefinedTable)
        #expect(await error("SELECT missing")?.code == .undefinedColumn)
        #expect(await error("SELECT missing(1)")?.code == .undefinedFunction)
        #expect(await error("SELEKT 1")?.code == .syntax)
        #expect(await error("SELECT 1 / 0")?.code == .invalidValue)
        #expect(await error("SELECT concat(\("a"), \("b"))")?.hint == "Give the value a type in the statement, such as \\(name)::text.")
    }

    @Test func `a database in LATIN1 converts, and says which character it lacks`() async throws {
        try await PostgresServer.withDatabase(options: "ENCODING LATIN1 LOCALE 'C' TEMPLATE template0") { url in
            let text = try await result("SELECT \("Grüße")::text", at: url).first { try $0[0] as String }
            #expect(text == "Grüße")
            await #expect {
                _ = try await result("SELECT \("日本")::text", at: url)
            } throws: {
                ($0 as? PostgresError)?.sqlState == "22P05" && ($0 as? PostgresError)?.code == .invalidValue
            }
        }
    }

    @Test func `text that is not UTF-8 in an SQL_ASCII database is an error`() async throws {
        try await PostgresServer.withDatabase(options: "ENCODING SQL_ASCII LOCALE 'C' TEMPLATE template0") { url in
            await #expect {
                _ = try await result("SELECT convert_from('\\xff'::bytea, 'SQL_ASCII')", at: url)
            } throws: {
                ($0 as? PostgresError)?.code == .invalidValue
            }
        }
    }
}
#endif
