#if Postgres
import Foundation
import PostgresTestSupport
import QueryKit
import TestSupport
import Testing

@testable import QueryKitPostgres

/// Random statements and random writes: whenever the result of a statement differs after a write, the write must have changed a region that
/// the statement was known to read.
@Suite(.enabled(if: PostgresServer.url != nil, "make test-postgres starts a server"), .timeLimit(.minutes(20)))
struct ReadSetModelTests {
    private static let isLong = ProcessInfo.processInfo.environment["QUERYKIT_LONG"] != nil
    private static let statementCount = isLong ? 2_000 : 200

    @Test func `R18 no relation that a statement reads is missed`() async throws {
        let seed = ProcessInfo.processInfo.environment["QUERYKIT_SEED"].flatMap { Int($0) } ?? 1
        var dice = Dice(seed: seed)
        let scratch = try await ScratchDatabase.make()
        try await scratch.run(ReadModel.schema)
        var configuration = PostgresDatabase.Configuration()
        configuration.name = "model"
        configuration.partitions = [PostgresPartition(table: "t0", column: "day"), PostgresPartition(table: "p", column: "day")]
        // Few connections, so that statements are repeated on each: the server then plans some of them without their values.
        configuration.connectionLimit = 2
        let database = try await PostgresDatabase.open(scratch.url, configuration: configuration)
        let writer = try await scratch.connect()
        defer { writer.close() }
        var live: [(reads: ReadModel.Reads, result: [Int], regions: Set<QueryRegion>)] = []
        var (differences, narrowed) = (0, 0)
        for number in 1...Self.statementCount {
            let reads = ReadModel.Reads.random(&dice)
            let (result, regions) = try await reads.perform(on: database)
            if live.count < 16 { live.append((reads, result, regions)) } else { live[dice.roll(live.count)] = (reads, result, regions) }
            narrowed += regions.contains { $0.partition != nil } ? 1 : 0
            let write = ReadModel.randomWrite(&dice)
            let changed = try await Self.changes(of: write, on: writer)
            for index in live.indices {
                let (result, regions) = try await live[index].reads.perform(on: database)
                if result != live[index].result {
                    differences += 1
                    let isKnown = changed.contains { change in live[index].regions.contains { $0.overlaps(change) } }
                    try #require(
                        isKnown,
                        "seed \(seed), statement \(number): \(live[index].reads) read \(live[index].regions), \(write) changed \(changed)"
                    )
                }
                live[index].result = result
                live[index].regions = regions
            }
        }
        // Otherwise the test shows nothing.
        #expect(differences > Self.statementCount && narrowed > Self.statementCount / 20)
        await database.close()
    }

    /// What a write has entered into the log.
    private static func changes(of write: String, on connection: Connection) async throws -> [QueryRegion] {
        let last = try await connection.texts("SELECT coalesce(max(id), 0)::text FROM querykit.changes")[0]
        try await connection.runScript(write)
        let rows = try await connection.run(
            "SELECT xid::text, id::text, name, col, value FROM querykit.changes WHERE id > \(last)"
        ).logRows()
        return rows.map { $0.region(["t0": "day", "p": "day"]) }.map {
            QueryRegion(source: "model", name: $0.table, partition: $0.partition)
        }
    }
}

/// The schema, the statements and the writes of the random test.
enum ReadModel {
    static let schema = """
        CREATE TABLE t0 (id serial, day text, amount integer);
        CREATE TABLE t1 (id serial PRIMARY KEY, day text, amount integer);
        CREATE TABLE t2 (id serial PRIMARY KEY, day text, amount integer);
        CREATE INDEX ON t2 (day, amount);
        CREATE TABLE t3 (id serial PRIMARY KEY, day text, amount integer);
        CREATE TABLE heir (more integer) INHERITS (t3);
        CREATE TABLE p (day text, kind integer, amount integer) PARTITION BY LIST (kind);
        CREATE TABLE p0 PARTITION OF p FOR VALUES IN (0);
        CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1) PARTITION BY LIST (day);
        CREATE TABLE p1a PARTITION OF p1 FOR VALUES IN ('a');
        CREATE TABLE p1z PARTITION OF p1 DEFAULT;
        CREATE VIEW v0 AS SELECT amount FROM t1;
        CREATE VIEW v1 AS SELECT amount FROM v0 UNION ALL SELECT amount FROM p WHERE kind = 1;
        CREATE FUNCTION branch(which bigint) RETURNS bigint LANGUAGE plpgsql AS $$
        BEGIN
            IF which = 0 THEN RETURN (SELECT sum(amount) FROM t0);
            ELSIF which = 1 THEN RETURN (SELECT sum(amount) FROM v1);
            ELSIF which = 2 THEN RETURN (SELECT sum(amount) FROM p WHERE kind = 0);
            ELSE RETURN (SELECT sum(amount) FROM t3); END IF;
        END $$;
        CREATE FUNCTION dynamic(name text) RETURNS bigint LANGUAGE plpgsql AS $$
        DECLARE n bigint;
        BEGIN EXECUTE format('SELECT sum(amount) FROM %I', name) INTO n; RETURN n; END $$;
        CREATE FUNCTION inlined(d text) RETURNS bigint LANGUAGE sql STABLE AS $$ SELECT sum(amount) FROM t2 WHERE day = d $$;
        CREATE FUNCTION undone(name text, d text) RETURNS bigint LANGUAGE plpgsql AS $$
        DECLARE n bigint;
        BEGIN
            BEGIN
                EXECUTE format('SELECT sum(amount) FROM %I WHERE day = $1', name) INTO n USING d;
                RAISE EXCEPTION 'undo';
            EXCEPTION WHEN OTHERS THEN NULL;
            END;
            RETURN n;
        END $$;
        CREATE FUNCTION nested(which bigint, name text) RETURNS bigint LANGUAGE plpgsql AS $$
        DECLARE n bigint;
        BEGIN
            BEGIN
                n := branch(which);
                BEGIN
                    n := coalesce(n, 0) + coalesce(undone(name, 'a'), 0);
                    RAISE EXCEPTION 'undo';
                EXCEPTION WHEN raise_exception THEN NULL;
                END;
                IF n > 20 THEN RAISE EXCEPTION 'undo'; END IF;
            EXCEPTION WHEN raise_exception THEN NULL;
            END;
            RETURN n;
        END $$;
        INSERT INTO t0 (day, amount) SELECT d, n FROM unnest('{a,b,c}'::text[]) d, generate_series(1, 3) n;
        INSERT INTO t1 (day, amount) SELECT day, amount FROM t0;
        INSERT INTO t2 (day, amount) SELECT day, amount FROM t0;
        INSERT INTO t3 (day, amount) SELECT day, amount FROM t0;
        INSERT INTO heir (day, amount) SELECT day, amount FROM t0;
        INSERT INTO p (day, kind, amount) SELECT day, kind, amount FROM t0, generate_series(0, 1) kind;
        ANALYZE;
        """

    private static let tables = ["t0", "t1", "t2", "t3", "heir", "p", "p0", "p1", "p1a", "v0", "v1"]
    private static let days = ["a", "b", "c"]

    /// The statements of one transaction.
    struct Reads: CustomStringConvertible {
        let statements: [SQL]

        var description: String { statements.map(\.text).joined(separator: "; ") + " \(statements.map(\.values))" }

        static func random(_ dice: inout Dice) -> Reads { Reads(statements: (0...dice.roll(3)).map { _ in statement(&dice) }) }

        /// Reads in one transaction, as a request does.
        func perform(on database: PostgresDatabase) async throws -> ([Int], Set<QueryRegion>) {
            try await QueryReads.collecting {
                try await database.read { db in
                    var results: [Int] = []
                    for sql in statements { results.append(try await db.value(Int.self, sql) ?? -1) }
                    return results
                }
            }
        }

        private static func statement(_ dice: inout Dice) -> SQL {
            let table = dice.pick(tables)
            let name = SQL(text: table)
            let day = dice.pick(days)
            switch dice.roll(14) {
            case 0: return "SELECT sum(amount) FROM \(name)"
            case 1: return "SELECT sum(amount) FROM t0 WHERE day = \(partition: day, of: "t0")"
            case 2: return "SELECT sum(amount) FROM p WHERE day = \(partition: day, of: "p")"
            case 3: return "SELECT sum(amount) FROM p WHERE kind = \(dice.roll(3))"
            case 4: return "SELECT branch(\(dice.roll(4)))"
            case 5: return "SELECT dynamic(\(table))"
            case 6: return "SELECT inlined(\(day))"
            case 7: return "SELECT undone(\(dice.pick(["t0", "t1", "t2", "t3", "p", "p1"])), \(day))"
            case 8: return "SELECT nested(\(dice.roll(4)), \(dice.pick(["t0", "t2", "p", "heir"])))"
            case 9: return "SELECT count(*) FROM t1 WHERE EXISTS (SELECT FROM t2 WHERE t2.day = t1.day AND t2.amount > \(dice.roll(6)))"
            case 10:
                return "WITH x AS (SELECT max(amount) AS m FROM \(name)) SELECT m + (SELECT count(*) FROM t3 WHERE day = \(day)) FROM x"
            case 11: return "SELECT amount FROM t2 WHERE day = \(day) ORDER BY amount LIMIT 1"
            case 12: return "SELECT count(*) FROM t1 TABLESAMPLE BERNOULLI (100) WHERE day = \(day)"
            default: return "SELECT CASE WHEN \(dice.roll(2)) = 0 THEN (SELECT sum(amount) FROM t3) ELSE (SELECT sum(amount) FROM v1) END"
            }
        }
    }

    /// A write, or a view that another session replaces.
    static func randomWrite(_ dice: inout Dice) -> String {
        let table = dice.pick(["t0", "t1", "t2", "t3", "heir"])
        let (day, amount) = (dice.pick(days), 1 + dice.roll(9))
        switch dice.roll(12) {
        case 0...2: return "INSERT INTO \(table) (day, amount) VALUES ('\(day)', \(amount))"
        case 3: return "UPDATE \(table) SET amount = amount + 1 WHERE day = '\(day)'"
        case 4: return "UPDATE \(table) SET day = '\(dice.pick(days))' WHERE day = '\(day)'"
        case 5: return "DELETE FROM \(table) WHERE amount > 6"
        case 6: return "INSERT INTO \(dice.pick(["p", "p1"])) (day, kind, amount) VALUES ('\(day)', 1, \(amount))"
        case 7: return "INSERT INTO p0 (day, kind, amount) VALUES ('\(day)', 0, \(amount))"
        case 8: return "UPDATE p SET kind = 1 - kind WHERE day = '\(day)'"
        case 9: return "TRUNCATE \(dice.pick(["p1a", "t2", "heir"])); INSERT INTO p1a VALUES ('a', 1, \(amount))"
        case 10:
            return """
                BEGIN; INSERT INTO t1 (day, amount) VALUES ('\(day)', \(amount)); SAVEPOINT s; DELETE FROM t2; ROLLBACK TO s;
                UPDATE t3 SET amount = 1 WHERE day = '\(day)'; COMMIT
                """
        default: return "CREATE OR REPLACE VIEW v0 AS SELECT amount FROM \(dice.pick(["t1", "t2", "p0", "t3"])) WHERE day <> '\(day)'"
        }
    }
}
#endif
