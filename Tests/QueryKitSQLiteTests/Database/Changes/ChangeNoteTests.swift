import QueryKit
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

/// Which regions a write reports in the less common cases.
struct ChangeNoteTests {
    private static let schema: StaticString = """
        CREATE TABLE a (id INTEGER PRIMARY KEY, v TEXT UNIQUE, day TEXT);
        CREATE TABLE b (v);
        CREATE TABLE once (k TEXT PRIMARY KEY ON CONFLICT REPLACE, day TEXT);
        CREATE VIEW seen AS SELECT v FROM a;
        CREATE VIRTUAL TABLE words USING fts5(text, content = '', columnsize = 0);
        """

    private struct Undo: Error {}

    private func make(
        _ location: SQLiteDatabase.Location = .inMemory,
        _ partitions: [SQLitePartition] = []
    ) async throws -> SQLiteDatabase {
        try await SQLiteDatabase.make(location, Self.schema) {
            $0.partitions = partitions
            $0.readerCount = 1
        }
    }

    /// The names of the regions that a write reports.
    private func reportedRegions(_ database: SQLiteDatabase, _ body: @escaping @Sendable (SQLiteWriteTransaction) throws -> Void)
        async throws
        -> [String]
    {
        let received = Lock<[Set<SQLiteRegion>]>([])
        let subscription = database.core.feed.subscribe { change in received.withLock { $0.append(change.regions) } }
        defer { subscription.cancel() }
        try await database.write(body)
        return received.withLock { $0 }.flatMap { $0.map(\.unredacted) }.sorted()
    }

    private func reportedRegions(_ database: SQLiteDatabase, _ sql: SQL...) async throws -> [String] {
        try await reportedRegions(database) { db in for sql in sql { try db.execute(sql) } }
    }

    @Test func `D5 in a file a temporary table belongs to the writer, and its changes are not reported`() async throws {
        let database = try await make(.temporary)
        #expect(try await reportedRegions(database, "CREATE TEMP TABLE scratch (x)", "INSERT INTO scratch VALUES (1)") == [])
        #expect(try await reportedRegions(database, "INSERT INTO b SELECT x FROM scratch") == ["b"])
    }

    @Test(arguments: ["CREATE VIRTUAL TABLE n USING fts5(x)", "DROP TABLE words", "CREATE VIEW n AS SELECT 1"] as [StaticString])
    func `D5 a change of a virtual table or view reports everything`(_ sql: StaticString) async throws {
        #expect(try await reportedRegions(try await make(), SQL(stringLiteral: sql)) == ["everything"])
    }

    @Test func `D5 a change of a virtual table is reported, even if that writes only at the end of the transaction`() async throws {
        // FTS5 does so if it stores neither content nor sizes.
        #expect(try await reportedRegions(try await make(), "INSERT INTO words (rowid, text) VALUES (1, 'oats')") == ["words"])
    }

    @Test func `D5 if the schema replaces rows, the whole table is reported`() async throws {
        let database = try await make(.inMemory, [SQLitePartition(table: "once", column: "day")])
        try await database.execute("INSERT INTO once VALUES ('k', 'mon')")
        #expect(try await reportedRegions(database, "INSERT INTO once VALUES ('k', 'tue')") == ["once"])
    }

    @Test func `D5 a trigger created later that replaces rows is taken into account`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory, "CREATE TABLE a (id INTEGER PRIMARY KEY, day TEXT); CREATE TABLE b (v)") {
            $0.partitions = [SQLitePartition(table: "a", column: "day")]
        }
        #expect(try await reportedRegions(database, "INSERT INTO a VALUES (1, 'mon')") == ["a/mon"])
        try await database.execute("CREATE TRIGGER replaces AFTER INSERT ON b BEGIN REPLACE INTO a VALUES (1, NEW.v); END")
        #expect(try await reportedRegions(database, "INSERT INTO b VALUES ('tue')") == ["a", "b"])
    }

    @Test func `D5 after a change of the schema statements report exactly what they now write`() async throws {
        let database = try await make()
        #expect(try await reportedRegions(database, "INSERT INTO a (day) VALUES ('mon')") == ["a"])
        try await database.execute("CREATE TRIGGER copies AFTER INSERT ON a BEGIN INSERT INTO b VALUES (NEW.day); END")
        #expect(try await reportedRegions(database, "INSERT INTO a (day) VALUES ('mon')") == ["a", "b"])
    }

    @Test func `D5 a statement that changed no row after one that did is not reported`() async throws {
        #expect(try await reportedRegions(try await make(), "INSERT INTO a (v) VALUES ('x')", "UPDATE b SET v = 1 WHERE 0") == ["a"])
    }

    @Test func `D5 a prepared statement is reported as soon as it changes a row`() async throws {
        let database = try await make()
        try await database.execute("INSERT INTO a (id) VALUES (1)")
        let regions = try await reportedRegions(database) { db in
            let update = try db.prepare("UPDATE a SET v = 'x' WHERE id = ?")
            for id in [99, 1] { try update.run(id) }
        }
        #expect(regions == ["a"])
    }

    // MARK: Schema changes by other processes

    private func twice(_ folder: TemporaryFolder) async throws -> (mine: SQLiteDatabase, other: SQLiteDatabase) {
        (try await make(.file(folder.file())), try await make(.file(folder.file())))
    }

    /// The regions reported by a write of one row, which may be undone.
    private func touched(_ database: SQLiteDatabase, isUndone: Bool = false) async throws -> Set<SQLiteRegion> {
        let regions = Lock<Set<SQLiteRegion>>([])
        do {
            try await database.write { db in
                try db.execute("INSERT INTO b VALUES (1)")
                let touched = db.change.regions
                regions.withLock { $0 = touched }
                if isUndone { throw Undo() }
            }
        } catch is Undo {}
        return regions.withLock { $0 }
    }

    @Test(arguments: [false, true])
    func `D5 a statement that writes more since another process changed the schema reports exactly what it writes`(
        _ isUndone: Bool
    ) async throws {
        let folder = try TemporaryFolder()
        let (mine, other) = try await twice(folder)
        #expect(try await touched(mine) == [SQLiteRegion(table: "b")])
        try await other.execute("CREATE TRIGGER copies AFTER INSERT ON b BEGIN INSERT INTO a (v) VALUES (NEW.v || random()); END")
        #expect(try await touched(mine, isUndone: isUndone) == [SQLiteRegion(table: "a"), SQLiteRegion(table: "b")])
        #expect(try await touched(mine) == [SQLiteRegion(table: "a"), SQLiteRegion(table: "b")])
        await mine.close()
        await other.close()
    }

    // MARK: Commits of calls with layers

    @Test func `R22 a read waits for a commit under way and knows whether it sees that commit`() async throws {
        let database = try await make()
        let (moments, gate) = (Lock<[ClosedRange<UInt64>]>([]), database.core.feed.commits)
        database.core.observeReads(with: Moments(moments: moments))
        #expect(gate.begin() == 1)
        async let count = database.read { db in try db.value(Int.self, "SELECT count(*) FROM a") }
        while !gate.isAwaited { await Task.yield() }
        #expect(moments.withLock { $0 }.isEmpty)
        gate.end()
        #expect(try await count == 0 && moments.withLock { $0 } == [1...1])
        await database.close()
    }

    @Test func `R22 a read whose snapshot falls into a commit takes another snapshot that includes it`() async throws {
        let folder = try TemporaryFolder()
        let database = try await make(.file(folder.file()))
        let (moments, gate) = (Lock<[ClosedRange<UInt64>]>([]), database.core.feed.commits)
        database.core.observeReads(with: Moments(moments: moments))
        let counts = try await database.read { db in
            _ = gate.begin()
            gate.end()
            let first = try db.value(Int.self, "SELECT count(*) FROM a")
            // Commits that begin from now on are not included, and the read knows that.
            _ = gate.begin()
            gate.end()
            return [first, try db.value(Int.self, "SELECT count(*) FROM a")]
        }
        #expect(counts == [0, 0] && moments.withLock { $0 } == [1...1])
        await database.close()
    }

    @Test func `R22 the first statement that reads a table takes the snapshot, and statements before it do not`() async throws {
        let folder = try TemporaryFolder()
        let database = try await make(.file(folder.file()))
        let (moments, gate) = (Lock<[ClosedRange<UInt64>]>([]), database.core.feed.commits)
        database.core.observeReads(with: Moments(moments: moments))
        try await database.read { db in
            _ = try db.value(Int.self, "SELECT 1")
            _ = gate.begin()
            gate.end()
            _ = try db.value(Int.self, "SELECT count(*) FROM a")
        }
        #expect(moments.withLock { $0 } == [1...1])
        await database.close()
    }

    @Test func `R22 decoding a first row takes the snapshot, and the following rows are from the same one`() async throws {
        struct Row: Decodable, Sendable { let v: String }
        let folder = try TemporaryFolder()
        let database = try await make(.file(folder.file()))
        try await database.write { db in _ = try db.execute("INSERT INTO b (v) VALUES ('before')") }
        let (moments, gate) = (Lock<[ClosedRange<UInt64>]>([]), database.core.feed.commits)
        database.core.observeReads(with: Moments(moments: moments))
        let count = try await database.read { db in
            _ = try db.decodeFirst(Row.self, "SELECT v FROM b")
            _ = gate.begin()
            gate.end()
            return try db.value(Int.self, "SELECT count(*) FROM b")
        }
        #expect(count == 1 && moments.withLock { $0 } == [0...0])
        await database.close()
    }

    private final class Moments: ReadObserver {
        private let moments: Lock<[ClosedRange<UInt64>]>

        init(moments: Lock<[ClosedRange<UInt64>]>) { self.moments = moments }

        func note(_ list: RegionList, for run: SourceRun?) {}

        func outdate(_ regions: [SQLiteRegion], for run: SourceRun?) {}

        func note(_ commits: ClosedRange<UInt64>, of gate: CommitGate, for run: SourceRun?) { moments.withLock { $0.append(commits) } }
    }

    private final class Notes: ReadObserver {
        let noted: Lock<[String]>
        let outdated: Lock<[String]>

        init(_ noted: Lock<[String]>, _ outdated: Lock<[String]>) {
            self.noted = noted
            self.outdated = outdated
        }

        func note(_ list: RegionList, for run: SourceRun?) {
            let names = list.regions.map(\.unredacted)
            noted.withLock { $0 += names }
        }

        func outdate(_ regions: [SQLiteRegion], for run: SourceRun?) { outdated.withLock { $0 += regions.map(\.unredacted) } }
    }

    @Test func `R18 a read through a recreated view counts as a read of what the new view reads`() async throws {
        let database = try await make(.temporary)
        let (noted, outdated) = (Lock<[String]>([]), Lock<[String]>([]))
        database.core.observeReads(with: Notes(noted, outdated))
        // Without the view itself, which some versions of SQLite include.
        @Sendable func reads() async throws -> Set<String> {
            noted.withLock { $0 = [] }
            _ = try await database.count("SELECT count(v) FROM seen")
            return Set(noted.withLock { $0 }).subtracting(["seen"])
        }
        #expect(try await reads() == ["a"])
        try await database.write { db in
            try db.execute("DROP VIEW seen")
            try db.execute("CREATE VIEW seen AS SELECT v FROM b")
        }
        #expect(try await reads() == ["b"])
    }

    @Test func `R18 a commit notified before it was registered as a reader's own still reaches that reader`() async throws {
        let database = try await make()
        let (noted, outdated) = (Lock<[String]>([]), Lock<[String]>([]))
        database.core.observeReads(with: Notes(noted, outdated))
        let feed = database.core.feed
        // Another commit happens while this one's handlers are called.
        let subscription = feed.subscribe { _ in feed.record(SQLiteChangeSet(.local, [SQLiteRegion(table: "a")])) }
        try await database.write { db in
            _ = try db.value(Int.self, "SELECT count(*) FROM a")
            try db.execute("INSERT INTO b VALUES (1)")
        }
        subscription.cancel()
        #expect(noted.withLock { $0 } == ["a"])
        #expect(outdated.withLock { $0 } == ["a"])
    }

    /// Distinguishes notes of regions alone from those with a snapshot.
    private final class BriefNotes: ReadObserver {
        let notes: Lock<[String]>
        let outdated: Lock<[String]>
        private let onBriefNote: @Sendable () -> Void

        init(_ notes: Lock<[String]>, _ outdated: Lock<[String]>, onBriefNote: @escaping @Sendable () -> Void = {}) {
            self.notes = notes
            self.outdated = outdated
            self.onBriefNote = onBriefNote
        }

        func note(_ list: RegionList, for run: SourceRun?) { notes.withLock { $0 += list.regions.map { "\($0)" } } }

        func note(_ list: RegionList, _ commits: ClosedRange<UInt64>, of gate: CommitGate, for run: SourceRun?) {
            notes.withLock { $0 += list.regions.map { "\($0) with snapshot" } }
            onBriefNote()
        }

        func outdate(_ regions: [SQLiteRegion], for run: SourceRun?) { outdated.withLock { $0 += regions.map(\.unredacted) } }
    }

    private func quick() async throws -> SQLiteDatabase {
        try await SQLiteDatabase.make(.temporary, "CREATE TABLE a (v INTEGER); CREATE TABLE b (v INTEGER)") {
            $0.callersThreads = CallersThreadLimiter(limit: 64)
            $0.callersThreadLimit = .milliseconds(50)
        }
    }

    @Test func `R18 a read on its caller's thread reports regions with its snapshot, and changes before that outdate it`() async throws {
        let database = try await quick()
        let (notes, outdated) = (Lock<[String]>([]), Lock<[String]>([]))
        let feed = database.core.feed
        database.core.observeReads(
            with: BriefNotes(notes, outdated) { feed.record(SQLiteChangeSet(.local, [SQLiteRegion(table: "a")])) }
        )
        var isHere = false
        for _ in 0..<50_000 where !isHere {
            notes.withLock { $0 = [] }
            isHere = try await database.read(isolation: nil) { db in
                _ = try db.value(Int.self, "SELECT count(*) FROM a")
                return withUnsafeCurrentTask { $0 != nil }
            }
        }
        #expect(notes.withLock { $0 } == ["a with snapshot"])
        #expect(outdated.withLock { $0 } == ["a"])
        await database.close()
    }

    @Test func `R18 a read on its caller's thread reports its regions if its first step fails`() async throws {
        let database = try await quick()
        let (notes, outdated) = (Lock<[String]>([]), Lock<[String]>([]))
        database.core.observeReads(with: BriefNotes(notes, outdated))
        let places = Recorder<Bool>()
        @Sendable func read(_ text: String) async throws {
            _ = try await database.read(isolation: nil) { db in
                places.note(withUnsafeCurrentTask { $0 != nil })
                return try db.value(Int.self, "SELECT json_extract(\(text), '$') + (SELECT count(*) FROM a)")
            }
        }
        for _ in 0..<50_000 where places.all.last != true {
            try await read("1")
            notes.withLock { $0 = [] }
            await #expect(throws: SQLiteError.self) { try await read("[") }
            #expect(notes.withLock { $0 } == ["a"])
        }
        #expect(places.all.last == true)
        await database.close()
    }

    @Test func `R18 repeated reads are reported once until the regions, the commits or the run change`() async throws {
        let feed = ChangeFeed { _ in }
        let tracking = ReadTracking(feed)
        let notes = Lock<[String]>([])
        let observer = BriefNotes(notes, Lock([]))
        let (a, b) = (RegionList([SQLiteRegion(table: "a")]), RegionList([SQLiteRegion(table: "b")]))
        func reports(_ list: RegionList) throws -> [String] {
            notes.withLock { $0 = [] }
            var reads: ObservedReads? = ObservedReads(observer: observer, run: SourceRun.current)
            try tracking.begin(&reads, mayWait: false)
            tracking.note(list)
            #expect(tracking.noteCertainSnapshot())
            #expect(tracking.end(&reads).isEmpty)
            return notes.withLock { $0 }
        }
        let (onA, onB) = (["a with snapshot"], ["b with snapshot"])
        _ = try await QueryReads.collecting {
            var seen = try [reports(a), reports(a)]
            #expect(seen == [onA, []])
            _ = feed.commits.begin()
            feed.commits.end()
            seen = try [reports(a), reports(a), reports(b), reports(a)]
            #expect(seen == [onA, [], onB, onA])
            seen = try await QueryReads.collecting { try [reports(a), reports(a)] }.result
            #expect(seen == [onA, []])
            seen = try [reports(a), reports(a)]
            #expect(seen == [onA, []])
        }
        // Without a run there is nothing by which to recognize the reader.
        for _ in 1...2 { #expect(try reports(a) == onA) }
    }

    @Test func `R18 a change during a repeated read outdates the run`() async throws {
        let feed = ChangeFeed { _ in }
        let tracking = ReadTracking(feed)
        let observer = BriefNotes(Lock([]), Lock([]))
        let list = RegionList([SQLiteRegion(table: "a")])
        _ = try await QueryReads.collecting {
            var reads: ObservedReads? = ObservedReads(observer: observer, run: SourceRun.current)
            for isChanged in [false, false, true, false] {
                try tracking.begin(&reads, mayWait: false)
                if isChanged { feed.record(SQLiteChangeSet(.local, [SQLiteRegion(table: "a")])) }
                tracking.note(list)
                #expect(tracking.noteCertainSnapshot())
                #expect(tracking.end(&reads) == (isChanged ? list.regions : []))
                #expect(reads != nil)
            }
        }
    }

    @Test func `R18 runs that read one after the other on the same connection all follow what they read`() async throws {
        let database = try await quick()
        let client = QueryClient()
        client.connect(to: database)
        let both = Set(["a", "b"].map { QueryRegion(source: database.name, name: $0) })
        @Sendable func read(_ sql: SQL) async throws -> Bool {
            try await database.read(isolation: nil) { db in
                _ = try db.value(Int.self, sql)
                return withUnsafeCurrentTask { $0 != nil }
            }
        }
        var quickRuns = 0
        for _ in 0..<50_000 where quickRuns < 3 {
            let (isQuick, regions) = try await QueryReads.collecting {
                let (isQuick, inner) = try await QueryReads.collecting {
                    let places = [
                        try await read("SELECT count(*) FROM a"), try await read("SELECT count(*) FROM b"),
                        try await read("SELECT count(*) FROM a"),
                    ]
                    return !places.contains(false)
                }
                #expect(inner == both)
                return isQuick
            }
            #expect(regions == both)
            quickRuns += isQuick ? 1 : 0
        }
        #expect(quickRuns == 3)
        await database.close()
    }

    @Test func `R18 a read on its caller's thread follows a view that was recreated since the previous read`() async throws {
        let database = try await quick()
        try await database.write { db in try db.execute("CREATE VIEW seen AS SELECT v FROM a") }
        /// Reads until the location is known to be quick, and returns what the last read has read.
        func reads(_ body: () async throws -> Void) async throws -> Set<String> {
            var names: Set<String> = []
            for _ in 0..<200 {
                let regions = try await QueryReads.collecting { try await body() }.regions
                names = Set(regions.compactMap(\.name)).subtracting(["seen"])
            }
            return names
        }
        @Sendable func sum() async throws -> Int? {
            try await database.read(isolation: nil) { db in try db.value(Int.self, "SELECT sum(v) FROM seen") }
        }
        try await database.write { db in
            try db.execute("INSERT INTO a VALUES (1)")
            try db.execute("INSERT INTO b VALUES (2)")
        }
        for (table, name, value): (SQL, String, Int) in [("a", "a", 1), ("b", "b", 2), ("a", "a", 1)] {
            try await database.write { db in
                try db.execute("DROP VIEW seen")
                try db.execute("CREATE VIEW seen AS SELECT v FROM \(table)")
            }
            // The first read after the change, and the quick ones that follow.
            let first = try await QueryReads.collecting { try await sum() }
            #expect(first.result == value)
            #expect(Set(first.regions.compactMap(\.name)).subtracting(["seen"]) == [name])
            #expect(try await reads { _ = try await sum() } == [name])
        }
        try await database.write { db in
            try db.execute("DROP VIEW seen")
            try db.execute("CREATE VIEW seen AS SELECT v FROM missing")
        }
        let failed = await QueryReads.collecting { await #expect(throws: SQLiteError.self) { try await sum() } }
        #expect(failed.regions.contains { $0.name == "missing" })
        await database.close()
    }

    @Test func `R18 a statement that SQLite prepares again at each execution counts as the same read each time`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory, "CREATE TABLE a (name TEXT)")
        let everything: Set = [QueryRegion(source: database.name)]
        for pattern in ["a*", "b*", "c*", "d*"] {
            // SQLite prepares a statement again if a pattern is bound, and the authorizer doesn't report on what this statement depends.
            let sql: SQL = "SELECT page_count FROM pragma_page_count, a WHERE name GLOB \(pattern)"
            let read = try await QueryReads.collecting { try await database.read { db in try db.value(Int.self, sql) } }
            #expect(read.regions.isSuperset(of: everything))
        }
        await database.close()
    }
}
