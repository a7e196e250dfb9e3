import Dispatch
import Foundation
import QueryKit
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

extension SQLiteDatabase {
    /// Whether a read of some rows ran on its caller's thread: a lane's thread has no task.
    fileprivate func readsOnCallersThread(_ isolation: (any Actor)? = #isolation) async throws -> Bool {
        try await read(isolation: isolation) { db in
            _ = try db.values(Int.self, "SELECT 1")
            return withUnsafeCurrentTask { $0 != nil }
        }
    }

    /// Counts in SQL at one place in the source, which takes long for a large number. Returns for each start of the closure whether it was
    /// on the caller's thread.
    fileprivate func runsOnCallersThread(countingTo limit: Int, isolation: (any Actor)? = nil) async throws -> [Bool] {
        let flags = Recorder<Bool>()
        let count = try await read(isolation: isolation) { db in
            flags.note(withUnsafeCurrentTask { $0 != nil })
            return try db.value(Int.self, .count(to: limit))
        }
        #expect(count == limit)
        return flags.all
    }
}

extension SQL {
    fileprivate static func count(to limit: Int) -> SQL {
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(limit)) SELECT max(i) FROM n"
    }
}

private actor Plain {
    func reads(_ database: SQLiteDatabase) async throws -> Bool { try await database.readsOnCallersThread() }
}

/// An actor whose executor is the main actor's.
private actor OnMain {
    nonisolated var unownedExecutor: UnownedSerialExecutor { MainActor.sharedUnownedExecutor }

    func reads(_ database: SQLiteDatabase) async throws -> Bool { try await database.readsOnCallersThread() }
}

private struct Reading: QueryRequest {
    let database: SQLiteDatabase

    static func == (left: Reading, right: Reading) -> Bool { left.database === right.database }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(database)) }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Bool>) async throws -> Bool {
        try await database.readsOnCallersThread()
    }
}

struct CallersThreadTests {
    private func database(limit: Int = 64, readerCount: Int = 2) async throws -> SQLiteDatabase {
        try await SQLiteDatabase.make(.temporary) {
            $0.readerCount = readerCount
            $0.callersThreads = CallersThreadLimiter(limit: limit)
        }
    }

    /// Repeats reads until one runs on its caller's thread. After an interruption by a busy machine up to 8,192 must be quick on a lane.
    private func learn(_ read: () async throws -> Bool) async throws -> Bool {
        for _ in 0..<50_000 where try await read() { return true }
        return false
    }

    @Test func `D1 the first read at a place in the source uses a lane, and later ones run on their caller's thread`() async throws {
        let database = try await database()
        #expect(try await database.readsOnCallersThread(nil) == false)
        #expect(try await learn { try await database.readsOnCallersThread(nil) })
        await database.close()
    }

    @Test func `D1 reads in a fetch and in a task group run on their caller's thread`() async throws {
        let database = try await database()
        let client = QueryClient(configuration: .isolated)
        client.connect(to: database)
        #expect(try await learn { try await client.store(for: Reading(database: database)).fetch() })
        let all = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<64 { group.addTask { try await learn { try await database.readsOnCallersThread() } } }
            return try await group.reduce(true) { $0 && $1 }
        }
        #expect(all)
        await database.close()
    }

    @Test func `D1 no read runs on an actor's, the main or a background task's thread`() async throws {
        let database = try await database()
        #expect(try await learn { try await database.readsOnCallersThread(nil) })
        let (plain, onMain) = (Plain(), OnMain())
        for _ in 0..<50 {
            #expect(try await plain.reads(database) == false)
            #expect(try await onMain.reads(database) == false)
            #expect(try await Task { @MainActor in try await database.readsOnCallersThread() }.value == false)
        }
        // Awaiting the task would raise its priority.
        let flags = Recorder<Bool>()
        let inBackground = Task.detached(priority: .background) {
            for _ in 0..<50 { flags.note(try await database.readsOnCallersThread()) }
        }
        while flags.count < 50 { await Task.yield() }
        #expect(!flags.all.contains(true))
        try await inBackground.value
        await database.close()
    }

    @Test func `D1 if no thread may be blocked, all reads use lanes`() async throws {
        let turnedOff = try await SQLiteDatabase.make(.temporary) {
            $0.callersThreads = CallersThreadLimiter(limit: 64)
            $0.callersThreadLimit = .zero
        }
        for database in [try await database(limit: 0), turnedOff] {
            for _ in 0..<200 { #expect(try await database.readsOnCallersThread(nil) == false) }
            await database.close()
        }
    }

    @Test func `D1 a read that has to wait for a connection waits on a lane`() async throws {
        let database = try await database(readerCount: 1)
        #expect(try await learn { try await database.readsOnCallersThread(nil) })
        let (began, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let other = Task {
            try await database.read { _ in
                began.signal()
                goOn.wait()
            }
        }
        await onThread { began.wait() }
        let read = Task { try await database.readsOnCallersThread(nil) }
        while database.core.lanes.waitingCount == 0 { await Task.yield() }
        goOn.signal()
        #expect(try await read.value == false)
        try await other.value
        await database.close()
    }

    @Test func `D1 at a place that alternates short and long reads only the long ones use a lane`() async throws {
        let database = try await database()
        @Sendable func read(_ sql: SQL) async throws -> Bool {
            try await database.read { db in
                _ = try db.value(Int.self, sql)
                return withUnsafeCurrentTask { $0 != nil }
            }
        }
        var shortReadsHere = 0
        for _ in 0..<100 where shortReadsHere <= 20 {
            #expect(try await read(.count(to: 300_000)) == false)
            if try await learn({ try await read("SELECT 1") }) { shortReadsHere += 1 }
        }
        #expect(shortReadsHere > 20)
        await database.close()
    }

    @Test func `D1 a read that turns out to be long moves to a lane before its first row and starts over`() async throws {
        // Each connection knows the costs of its own statements.
        let database = try await database(readerCount: 1)
        var flags: [Bool] = []
        // On a busy machine the last quick read may have been slow.
        while flags.first != true {
            #expect(try await learn { try await database.runsOnCallersThread(countingTo: 5) == [true] })
            flags = try await database.runsOnCallersThread(countingTo: 1_000_000)
        }
        // A statement that was long before moves once more, to the lane for long ones.
        #expect(flags == [true, false] || flags == [true, false, false])
        // It must be quick on lanes before it is tried on the caller's thread again.
        var readsOnLanes = 0
        for _ in 0..<10 where try await database.runsOnCallersThread(countingTo: 5).last == false { readsOnLanes += 1 }
        // A busy machine may suspend a thread before its first statement; such a closure is not called again.
        #expect(readsOnLanes >= 8)
        await database.close()
    }

    @Test func `D1 a closure that catches the error of a move still returns its result`() async throws {
        let database = try await database()
        let caught = Recorder<SQLiteError>()
        @Sendable func read(_ limit: Int) async throws -> (value: Int?, isHere: Bool) {
            try await database.read { db in
                var value: Int?
                do {
                    value = try db.value(Int.self, .count(to: limit))
                } catch let error as SQLiteError {
                    caught.note(error)
                }
                return (value, withUnsafeCurrentTask { $0 != nil })
            }
        }
        // On a busy machine the last quick read may have been slow, and the next one then begins on a lane.
        while caught.count == 0 {
            #expect(try await learn { try await read(5).isHere })
            let (value, isHere) = try await read(1_000_000)
            #expect(value == 1_000_000)
            #expect(!isHere)
        }
        let move = SQLiteError(.interrupted, "The read stops here and starts again on another thread. You need not do anything.")
        #expect(Set(caught.all) == [move])
        await database.close()
    }

    @Test func `D1 a read of a cancelled task neither begins nor continues`() async throws {
        let database = try await database()
        #expect(try await learn { try await database.readsOnCallersThread(nil) })
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await database.readsOnCallersThread(nil)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        let closing = Task {
            try await database.read { db in
                _ = try db.values(Int.self, "SELECT 1")
                withUnsafeCurrentTask { $0?.cancel() }
                return try db.value(Int.self, .count(to: 100_000_000))
            }
        }
        // Both on the caller's thread and on a lane the read is stopped.
        closing.cancel()
        await #expect(throws: CancellationError.self) { try await closing.value }
        await database.close()
    }

    @Test func `D1 a statement's error on a caller's thread is the same as on a lane`() async throws {
        let database = try await database()
        @Sendable func read(_ text: String) async throws -> Int? {
            try await database.read { db in try db.value(Int.self, "SELECT json_extract(\(text), '$')") }
        }
        for _ in 0..<100 { #expect(try await read("7") == 7) }
        for _ in 0..<100 {
            let error = await #expect(throws: SQLiteError.self) { try await read("[") }
            #expect(error?.code == .error)
            #expect(try await read("7") == 7)
        }
        await database.close()
    }

    /// Writes a row, and returns for each start of the closure whether it was on the caller's thread.
    private func runsOnCallersThread(writingTo database: SQLiteDatabase, isolation: (any Actor)? = nil, preparing: Bool = false)
        async throws -> [Bool]
    {
        let flags = Recorder<Bool>()
        try await database.write(isolation: isolation) { db in
            flags.note(withUnsafeCurrentTask { $0 != nil })
            if preparing {
                try db.prepare("INSERT INTO t VALUES (?)").run(1)
            } else {
                try db.execute("INSERT INTO t VALUES (1)")
            }
        }
        return flags.all
    }

    private func writable(
        _ location: SQLiteDatabase.Location = .temporary,
        _ callersThreads: CallersThreadLimiter = CallersThreadLimiter(limit: 64)
    ) async throws -> SQLiteDatabase {
        try await SQLiteDatabase.make(location, "CREATE TABLE t (a INTEGER)") {
            $0.callersThreads = callersThreads
            $0.callersThreadLimit = .milliseconds(50)
            $0.busyTimeout = .seconds(600)
        }
    }

    @Test func `D4 a quick write runs once on its caller's thread, completely, and reports its change`() async throws {
        let database = try await writable()
        var changes = database.changes.makeAsyncIterator()
        var count = 0
        #expect(
            try await learn {
                count += 1
                return try await runsOnCallersThread(writingTo: database) == [true]
            }
        )
        #expect(try await database.count("SELECT count(*) FROM t") == count)
        for _ in 0..<count { #expect(await changes.next()?.regions == [SQLiteRegion(table: "t")]) }
        #expect(try await runsOnCallersThread(writingTo: database, isolation: Plain()) == [false])
        await database.close()
    }

    @Test func `D4 a write with a prepared statement runs on the database's thread`() async throws {
        let database = try await writable()
        #expect(try await learn { try await runsOnCallersThread(writingTo: database) == [true] })
        let before = try await database.count("SELECT count(*) FROM t") ?? 0
        #expect(try await runsOnCallersThread(writingTo: database, preparing: true).last == false)
        #expect(try await database.count("SELECT count(*) FROM t") == before + 1)
        await database.close()
    }

    @Test func `D4 a write waits for another process's lock on the database's thread`() async throws {
        let folder = try TemporaryFolder()
        let callersThreads = CallersThreadLimiter(limit: 1)
        let database = try await writable(.file(folder.file()), callersThreads)
        #expect(try await learn { try await runsOnCallersThread(writingTo: database) == [true] })
        let other = try Connection(path: folder.path(), settings: ConnectionSettings(mode: .readWrite))
        try other.run("BEGIN IMMEDIATE")
        let writes = (0..<2).map { _ in Task { try await runsOnCallersThread(writingTo: database) } }
        // One waits for the lock and the other for the first, and neither still tries on its caller's thread.
        while database.core.lanes.waitingCount == 0 || callersThreads.enter(nil, acceptsLast: false) == .refused { await Task.yield() }
        callersThreads.leave(after: 0)
        // Tasks of the cooperative pool still run.
        for number in 0..<8 { #expect(await Task { number }.value == number) }
        try other.run("COMMIT")
        for write in writes { #expect(try await write.value.last == false) }
        await database.close()
    }

    @Test func `D4 a write that throws on its caller's thread is undone`() async throws {
        struct Refused: Error {}
        let database = try await writable()
        #expect(try await learn { try await runsOnCallersThread(writingTo: database) == [true] })
        let before = try await database.count("SELECT count(*) FROM t")
        for _ in 0..<20 {
            await #expect(throws: Refused.self) {
                try await database.write(isolation: nil) { db in
                    try db.execute("INSERT INTO t VALUES (2)")
                    throw Refused()
                }
            }
        }
        #expect(try await database.count("SELECT count(*) FROM t") == before)
        await database.close()
    }

    @Test func `D1 after close reads fail on any thread, and reads under way end`() async throws {
        let database = try await database()
        #expect(try await learn { try await database.readsOnCallersThread(nil) })
        let reads = (0..<16).map { number in Task { try await database.runsOnCallersThread(countingTo: number % 2 == 0 ? 5 : 300_000) } }
        await database.close()
        for read in reads { _ = await read.result }
        let error = await #expect(throws: SQLiteError.self) { try await database.readsOnCallersThread(nil) }
        #expect(error?.code == .closed)
    }
}
