import Foundation
import QueryKit
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

/// A file that another program moves, deletes or replaces while a database has it open.
struct MovedFileTests {
    private let folder: WatchedFolder
    private let url: URL

    init() throws {
        folder = try WatchedFolder()
        url = URL(filePath: folder.path(of: "pantry.sqlite"))
    }

    private func open(_ change: (inout SQLiteDatabase.Configuration) -> Void = { _ in }) async throws -> SQLiteDatabase {
        var configuration = SQLiteDatabase.Configuration()
        change(&configuration)
        return try await SQLiteDatabase.open(.file(url), migrations: Pantry.migrations, configuration: configuration)
    }

    private func add(_ text: String, to database: SQLiteDatabase) async throws {
        try await database.execute("INSERT INTO notes (text) VALUES (\(text))")
    }

    private func texts(_ name: String) async throws -> [String] {
        let file = URL(filePath: folder.path(of: name))
        let database = try await SQLiteDatabase.open(.file(file), migrations: Pantry.migrations)
        #expect(database.report.outcome == .healthy)
        #expect(database.report.unacknowledged == [])
        #expect(try await database.integrityCheck() == [])
        let texts = try await database.read { db in try db.values(String.self, "SELECT text FROM notes ORDER BY rowid") }
        await database.close()
        return texts
    }

    /// Makes a file with one row. It is a single file without a log.
    private func makeOther(_ name: String = "other.sqlite") async throws -> Data {
        let file = URL(filePath: folder.path(of: name))
        let database = try await SQLiteDatabase.open(.file(file), migrations: Pantry.migrations)
        try await add("other", to: database)
        await database.close()
        return try Data(contentsOf: file)
    }

    /// Expects an error that says what to do.
    private func expectMoved<Result>(
        _ work: () async throws -> Result,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let error = await #expect(throws: SQLiteError.self, sourceLocation: sourceLocation) { _ = try await work() }
        #expect(
            error
                == SQLiteError(
                    .moved,
                    """
                    \(url.path) was moved, deleted or replaced while it was open. Put it back, or call reopen(), which opens the file that is \
                    there now.
                    """
                ),
            sourceLocation: sourceLocation
        )
    }

    /// Reads until a read notices the move.
    private func expectReadsToStop(_ read: () async throws -> Int?) async {
        let limit = ContinuousClock.now + .seconds(20)
        await expectMoved { while .now < limit { _ = try await read() } }
    }

    private static let notes: SQL = "SELECT count(*) FROM notes"

    @Test(arguments: [true, false])
    func `D9 nothing is written into a file that was moved over the open one, and no commit is lost`(_ isOldKept: Bool) async throws {
        let other = try await makeOther()
        let database = try await open()
        for number in 1...3 { try await add("mine \(number)", to: database) }
        if isOldKept { try folder.move("pantry.sqlite", to: "old.sqlite") }
        try folder.move("other.sqlite", to: "pantry.sqlite")
        await expectMoved { try await add("lost", to: database) }
        await expectMoved { try await database.checkpoint() }
        await expectMoved { try await database.vacuum() }
        await expectMoved { try await database.integrityCheck() }
        await expectMoved { try await database.backup(to: URL(filePath: folder.path(of: "copy.sqlite"))) }
        await expectMoved { try await database.acknowledgeRecoveries() }
        #expect(await database.repair(after: SQLiteError(.corrupt, "")) == false)
        // The connections for reading are opened only now.
        await expectMoved { try await database.count(Self.notes) }
        #expect(try Data(contentsOf: url) == other)
        await database.close()
        #expect(try Data(contentsOf: url) == other)
        let names = try Set(FileManager.default.contentsOfDirectory(atPath: folder.path))
        #expect(names == (isOldKept ? ["old.sqlite", "pantry.sqlite"] : ["pantry.sqlite"]))
        #expect(try await texts("pantry.sqlite") == ["other"])
        if isOldKept { #expect(try await texts("old.sqlite") == ["mine 1", "mine 2", "mine 3"]) }
    }

    @Test func `D9 reads stop when the file was replaced or deleted`() async throws {
        _ = try await makeOther()
        // Another connection would notice the move when it is opened.
        let database = try await open { $0.readerCount = 1 }
        #expect(try await database.count(Self.notes) == 0)
        let reader = try await SQLiteReader.open(url)
        #expect(try await reader.read { db in try db.value(Int.self, Self.notes) } == 0)
        try folder.remove("pantry.sqlite")
        await expectReadsToStop { try await database.count(Self.notes) }
        try folder.move("other.sqlite", to: "pantry.sqlite")
        await expectReadsToStop { try await database.count(Self.notes) }
        await expectReadsToStop { try await reader.read { db in try db.value(Int.self, Self.notes) } }
        try await reader.reopen()
        #expect(try await reader.read { db in try db.value(Int.self, Self.notes) } == 1)
        await reader.close()
        await database.close()
    }

    @Test(arguments: [false, true], [false, true])
    func `D9 a file that was moved away and back is used again without a report`(_ isReplaced: Bool, _ writes: Bool) async throws {
        _ = try await makeOther()
        let database = try await open()
        try await add("before", to: database)
        try folder.move("pantry.sqlite", to: "away.sqlite")
        if isReplaced { try folder.move("other.sqlite", to: "pantry.sqlite") }
        await expectMoved { try await add("lost", to: database) }
        if isReplaced { try folder.move("pantry.sqlite", to: "other.sqlite") }
        try folder.move("away.sqlite", to: "pantry.sqlite")
        if writes { try await add("after", to: database) }
        #expect(database.report.unacknowledged == [])
        await database.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["other.sqlite", "pantry.sqlite"])
        #expect(try await texts("pantry.sqlite") == (writes ? ["before", "after"] : ["before"]))
        #expect(try await texts("other.sqlite") == ["other"])
    }

    @Test func `D9 commits that a reader keeps in the log reach the moved file when the reader ends`() async throws {
        _ = try await makeOther()
        let database = try await open()
        try await add("mine 1", to: database)
        let gate = BlockingGate()
        let read = Task {
            try await database.read { db in
                _ = try db.value(Int.self, Self.notes)
                gate.pass()
            }
        }
        await gate.arrival()
        try await add("mine 2", to: database)
        try folder.move("pantry.sqlite", to: "old.sqlite")
        try folder.move("other.sqlite", to: "pantry.sqlite")
        await expectMoved { try await add("lost", to: database) }
        #expect(!Disk.exists(url.path + "-wal"))
        gate.open()
        try await read.value
        await database.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["old.sqlite", "pantry.sqlite"])
        #expect(try await texts("old.sqlite") == ["mine 1", "mine 2"])
        #expect(try await texts("pantry.sqlite") == ["other"])
    }

    @Test(arguments: [false, true])
    func `D9 a file that is put to an empty path later does not get the log`(_ isNoticed: Bool) async throws {
        let other = try await makeOther()
        let database = try await open()
        try await add("mine", to: database)
        try folder.move("pantry.sqlite", to: "away.sqlite")
        if isNoticed { await expectMoved { try await add("lost", to: database) } } else { await database.close() }
        for suffix in ["-wal", "-shm"] { #expect(!Disk.exists(url.path + suffix)) }
        try folder.move("other.sqlite", to: "pantry.sqlite")
        await database.close()
        #expect(try Data(contentsOf: url) == other)
        #expect(try await texts("pantry.sqlite") == ["other"])
        #expect(try await texts("away.sqlite") == ["mine"])
    }

    @Test func `D9 the commits in the log reach a file that was moved away`() async throws {
        let database = try await open()
        try await add("mine", to: database)
        try folder.move("pantry.sqlite", to: "away.sqlite")
        await database.close()
        #expect(try await texts("away.sqlite") == ["mine"])
    }

    @Test func `D9 a log that was moved over with its file stays unchanged, and reopen reads both`() async throws {
        let other = URL(filePath: folder.path(of: "other.sqlite"))
        let source = try await SQLiteDatabase.open(.file(other), migrations: Pantry.migrations)
        try await add("in the log", to: source)
        let database = try await open()
        try await add("mine", to: database)
        // As a backup tool restores the files of a process that was killed.
        for (name, suffix) in [("copy.sqlite", ""), ("copy.sqlite-wal", "-wal")] {
            try FileManager.default.copyItem(atPath: other.path + suffix, toPath: folder.path(of: name))
        }
        let log = try Data(contentsOf: URL(filePath: folder.path(of: "copy.sqlite-wal")))
        for suffix in ["", "-wal"] { try folder.move("copy.sqlite" + suffix, to: "pantry.sqlite" + suffix) }
        await expectMoved { try await add("lost", to: database) }
        #expect(try Data(contentsOf: URL(filePath: url.path + "-wal")) == log)
        try await database.reopen()
        #expect(database.report.outcome == .healthy)
        #expect(try await database.count("SELECT count(*) FROM notes WHERE text = 'in the log'") == 1)
        await database.close()
        await source.close()
        #expect(try await texts("pantry.sqlite") == ["in the log"])
    }

    @Test func `D9 reopen after file and log were replaced by a file without a log finds no damage`() async throws {
        _ = try await makeOther()
        let database = try await open()
        try await add("mine", to: database)
        try folder.remove("pantry.sqlite-wal")
        try folder.move("other.sqlite", to: "pantry.sqlite")
        await expectMoved { try await add("lost", to: database) }
        try await database.reopen()
        #expect(database.report.outcome == .healthy)
        await database.close()
        #expect(try await texts("pantry.sqlite") == ["other"])
    }

    // MARK: During a suspension

    @Test(arguments: [false, true])
    func `D9 a file that was replaced or deleted during a suspension is refused until reopen`(_ isDeleted: Bool) async throws {
        let other = try await makeOther()
        let database = try await open()
        try await add("mine", to: database)
        await database.suspend()
        try folder.move("pantry.sqlite", to: "old.sqlite")
        if !isDeleted { try folder.move("other.sqlite", to: "pantry.sqlite") }
        database.resume()
        await expectMoved { try await database.count(Self.notes) }
        await expectMoved { try await add("lost", to: database) }
        if isDeleted { #expect(!Disk.exists(url.path)) } else { #expect(try Data(contentsOf: url) == other) }
        try await database.reopen()
        try await add("new", to: database)
        await database.close()
        #expect(try await texts("pantry.sqlite") == (isDeleted ? ["new"] : ["other", "new"]))
        #expect(try await texts("old.sqlite") == ["mine"])
    }

    @Test func `D9 a file that another process has recovered during a suspension is used`() async throws {
        let database = try await open()
        try await add("mine", to: database)
        await database.suspend()
        let other = try await open()
        #expect(try await other.core.recover(from: SQLiteError(.corrupt, "Damaged."), in: Disk.inode(url.path)))
        await other.close()
        database.resume()
        #expect(try await database.count(Self.notes) == 1)
        try await add("new", to: database)
        #expect(try await database.count(Self.notes) == 2)
        await database.close()
    }

    // MARK: Reopening

    @Test func `D9 reopen opens the file that is there now, and reports a change of everything`() async throws {
        _ = try await makeOther()
        let database = try await open()
        try await add("mine", to: database)
        _ = try await database.count(Self.notes)
        let changes = Recorder<Set<SQLiteRegion>>()
        let subscription = database.core.feed.subscribe { changes.note($0.regions) }
        try folder.move("pantry.sqlite", to: "old.sqlite")
        try folder.move("other.sqlite", to: "pantry.sqlite")
        await expectMoved { try await add("lost", to: database) }
        async let second: Void = database.reopen()
        try await database.reopen()
        try await second
        #expect(changes.last == [.everything])
        #expect(database.report.outcome == .healthy)
        #expect(try await database.count(Self.notes) == 1)
        try await add("new", to: database)
        #expect(try await database.integrityCheck() == [])
        await database.close()
        #expect(try await texts("pantry.sqlite") == ["other", "new"])
        #expect(try await texts("old.sqlite") == ["mine"])
        subscription.cancel()
    }

    @Test func `D9 reopen after the file was deleted creates a file, and sets the log aside`() async throws {
        let database = try await open()
        try await add("mine", to: database)
        try folder.remove("pantry.sqlite")
        await expectMoved { try await add("lost", to: database) }
        await expectMoved { try await database.count(Self.notes) }
        try await database.reopen()
        guard case .quarantined(let kept) = database.report.outcome else {
            Issue.record("\(database.report.outcome)")
            return
        }
        #expect(Disk.size(kept.path + "-wal") ?? 0 > 0)
        try await add("new", to: database)
        #expect(try await database.count(Self.notes) == 1)
        await database.close()
    }

    @Test func `D9 if the file that is there now is refused, it stays unchanged and unused until reopen succeeds`() async throws {
        _ = try await makeOther()
        let database = try await open()
        try folder.remove("pantry.sqlite")
        let picture = Data(repeating: 7, count: 5_000)
        try picture.write(to: url)
        await #expect {
            try await database.reopen()
        } throws: {
            ($0 as? SQLiteError)?.code == .notADatabase
        }
        await expectMoved { try await add("lost", to: database) }
        await expectMoved { try await database.count(Self.notes) }
        #expect(try Data(contentsOf: url) == picture)
        try folder.move("other.sqlite", to: "pantry.sqlite")
        await expectMoved { try await add("lost", to: database) }
        try await database.reopen()
        try await add("new", to: database)
        await database.close()
        #expect(try await texts("pantry.sqlite") == ["other", "new"])
    }

    @Test func `D9 nothing is written by waiting jobs into a file that reopen refuses`() async throws {
        let newer = SQLiteMigrations(Pantry.migrations.steps + [SQLiteMigration("newer", "CREATE TABLE newer (id INTEGER PRIMARY KEY)")])
        let file = URL(filePath: folder.path(of: "newer.sqlite"))
        await (try SQLiteDatabase.open(.file(file), migrations: newer)).close()
        let before = try Data(contentsOf: file)
        let database = try await open()
        let gate = BlockingGate()
        let read = Task { try await database.read { _ in gate.pass() } }
        await gate.arrival()
        try folder.move("newer.sqlite", to: "pantry.sqlite")
        let reopened = Task { try await database.reopen() }
        while !database.core.lanes.isPaused { await Task.yield() }
        let write = Task { try await add("queued", to: database) }
        while database.core.lanes.waitingCount == 0 { await Task.yield() }
        gate.open()
        try await read.value
        await #expect {
            try await reopened.value
        } throws: {
            ($0 as? SQLiteError)?.code == .newerSchema
        }
        await expectMoved { try await write.value }
        await database.close()
        #expect(try Data(contentsOf: url) == before)
    }

    @Test func `D9 reopenings and recoveries run one after the other, and none ends the pause of another one`() async throws {
        let core = try await open().core
        let (first, later) = (BlockingGate(), BlockingGate())
        let begun = Task { try await core.exclusively { _ in first.pass() } }
        await first.arrival()
        let waiting = (1...2).map { _ in Task { try await core.exclusively { _ in later.pass() } } }
        while core.lanes.state.withLock({ $0.recoveryWaiters.count < 2 }) { await Task.yield() }
        first.open()
        try await begun.value
        for _ in waiting {
            await later.arrival()
            #expect(core.lanes.isPaused)
            #expect(core.separateWork.isPaused(for: .recovery))
            later.open()
        }
        for task in waiting { try await task.value }
        #expect(!core.lanes.isPaused)
        await core.close()
    }

    @Test func `D9 reopen waits for the end of a suspension, and fails after the database was closed`() async throws {
        let database = try await open()
        try await add("mine", to: database)
        await database.suspend()
        async let reopened: Void = database.reopen()
        while database.core.lanes.state.withLock({ $0.suspensionWaiters.isEmpty }) { await Task.yield() }
        database.resume()
        try await reopened
        #expect(try await database.count(Self.notes) == 1)
        await database.close()
        await #expect(throws: Lanes.closedError) { try await database.reopen() }
    }

    @Test func `D9 reopen leaves a database in memory as it is`() async throws {
        let database = try await SQLiteDatabase.open(.inMemory, migrations: Pantry.migrations)
        try await add("mine", to: database)
        try await database.reopen()
        #expect(try await database.count(Self.notes) == 1)
    }

    // MARK: Files that can't be read now

    @Test func `D9 a file that its user may not read is not damage, and nothing is set aside`() async throws {
        _ = try await makeOther("pantry.sqlite")
        for file in [url.path, folder.path] { try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: file) }
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: url.path)
        await #expect(processExitsWith: .success) { [path = url.path as String] in
            // The superuser may read everything.
            if geteuid() == 0 { try #require(setuid(65_534) == 0) }
            await #expect {
                try await SQLiteDatabase.open(.file(URL(filePath: path)), migrations: Pantry.migrations)
            } throws: { error in
                guard let error = error as? SQLiteError else { return false }
                return error.code == .cannotOpen && error.message.hasSuffix("Check that the file can be read and written.")
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["pantry.sqlite"])
    }

    @Test func `D9 a file that can't be written now is not damage although its permissions allow it`() async throws {
        _ = try await makeOther("pantry.sqlite")
        let opener = ConnectionOpener(location: ResolvedLocation(.file(url)), configuration: .init(), isReader: false)
        let connection = try Connection(path: url.path, settings: ConnectionSettings(mode: .readOnly))
        #expect(opener.readOnlyError(connection).code == .readOnly)
    }
}
