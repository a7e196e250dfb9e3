#if Postgres
@testable import QueryKitPostgres
import Testing

struct StatementTextTests {
    @Test func `placeholders are numbered in order`() {
        let part: SQL = "AND b IN \([1, 2, 3])"
        let sql: SQL = "SELECT a ? 'key' FROM t WHERE a = \(1) \(part) AND c = \("x")"
        #expect(sql.numberedText == "SELECT a ? 'key' FROM t WHERE a = $1 AND b IN ($2, $3, $4, $5) AND c = $6")
    }

    @Test(
        arguments: [
            ("SELECT 1", "SELECT"), ("  \n commit", "COMMIT"), ("-- a\n/* b /* c */ */ rollback;", "ROLLBACK"), ("(SELECT 1)", "SELECT"),
            ("", ""),
            ("1", ""), ("/* open", ""), (";;end", "END"),
        ]
    )
    func `the first word is found behind comments`(_ text: String, _ word: String) {
        #expect(SQL.firstWord(of: text) == word)
    }

    @Test func `a statement is known by its text and the types of its values`() {
        var cache = StatementCache(limit: 3)
        func sql(_ value: Int) -> SQL { "SELECT \(value)" }
        let first = cache.entry(for: sql(1), [20])
        #expect(cache.entry(for: sql(2), [20]) === first)
        #expect(cache.entry(for: "SELECT $1", [20]) === first)
        #expect(cache.entry(for: sql(1), [0]) !== first)
        #expect(cache.entry(for: sql(1), [StatementCache.nullType]) === first)
    }

    @Test func `columns that may be NULL don't multiply a statement`() {
        var cache = StatementCache(limit: 256)
        func types(_ number: Int) -> [UInt32] { (0..<8).map { number & 1 << $0 == 0 ? 20 : StatementCache.nullType } }
        let sql: SQL = "VALUES (\(1), \(1), \(1), \(1), \(1), \(1), \(1), \(1))"
        for number in 0..<256 { _ = cache.entry(for: sql, types(number)) }
        #expect(cache.count == 1)
    }

    @Test func `a statement with many columns that may be NULL needs bounded memory`() {
        var cache = StatementCache(limit: 4)
        let sql: SQL = "VALUES (\(1), \(1), \(1), \(1), \(1), \(1), \(1), \(1))"
        for number in 0..<256 {
            _ = cache.entry(for: sql, (0..<8).map { number & 1 << $0 == 0 ? 20 : StatementCache.nullType })
            #expect(cache.markCount <= 16)
        }
    }

    @Test func `connections name their statements differently`() {
        var (one, other) = (StatementCache(limit: 4), StatementCache(limit: 4))
        #expect(one.entry(for: "SELECT 1").name != other.entry(for: "SELECT 1").name)
    }

    @Test func `the statements used least recently are dropped, and deallocated if the server has them`() {
        var cache = StatementCache(limit: 4)
        let entries = (1...4).map { cache.entry(for: "SELECT \($0)") }
        for entry in entries { cache.end(entry, isPrepared: true) }
        _ = cache.entry(for: "SELECT 1")
        _ = cache.entry(for: "SELECT 5")
        #expect(cache.takeDropped() == [entries[1].name])
        #expect(cache.entry(for: "SELECT 1") === entries[0])
        #expect(cache.count == 4)
    }

    @Test func `with several hosts the primary is chosen, unless the connection string says otherwise`() throws {
        func target(_ url: String) throws -> String? { try Endpoint(url).options["target_session_attrs"] }
        #expect(try target("postgresql://a:1,b:2/diary") == "primary")
        #expect(try target("postgresql://a:1,b:2/diary?target_session_attrs=any") == "any")
        #expect(try target("postgresql://a/diary") == nil)
    }

    @Test func `the connection string is never part of an error`() {
        #expect {
            _ = try Endpoint("postgresql://me:secret@host:port:port/x?nonsense=secret")
        } throws: { error in
            !"\(error)".contains("secret")
        }
    }

    @Test(arguments: [
        "postgresql://me:pa@s3cret@host/diary", "postgresql://me:pa@s3:cret@host/diary", "postgresql://me:s3/cret@host/diary",
        "postgresql://me:12/s3cret@host/diary", "postgresql://me:pa@s3/cret@host/diary", "postgres://me:pa@s3cret,cret@a:1,b:2/diary",
        "postgresql://me:pa@s3?cret@host/diary", "postgresql://me:pa@s3cret@[::1]/diary",
    ])
    func `R37 a password with a sign that isn't escaped is refused, and no part of it is shown`(url: String) {
        let error = #expect(throws: PostgresError.self) { _ = try Endpoint(url) }
        #expect(error?.code == .misuse && error?.message.contains("%40") == true)
        for part in ["s3", "cret"] { #expect(!"\(error as Any)".contains(part)) }
    }

    @Test func `R37 signs in other places and escaped signs are no password`() throws {
        #expect(try Endpoint("postgresql://me%40work:p%40ss%2Fword@host:1,other:2/diary").name == "host,other:1,2/diary")
        #expect(try Endpoint("host=@socket dbname=a@b password='p@ss'").name == "@socket:5432/a@b")
        #expect(try Endpoint("postgresql:///diary?host=/tmp&port=5433").name == "/tmp:5433/diary")
    }

    @Test func `R37 a description contains no value of the server's details and messages`() {
        let error = PostgresError(.constraint, "duplicate key", sqlState: "23505", detail: "Key (name)=(s3cret) exists.", hint: "Wait.")
        #expect("\(error)" == "PostgreSQL 23505: duplicate key Wait." && error.detail?.contains("s3cret") == true)
        for (message, state, text) in [
            (#"invalid input syntax for type integer: "a "b" c""#, "22P02", #"invalid input syntax for type integer: "…""#),
            (#"value "300000" is out of range for type smallint"#, "22003", #"value "…" is out of range for type smallint"#),
            (#"syntax error in tsquery: "a b""#, "42601", #"syntax error in tsquery: "…""#),
            (#"syntax error at or near "FORM""#, "42601", #"syntax error at or near "FORM""#),
            (#"relation "food" does not exist"#, "42P01", #"relation "food" does not exist"#),
            ("division by zero", "22012", "division by zero"),
        ] {
            #expect(PostgresError.withoutValues(message, state) == text)
        }
    }

    @Test func `settings are sent in one statement`() throws {
        var endpoint = try Endpoint("postgresql://server/diary")
        #expect(endpoint.settingStatement == nil)
        endpoint.set("lock_timeout", to: "5s")
        endpoint.set("app.name", to: "Anna's")
        #expect(endpoint.settingStatement == "SELECT set_config('app.name', 'Anna''s', false), set_config('lock_timeout', '5s', false)")
        #expect(endpoint.options["options"] == nil)
    }

    @Test func `the name of a database contains neither user nor password`() throws {
        #expect(try Endpoint("postgresql://me:secret@server:1234/diary").name == "server:1234/diary")
    }
}
#endif
