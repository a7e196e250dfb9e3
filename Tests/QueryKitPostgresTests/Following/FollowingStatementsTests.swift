#if Postgres
import PostgresTestSupport
@testable import QueryKitPostgres
import Testing

@Suite(.enabled(if: PostgresServer.url != nil, "make test-postgres starts a server"), .timeLimit(.minutes(1)))
struct FollowingStatementsTests {
    /// The function reads and releases its locks: only counters show what it has read.
    private static let schema = """
        CREATE TABLE empty (id bigint);
        CREATE TABLE keyed (id bigint PRIMARY KEY);
        CREATE TABLE filled (id bigint PRIMARY KEY, name text);
        INSERT INTO filled SELECT i, 'name ' || i FROM generate_series(1, 1000) i;
        CREATE INDEX ON filled (name);
        CREATE MATERIALIZED VIEW copy AS SELECT * FROM filled;
        CREATE TABLE parts (id bigint) PARTITION BY LIST (id);
        CREATE TABLE part PARTITION OF parts FOR VALUES IN (1);
        CREATE FUNCTION hidden(statement text) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
            EXECUTE statement;
            RAISE EXCEPTION 'undo';
        EXCEPTION WHEN raise_exception THEN NULL;
        END
        $$;
        """

    @Test func `each way to read a table is noticed, although the locks are released`() async throws {
        let reads = [
            ("SELECT FROM empty", "empty"),
            ("SELECT FROM keyed", "keyed"),
            ("SELECT FROM keyed WHERE id = 1", "keyed"),
            ("SELECT id FROM filled WHERE id = 0", "filled"),
            ("SELECT id FROM filled WHERE id = 1", "filled"),
            ("SELECT id FROM filled WHERE name = 'name 7'", "filled"),
            ("SELECT FROM filled WHERE ctid = '(0,1)'", "filled"),
            ("SELECT FROM filled TABLESAMPLE SYSTEM (100)", "filled"),
            ("SELECT count(*) FROM filled", "filled"),
            ("SELECT FROM copy", "copy"),
            ("SELECT FROM parts", "parts"),
        ]
        let statements = FollowingStatements(columns: [:])
        try await PostgresServer.withDatabase { url in
            let owner = try await Connection.open(try Endpoint(url), within: .seconds(10))
            defer { owner.close() }
            try await owner.runScript(Self.schema)
            // Then an index can be read without the table.
            try await owner.run("VACUUM ANALYZE filled")
            for planning in ["SET enable_seqscan = on", "SET enable_seqscan = off", "SET enable_indexscan = off"] {
                for (statement, table) in reads {
                    // A new connection has no counters of earlier reads.
                    let connection = try await Connection.open(try Endpoint(url), within: .seconds(10))
                    defer { connection.close() }
                    try await connection.run(planning)
                    try await connection.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
                    var set = ReadSet()
                    set.begin(try await connection.run(statements.opening).opening().counters)
                    _ = try await connection.run("SELECT hidden(\(statement))" as SQL)
                    let reading = set.add(try await connection.run(statements.companion).tableUses(), claims: [])
                    #expect(reading.regions == [PostgresRegion(table: table)], "\(planning), \(statement)")
                    // Until something else is read, the list shows nothing new.
                    #expect(set.add(try await connection.run(statements.companion).tableUses(), claims: []).regions == [])
                }
            }
        }
    }
}
#endif
