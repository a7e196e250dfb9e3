import QueryKit
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

@Suite(.timeLimit(.minutes(5)))
struct ChangeHistoryTests {
    private let a = SQLiteRegion(table: "a")
    private let b = SQLiteRegion(table: "b")

    @Test func `what changed after a number is found, and nothing else`() {
        var history = ChangeHistory()
        #expect(history.changed([a, b], since: 0) == [])
        history.append(SQLiteChangeSet(.local, [a]))
        history.append(SQLiteChangeSet(.local, [b]))
        #expect(history.changed([a, b], since: 0) == [a, b])
        #expect(history.changed([a, b], since: 1) == [b])
        #expect(history.changed([a, b], since: 2) == [])
        #expect(history.changed([SQLiteRegion(table: "a", partition: "x")], since: 0).count == 1)
        #expect(history.changed([.everything], since: 1) == [.everything])
    }

    @Test func `what is too long ago to tell counts as changed`() {
        var history = ChangeHistory()
        history.append(SQLiteChangeSet(.local, [a]))
        for _ in 0..<127 { history.append(SQLiteChangeSet(.local, [b])) }
        #expect(history.changed([a], since: 0) == [a])
        #expect(history.changed([a], since: 1) == [])
        history.append(SQLiteChangeSet(.local, [b]))
        #expect(history.changed([a], since: 1) == [])
        #expect(history.changed([SQLiteRegion(table: "c")], since: 0).count == 1)
        for _ in 0..<300 { history.append(SQLiteChangeSet(.local, [b])) }
        #expect(history.changed([a], since: history.number - 128) == [])
        #expect(history.changed([a], since: history.number - 129) == [a])
    }
}

@Suite(.timeLimit(.minutes(5)))
struct RegionTests {
    @Test func `regions overlap where a change of one shows in the other`() {
        let table = SQLiteRegion(table: "a")
        let part = SQLiteRegion(table: "a", partition: "1")
        #expect(table.overlaps(part) && part.overlaps(table) && part.overlaps(part))
        #expect(!part.overlaps(SQLiteRegion(table: "a", partition: "2")))
        #expect(!part.overlaps(SQLiteRegion(table: "b", partition: "1")))
        #expect(SQLiteRegion.everything.overlaps(part) && part.overlaps(.everything))
        #expect(SQLiteRegion(table: nil, partition: "1") == .everything)
    }

    @Test(arguments: [
        [SQLiteRegion.everything], [SQLiteRegion(table: "a")],
        [SQLiteRegion(table: "a"), SQLiteRegion(table: "b c", partition: "2026-11-21")],
        [SQLiteRegion(table: "ü/*", partition: "")],
    ])
    func `D6 regions survive the log`(_ regions: Set<SQLiteRegion>) {
        #expect(RegionText.decode(RegionText.encode(regions)) == regions)
    }

    @Test(arguments: ["a\u{1F}b", "a\u{1E}b", "*"])
    func `D6 a name that the log can not hold counts as everything`(_ name: String) {
        #expect(RegionText.decode(RegionText.encode([SQLiteRegion(table: name)])) == [.everything])
        #expect(RegionText.decode(RegionText.encode([SQLiteRegion(table: "t", partition: name)])) == [.everything])
    }
}

/// What is told after a commit, and only then.
@Suite(.timeLimit(.minutes(5)))
struct ChangeSetTests {
    private static let schema: StaticString = """
        CREATE TABLE a (id INTEGER PRIMARY KEY, v TEXT UNIQUE, day TEXT);
        CREATE TABLE b (id INTEGER PRIMARY KEY, a INTEGER REFERENCES a (id) ON DELETE CASCADE);
        CREATE TABLE w (k TEXT PRIMARY KEY, v) WITHOUT ROWID;
        CREATE TABLE log (t TEXT);
        CREATE TRIGGER told AFTER INSERT ON w BEGIN INSERT INTO log VALUES (NEW.k); END;
        CREATE VIRTUAL TABLE f USING fts5(text);
        """

    /// What is told of a write, by the names of the regions; a marker is written after it, so that silence can be heard.
    private func told(
        _ partitions: [SQLitePartition] = [],
        before: [SQL] = [],
        _ body: @escaping @Sendable (SQLiteWriteTransaction) throws -> Void
    ) async throws -> [String] {
        let database = try await SQLiteDatabase.make(.inMemory, Self.schema) { $0.partitions = partitions }
        for sql in before { try await database.execute(sql) }
        let heard = Lock<[Set<SQLiteRegion>]>([])
        let subscription = database.core.feed.subscribe { change in heard.withLock { $0.append(change.regions) } }
        defer { subscription.cancel() }
        try? await database.write(body)
        return heard.withLock { $0 }.flatMap { $0.map(\.description) }.sorted()
    }

    @Test(
        arguments: [
            ("INSERT INTO a (v) VALUES ('x')", ["a"]), ("REPLACE INTO a VALUES (1, 'q', 'd')", ["a", "b"]), ("DELETE FROM a", ["a", "b"]),
            ("INSERT INTO w VALUES ('k', 1)", ["log", "w"]), ("INSERT INTO f VALUES ('x')", ["f"]), ("UPDATE a SET v = 'y' WHERE 0", []),
            ("DELETE FROM a WHERE id = 99", []), ("SELECT * FROM a", []), ("CREATE TABLE n (x)", ["everything"]),
            ("INSERT INTO a (v) SELECT 'z' WHERE 0", []),
        ] as [(StaticString, [String])]
    )
    func `D5 the tables that a commit changed are told`(_ sql: StaticString, _ regions: [String]) async throws {
        let sql = SQL(stringLiteral: sql)
        #expect(
            try await told(before: ["INSERT INTO a (id, v) VALUES (1, 'old')", "INSERT INTO b VALUES (1, 1)"]) { db in
                _ = try db.execute(sql)
            } == regions
        )
    }

    @Test func `D5 a write that is undone tells nothing`() async throws {
        struct Undo: Error {}
        let regions = try await told { db in
            try db.execute("INSERT INTO a (v) VALUES ('x')")
            throw Undo()
        }
        #expect(regions == [])
    }

    @Test func `D5 an empty write tells nothing`() async throws {
        #expect(try await told { _ in } == [])
    }

    @Test func `D5 rows that are written and returned are told`() async throws {
        #expect(try await told { db in _ = try db.values(Int.self, "INSERT INTO a (v) VALUES ('x') RETURNING id") } == ["a"])
    }

    @Test func `D5 a key that an insert returns is told, though the statement was not read to its end`() async throws {
        #expect(try await told { db in _ = try db.value(Int.self, "INSERT INTO a (v) VALUES ('x') RETURNING id") } == ["a"])
        let both = try await told { db in
            _ = try db.value(Int.self, "INSERT INTO a (v) VALUES ('x') RETURNING id")
            try db.execute("UPDATE log SET t = 1 WHERE 0")
        }
        #expect(both == ["a"])
    }

    @Test func `D5 a full-text table in memory is told by its name`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory, Self.schema)
        let reads = Lock<[SQLiteRegion]>([])
        database.core.observeReads { _ in Notes(reads) }
        var changes = database.changes.makeAsyncIterator()
        for _ in 1...3 {
            _ = try await database.count("SELECT count(*) FROM f WHERE f MATCH 'x'")
            try await database.execute("INSERT INTO f VALUES ('x')")
            #expect(await changes.next()?.regions == [SQLiteRegion(table: "f")])
        }
        #expect(Set(reads.withLock { $0 }).contains(.everything) == false)
    }

    @Test func `D5 a prepared statement tells like any other`() async throws {
        let regions = try await told { db in
            let insert = try db.prepare("INSERT INTO log VALUES (?)")
            for text in ["a", "b"] { try insert.run(text) }
            try db.execute("INSERT INTO a (v) VALUES ('x')")
        }
        #expect(regions == ["a", "log"])
    }

    private static let byDay = [SQLitePartition(table: "a", column: "day")]

    @Test(
        arguments: [
            ("INSERT INTO a (v, day) VALUES ('x', 'tue'), ('y', 'wed')", ["a/tue", "a/wed"]),
            ("UPDATE a SET day = 'fri' WHERE id = 1", ["a/fri", "a/mon"]),
            ("UPDATE a SET v = 'q' WHERE id = 1", ["a/mon"]), ("DELETE FROM a WHERE id = 2", ["a/sun", "b"]),
            ("DELETE FROM a", ["a/mon", "a/sun", "b"]),
            ("UPDATE a SET v = 'q' WHERE 0", []), ("INSERT OR REPLACE INTO a (id, v, day) VALUES (1, 'x', 'tue')", ["a", "b"]),
            ("INSERT INTO a (v, day) VALUES ('old', 'tue') ON CONFLICT (v) DO UPDATE SET day = 'sat'", ["a/mon", "a/sat"]),
            ("INSERT INTO a (v) VALUES ('x')", ["a/null"]),
        ] as [(StaticString, [String])]
    )
    func `D5 the partitions that a commit touched are told, those a row left too`(_ sql: StaticString, _ regions: [String]) async throws {
        let sql = SQL(stringLiteral: sql)
        let before: [SQL] = ["INSERT INTO a (id, v, day) VALUES (1, 'old', 'mon'), (2, 'older', 'sun')", "INSERT INTO b VALUES (1, 1)"]
        #expect(try await told(Self.byDay, before: before) { db in _ = try db.execute(sql) } == regions)
    }

    @Test func `D5 many partitions count as the whole table`() async throws {
        let regions = try await told(Self.byDay) { db in
            let insert = try db.prepare("INSERT INTO a (day) VALUES (?)")
            for day in 0...256 { try insert.run("\(day)") }
        }
        #expect(regions == ["a"])
    }

    @Test func `D5 partitions of one write are no business of the next`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory, Self.schema) { $0.partitions = Self.byDay }
        var changes = database.changes.makeAsyncIterator()
        try await database.execute("INSERT INTO a (day) VALUES ('mon')")
        try await database.execute("INSERT INTO a (day) VALUES ('tue')")
        #expect(await changes.next()?.regions == [SQLiteRegion(table: "a", partition: "mon")])
        #expect(await changes.next()?.regions == [SQLiteRegion(table: "a", partition: "tue")])
    }

    @Test func `D5 a table that is made later has partitions from then on`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory) { $0.partitions = [SQLitePartition(table: "late", column: "day")] }
        try await database.execute("CREATE TABLE late (day TEXT)")
        var changes = database.changes.makeAsyncIterator()
        try await database.execute("INSERT INTO late VALUES ('mon')")
        #expect(await changes.next()?.regions == [SQLiteRegion(table: "late", partition: "mon")])
    }

    @Test func `D5 a partition needs its column, and a claim a partition`() async throws {
        await #expect(throws: SQLiteError.self) {
            try await SQLiteDatabase.make(.inMemory, "CREATE TABLE t (a)") { $0.partitions = [SQLitePartition(table: "t", column: "day")] }
        }
        let database = try await SQLiteDatabase.make(.inMemory, "CREATE TABLE t (a)")
        let reads = Lock<[SQLiteRegion]>([])
        database.core.observeReads { _ in Notes(reads) }
        await #expect(throws: SQLiteError.self) { try await database.count("SELECT count(*) FROM t WHERE a = \(partition: 1, of: "t")") }
    }

    private final class Notes: ReadObserver {
        let regions: Lock<[SQLiteRegion]>

        init(_ regions: Lock<[SQLiteRegion]>) { self.regions = regions }

        func note(_ list: RegionList) {
            let new = list.regions
            regions.withLock { $0 += new }
        }

        func outdate(_ regions: [SQLiteRegion]) {}
    }

    @Test func `D5 a read names its tables, or the partitions it claims`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory, Self.schema) { $0.partitions = Self.byDay }
        let reads = Lock<[SQLiteRegion]>([])
        database.core.observeReads { _ in Notes(reads) }
        _ = try await database.read { db in
            _ = try db.value(Int.self, "SELECT count(*) FROM a JOIN b WHERE day = \(partition: "mon", of: "a")")
            _ = try db.value(Int.self, "SELECT count(*) FROM b")
            _ = try db.value(Int.self, "SELECT count(*) FROM a")
        }
        #expect(reads.withLock { $0 }.map(\.description) == ["b", "a/mon", "a"])
    }

    @Test func `D5 two claims of one table are both heard`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory, Self.schema) { $0.partitions = Self.byDay }
        let reads = Lock<[SQLiteRegion]>([])
        database.core.observeReads { _ in Notes(reads) }
        _ = try await database.count(
            "SELECT count(*) FROM a WHERE day = \(partition: "mon", of: "a") OR day = \(partition: "tue", of: "a")"
        )
        #expect(Set(reads.withLock { $0 }.map(\.description)) == ["a/mon", "a/tue"])
    }

    @Test func `D5 a claim without a partition is refused also where nobody watches`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory, Self.schema)
        let error = await #expect(throws: SQLiteError.self) {
            try await database.count("SELECT count(*) FROM a WHERE day = \(partition: "mon", of: "a")")
        }
        #expect(error?.code == .misuse)
    }

    @Test func `D5 a table that another connection has made is told as a whole`() async throws {
        let folder = try TemporaryFolder()
        let database = try await SQLiteDatabase.make(.file(folder.file())) {
            $0.partitions = [SQLitePartition(table: "late", column: "day")]
        }
        let other = try await SQLiteDatabase.make(.file(folder.file()))
        try await other.execute("CREATE TABLE late (day TEXT)")
        let heard = Lock<[Set<SQLiteRegion>]>([])
        let subscription = database.core.feed.subscribe { change in
            if change.origin == .local { heard.withLock { $0.append(change.regions) } }
        }
        try await database.execute("INSERT INTO late VALUES ('mon')")
        #expect(heard.withLock { $0 } == [[SQLiteRegion(table: "late")]])
        subscription.cancel()
        await database.close()
        await other.close()
    }

    @Test func `D5 a column that a migration adds may divide its table`() async throws {
        let folder = try TemporaryFolder()
        let first: SQLiteMigrations = [SQLiteMigration("t", "CREATE TABLE t (a)")]
        await (try SQLiteDatabase.open(.file(folder.file()), migrations: first)).close()
        var configuration = SQLiteDatabase.Configuration()
        configuration.partitions = [SQLitePartition(table: "t", column: "day")]
        let database = try await SQLiteDatabase.open(
            .file(folder.file()),
            migrations: first + [SQLiteMigration("day", "ALTER TABLE t ADD COLUMN day TEXT")],
            configuration: configuration
        )
        var changes = database.changes.makeAsyncIterator()
        try await database.execute("INSERT INTO t (day) VALUES ('mon')")
        #expect(await changes.next()?.regions == [SQLiteRegion(table: "t", partition: "mon")])
        await database.close()
    }

    @Test func `D5 a whole number is one partition, in whichever column`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory, "CREATE TABLE t (n REAL)") {
            $0.partitions = [SQLitePartition(table: "t", column: "n")]
        }
        var changes = database.changes.makeAsyncIterator()
        try await database.execute("INSERT INTO t VALUES (20)")
        #expect(await changes.next()?.regions == [SQLiteRegion(table: "t", partition: "20")])
        let claim: SQL = "\(partition: 20, of: "t")"
        #expect(claim.partitions.first?.partitions == ["20"])
    }

    @Test func `a loop over changes ends with its database, closed or let go`() async throws {
        var database: SQLiteDatabase? = try await SQLiteDatabase.make(.inMemory)
        var changes = database?.changes.makeAsyncIterator()
        database = nil
        #expect(await changes?.next() == nil)
        let closed = try await SQLiteDatabase.make(.inMemory)
        await closed.close()
        var late = closed.changes.makeAsyncIterator()
        #expect(await late.next() == nil)
    }

    @Test func `changes come in order, and those that wait are put together when they become many`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory, Self.schema)
        var changes = database.changes.makeAsyncIterator()
        for number in 0..<100 { try await database.execute("INSERT INTO log VALUES (\(number))") }
        try await database.execute("INSERT INTO a (v) VALUES ('x')")
        for _ in 0..<63 { #expect(await changes.next()?.regions == [SQLiteRegion(table: "log")]) }
        #expect(await changes.next()?.regions == [SQLiteRegion(table: "log"), SQLiteRegion(table: "a")])
        await database.close()
        #expect(await changes.next() == nil)
    }

    @Test func `a loop over changes ends when its task is cancelled`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory, Self.schema)
        let task = Task {
            for await _ in database.changes {}
            return true
        }
        task.cancel()
        #expect(await task.value)
    }

    @Test func `two readers of one mailbox each get a change, and none waits for ever`() async {
        let mailbox = ChangeMailbox()
        let changes = await withTaskGroup(of: SQLiteChangeSet?.self) { group in
            for _ in 0..<2 { group.addTask { await mailbox.take() } }
            while mailbox.readerCount < 2 { await Task.yield() }
            mailbox.put(SQLiteChangeSet(.local, [.everything]))
            mailbox.put(SQLiteChangeSet(.otherProcess, [.everything]))
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(changes.compactMap { $0?.origin }) == [.local, .otherProcess])
    }
}
