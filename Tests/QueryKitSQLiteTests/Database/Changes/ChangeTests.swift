import QueryKit
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

struct ChangeHistoryTests {
    private let a = SQLiteRegion(table: "a")
    private let b = SQLiteRegion(table: "b")

    @Test func `a history returns the changes after a number and no others`() {
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

    @Test func `regions count as changed if the history no longer covers the time asked for`() {
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

struct RegionTests {
    @Test func `regions overlap if a change of one shows in the other`() {
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
    func `D6 regions can be written to the log and read back`(_ regions: Set<SQLiteRegion>) {
        #expect(RegionText.decode(RegionText.encode(regions)) == regions)
    }

    @Test func `D6 rows and columns can be written to the log and read back`() {
        let change = SQLiteChangeSet(
            .otherProcess,
            [
                SQLiteRegion(table: "a", partition: "x"), SQLiteRegion(table: "a", partition: "y"), SQLiteRegion(table: "b c"),
                SQLiteRegion(table: "d"),
            ],
            [
                TableChange("a", [Int64.min, -1, 0, Int64.max], RegionColumns([0, 2, 70])), TableChange("b c", nil, RegionColumns([1])),
                TableChange("d", [], .all),
            ]
        )
        #expect(RegionText.change(RegionText.encode(change, RegionText.encode(change.regions))) == change)
        #expect(RegionText.decode(RegionText.encode(change, RegionText.encode(change.regions))) == change.regions)
    }

    @Test func `D6 a change with too many rows counts as a change of all rows`() {
        let tables = [TableChange("a", Array(1...40)), TableChange("b", Array(1...40)), TableChange("c", Array(1...24))]
        let change = SQLiteChangeSet(.otherProcess, Set(["a", "b", "c"].map { SQLiteRegion(table: $0) }), tables)
        let read = RegionText.change(RegionText.encode(change, RegionText.encode(change.regions)))
        #expect(read == SQLiteChangeSet(.otherProcess, change.regions, [tables[0], tables[2]]))
        #expect(RegionText.encode(SQLiteChangeSet(.local, [.everything], tables), "*") == "*")
    }

    /// The text of one row of table `a` in column 1, and the same in a format of the future, cut off, or damaged.
    @Test(
        arguments: [
            ("a\u{1E}\u{1D}1a\u{1F}2\u{1F}7", [TableChange("a", [7], RegionColumns([1]))]), ("a\u{1E}\u{1D}2a\u{1F}2\u{1F}7", []),
            ("a\u{1E}\u{1D}1a\u{1F}2", []), ("a\u{1E}\u{1D}1a\u{1F}2\u{1F}7,x", []), ("a\u{1E}\u{1D}1a\u{1F}-\u{1F}7", []),
            ("a\u{1E}\u{1D}", []),
        ] as [(String, [TableChange])]
    )
    func `D6 details that a process can't read leave the whole table changed`(_ text: String, _ tables: [TableChange]) {
        #expect(RegionText.change(text) == SQLiteChangeSet(.otherProcess, [SQLiteRegion(table: "a")], tables))
    }

    /// How a version of the library without details reads a text.
    @Test func `D6 a process that knows no details takes the tables of a newer process as changed`() {
        let change = SQLiteChangeSet(.local, [SQLiteRegion(table: "a")], [TableChange("a", [7], RegionColumns([1]))])
        let text = RegionText.encode(change, RegionText.encode(change.regions))
        let read = text.split(separator: "\u{1E}").map { part in
            guard let cut = part.firstIndex(of: "\u{1F}") else { return SQLiteRegion(table: String(part)) }
            return SQLiteRegion(table: String(part[..<cut]), partition: String(part[part.index(after: cut)...]))
        }
        #expect(read.contains(SQLiteRegion(table: "a")))
    }

    @Test(arguments: ["a\u{1F}b", "a\u{1E}b", "\u{1D}", "*"])
    func `D6 a name that the log can't store counts as everything`(_ name: String) {
        #expect(RegionText.decode(RegionText.encode([SQLiteRegion(table: name)])) == [.everything])
        #expect(RegionText.decode(RegionText.encode([SQLiteRegion(table: "t", partition: name)])) == [.everything])
    }
}

/// Changes are reported after a commit, and only then.
struct ChangeSetTests {
    private static let schema: StaticString = """
        CREATE TABLE a (id INTEGER PRIMARY KEY, v TEXT UNIQUE, day TEXT);
        CREATE TABLE b (id INTEGER PRIMARY KEY, a INTEGER REFERENCES a (id) ON DELETE CASCADE);
        CREATE TABLE w (k TEXT PRIMARY KEY, v) WITHOUT ROWID;
        CREATE TABLE log (t TEXT);
        CREATE TRIGGER reported AFTER INSERT ON w BEGIN INSERT INTO log VALUES (NEW.k); END;
        CREATE VIRTUAL TABLE f USING fts5(text);
        """

    /// The names of the regions that a write reports; a marker is written afterwards, so that the test notices if nothing is reported.
    private func reportedRegions(
        _ partitions: [SQLitePartition] = [],
        before: [SQL] = [],
        _ body: @escaping @Sendable (SQLiteWriteTransaction) throws -> Void
    ) async throws -> [String] {
        let database = try await SQLiteDatabase.make(.inMemory, Self.schema) { $0.partitions = partitions }
        for sql in before { try await database.execute(sql) }
        let received = Lock<[Set<SQLiteRegion>]>([])
        let subscription = database.core.feed.subscribe { change in received.withLock { $0.append(change.regions) } }
        defer { subscription.cancel() }
        try? await database.write(body)
        return received.withLock { $0 }.flatMap { $0.map(\.unredacted) }.sorted()
    }

    @Test(
        arguments: [
            ("INSERT INTO a (v) VALUES ('x')", ["a"]), ("REPLACE INTO a VALUES (1, 'q', 'd')", ["a", "b"]), ("DELETE FROM a", ["a", "b"]),
            ("INSERT INTO w VALUES ('k', 1)", ["log", "w"]), ("INSERT INTO f VALUES ('x')", ["f"]), ("UPDATE a SET v = 'y' WHERE 0", []),
            ("DELETE FROM a WHERE id = 99", []), ("SELECT * FROM a", []), ("CREATE TABLE n (x)", ["everything"]),
            ("INSERT INTO a (v) SELECT 'z' WHERE 0", []),
        ] as [(StaticString, [String])]
    )
    func `D5 the tables changed by a commit are reported`(_ sql: StaticString, _ regions: [String]) async throws {
        let sql = SQL(stringLiteral: sql)
        #expect(
            try await reportedRegions(before: ["INSERT INTO a (id, v) VALUES (1, 'old')", "INSERT INTO b VALUES (1, 1)"]) { db in
                _ = try db.execute(sql)
            } == regions
        )
    }

    @Test func `D5 a write that is rolled back reports nothing`() async throws {
        struct Undo: Error {}
        let regions = try await reportedRegions { db in
            try db.execute("INSERT INTO a (v) VALUES ('x')")
            throw Undo()
        }
        #expect(regions == [])
    }

    @Test func `D5 an empty write reports nothing`() async throws {
        #expect(try await reportedRegions { _ in } == [])
    }

    @Test func `D5 rows that are written and returned are reported`() async throws {
        #expect(try await reportedRegions { db in _ = try db.values(Int.self, "INSERT INTO a (v) VALUES ('x') RETURNING id") } == ["a"])
    }

    @Test func `D5 an insert that returns its key is reported, even if the statement was not read to its end`() async throws {
        #expect(try await reportedRegions { db in _ = try db.value(Int.self, "INSERT INTO a (v) VALUES ('x') RETURNING id") } == ["a"])
        let both = try await reportedRegions { db in
            _ = try db.value(Int.self, "INSERT INTO a (v) VALUES ('x') RETURNING id")
            try db.execute("UPDATE log SET t = 1 WHERE 0")
        }
        #expect(both == ["a"])
    }

    @Test func `D5 a change of an in-memory full-text table is reported by its name`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory, Self.schema)
        let reads = Lock<[SQLiteRegion]>([])
        database.core.observeReads(with: Notes(reads))
        var changes = database.changes.makeAsyncIterator()
        for _ in 1...3 {
            _ = try await database.count("SELECT count(*) FROM f WHERE f MATCH 'x'")
            try await database.execute("INSERT INTO f VALUES ('x')")
            #expect(await changes.next()?.regions == [SQLiteRegion(table: "f")])
        }
        #expect(Set(reads.withLock { $0 }).contains(.everything) == false)
    }

    @Test func `D5 a prepared statement reports its changes like any other`() async throws {
        let regions = try await reportedRegions { db in
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
    func `D5 the partitions changed by a commit are reported, including those that rows left`(_ sql: StaticString, _ regions: [String])
        async throws
    {
        let sql = SQL(stringLiteral: sql)
        let before: [SQL] = ["INSERT INTO a (id, v, day) VALUES (1, 'old', 'mon'), (2, 'older', 'sun')", "INSERT INTO b VALUES (1, 1)"]
        #expect(try await reportedRegions(Self.byDay, before: before) { db in _ = try db.execute(sql) } == regions)
    }

    @Test func `D5 many partitions are reported as the whole table`() async throws {
        let regions = try await reportedRegions(Self.byDay) { db in
            let insert = try db.prepare("INSERT INTO a (day) VALUES (?)")
            for day in 0...256 { try insert.run("\(day)") }
        }
        #expect(regions == ["a"])
    }

    @Test func `D5 the partitions of one write are not reported by the next`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory, Self.schema) { $0.partitions = Self.byDay }
        var changes = database.changes.makeAsyncIterator()
        try await database.execute("INSERT INTO a (day) VALUES ('mon')")
        try await database.execute("INSERT INTO a (day) VALUES ('tue')")
        #expect(await changes.next()?.regions == [SQLiteRegion(table: "a", partition: "mon")])
        #expect(await changes.next()?.regions == [SQLiteRegion(table: "a", partition: "tue")])
    }

    @Test func `D5 a table created later has partitions from then on`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory) { $0.partitions = [SQLitePartition(table: "late", column: "day")] }
        try await database.execute("CREATE TABLE late (day TEXT)")
        var changes = database.changes.makeAsyncIterator()
        try await database.execute("INSERT INTO late VALUES ('mon')")
        #expect(await changes.next()?.regions == [SQLiteRegion(table: "late", partition: "mon")])
    }

    @Test func `D5 a partition needs its column, and a claim needs a declared partition`() async throws {
        let error = await #expect(throws: SQLiteError.self) {
            try await SQLiteDatabase.make(.inMemory, "CREATE TABLE t (a)") { $0.partitions = [SQLitePartition(table: "t", column: "day")] }
        }
        #expect(
            error?.message
                == "The table t can't be partitioned: it has no column day. Declare another column, or add it in a migration."
        )
        let database = try await SQLiteDatabase.make(.inMemory, "CREATE TABLE t (a)")
        let reads = Lock<[SQLiteRegion]>([])
        database.core.observeReads(with: Notes(reads))
        await #expect(throws: SQLiteError.self) { try await database.count("SELECT count(*) FROM t WHERE a = \(partition: 1, of: "t")") }
    }

    private final class Notes: ReadObserver {
        let regions: Lock<[SQLiteRegion]>

        init(_ regions: Lock<[SQLiteRegion]>) { self.regions = regions }

        func note(_ list: RegionList, for run: SourceRun?) {
            let new = list.regions
            regions.withLock { $0 += new }
        }

        func outdate(_ regions: [SQLiteRegion], for run: SourceRun?) {}
    }

    @Test func `D5 a read notes its tables, or the partitions it claims`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory, Self.schema) { $0.partitions = Self.byDay }
        let reads = Lock<[SQLiteRegion]>([])
        database.core.observeReads(with: Notes(reads))
        _ = try await database.read { db in
            _ = try db.value(Int.self, "SELECT count(*) FROM a JOIN b WHERE day = \(partition: "mon", of: "a")")
            _ = try db.value(Int.self, "SELECT count(*) FROM b")
            _ = try db.value(Int.self, "SELECT count(*) FROM a")
        }
        #expect(reads.withLock { $0 }.map(\.unredacted) == ["b", "a/mon", "a"])
    }

    @Test func `D5 two claims of one table in a statement are both noted`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory, Self.schema) { $0.partitions = Self.byDay }
        let reads = Lock<[SQLiteRegion]>([])
        database.core.observeReads(with: Notes(reads))
        _ = try await database.count(
            "SELECT count(*) FROM a WHERE day = \(partition: "mon", of: "a") OR day = \(partition: "tue", of: "a")"
        )
        #expect(Set(reads.withLock { $0 }.map(\.unredacted)) == ["a/mon", "a/tue"])
    }

    @Test func `D5 a claim of an undeclared partition is refused even if no one observes reads`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory, Self.schema)
        let error = await #expect(throws: SQLiteError.self) {
            try await database.count("SELECT count(*) FROM a WHERE day = \(partition: "mon", of: "a")")
        }
        #expect(error?.code == .misuse)
        #expect(error?.message == "The table a declares no partition; see SQLiteDatabase.Configuration.partitions.")
    }

    @Test func `D5 a table created by another connection is reported as a whole`() async throws {
        let folder = try TemporaryFolder()
        let database = try await SQLiteDatabase.make(.file(folder.file())) {
            $0.partitions = [SQLitePartition(table: "late", column: "day")]
        }
        let other = try await SQLiteDatabase.make(.file(folder.file()))
        try await other.execute("CREATE TABLE late (day TEXT)")
        let received = Lock<[Set<SQLiteRegion>]>([])
        let subscription = database.core.feed.subscribe { change in
            if change.origin == .local { received.withLock { $0.append(change.regions) } }
        }
        try await database.execute("INSERT INTO late VALUES ('mon')")
        #expect(received.withLock { $0 } == [[SQLiteRegion(table: "late")]])
        subscription.cancel()
        await database.close()
        await other.close()
    }

    @Test func `D5 a column added by a migration can partition its table`() async throws {
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

    @Test func `D5 equal whole numbers belong to one partition, regardless of the column's type`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory, "CREATE TABLE t (n REAL)") {
            $0.partitions = [SQLitePartition(table: "t", column: "n")]
        }
        var changes = database.changes.makeAsyncIterator()
        try await database.execute("INSERT INTO t VALUES (20)")
        #expect(await changes.next()?.regions == [SQLiteRegion(table: "t", partition: "20")])
        let claim: SQL = "\(partition: 20, of: "t")"
        #expect(claim.partitions.first?.partitions == ["20"])
    }

    @Test(arguments: ["INTEGER", "REAL", "NUMERIC", "TEXT", "BLOB", "DATE"] as [SQL])
    func `D5 a claim includes each row that its value matches, also after SQLite has converted the value`(_ type: SQL) async throws {
        let database = try await SQLiteDatabase.make(.inMemory) { $0.partitions = [SQLitePartition(table: "t", column: "day")] }
        try await database.execute("CREATE TABLE t (day \(type))")
        let stored: [SQLiteValue] = [
            .integer(1), .integer(100), .real(0.5), .real(1e20), .text("1"), .text("1.0"), .text("1.0e+20"), .text("x1"),
        ]
        let claimed: [SQLiteValue] = [
            .text("1.0"), .text(" +01\n"), .text("1e2"), .text(".5"), .text("1e20"), .text("x1"), .text("0x1"), .text("inf"), .real(1),
            .real(1e20),
            .real(0.1 + 0.2), .integer(1),
        ]
        let reads = Lock<[SQLiteRegion]>([])
        database.core.observeReads(with: Notes(reads))
        let reported = Lock<Set<SQLiteRegion>>([])
        let subscription = database.core.feed.subscribe { change in reported.withLock { $0 = change.regions } }
        for value in stored + claimed {
            try await database.execute("DELETE FROM t")
            try await database.execute("INSERT INTO t VALUES (\(value))")
            let regions = reported.withLock { $0 }
            for claim in claimed {
                reads.withLock { $0 = [] }
                let count = try await database.count("SELECT count(*) FROM t WHERE day = \(partition: claim, of: "t")")
                let isClaimed = reads.withLock { $0 }.contains { read in regions.contains(where: read.overlaps) }
                #expect(count == 0 || isClaimed, "\(claim) claims \(reads.withLock { $0 }), and \(value) changes \(regions)")
            }
        }
        subscription.cancel()
    }

    @Test func `a loop over changes ends when its database is closed or deallocated`() async throws {
        var database: SQLiteDatabase? = try await SQLiteDatabase.make(.inMemory)
        var changes = database?.changes.makeAsyncIterator()
        database = nil
        #expect(await changes?.next() == nil)
        let closed = try await SQLiteDatabase.make(.inMemory)
        await closed.close()
        var late = closed.changes.makeAsyncIterator()
        #expect(await late.next() == nil)
    }

    @Test func `changes arrive in order and are merged when many are waiting`() async throws {
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

    @Test func `two readers of one mailbox each get a change, and neither waits forever`() async {
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
