import Foundation
import QueryKit
import QueryKitTesting
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

struct SQLiteQueryCacheTests {
    private let folder: TemporaryFolder
    private let clock = ManualClock(date: CacheKind.day)

    init() throws { folder = try TemporaryFolder() }

    private func open(byteLimit: Int = 1_000_000, countLimit: Int = 1_000) async throws -> SQLiteQueryCache {
        try await SQLiteQueryCache.open(.file(folder.file()), byteLimit: byteLimit, countLimit: countLimit, clock: clock)
    }

    /// Reads or changes the file directly.
    @discardableResult
    private func inside<Result: Sendable>(_ body: @escaping @Sendable (SQLiteWriteTransaction) throws -> Result) async throws -> Result {
        let database = try await SQLiteDatabase.open(.file(folder.file()))
        let result = try await database.write(body)
        await database.close()
        return result
    }

    // MARK: Launches

    @Test func `R28 entries, their marks and the order of their use survive a relaunch`() async throws {
        let keys = (0..<4).map { CacheKind.key($0) }
        let first = try await open()
        for key in keys { try await first.set(CacheKind.entry(ttl: .seconds(100)), key: key) }
        try await first.invalidate(pattern: .path(["food", "entries", 1]))
        _ = try await first.get(key: keys[0])
        await first.close()

        let second = try await open(countLimit: 2)
        #expect(try await second.count == 2)
        #expect(try await second.present(keys) == [0, 3])
        try await second.set(CacheKind.entry(), key: keys[1])
        #expect(try await second.marked(keys) == [])
        await second.close()
        await #expect(throws: SQLiteError.self) { try await second.get(key: keys[0]) }
    }

    @Test func `R28 expired entries are removed when the cache is opened, and with any write`() async throws {
        let cache = try await open()
        try await cache.set(CacheKind.entry(ttl: .seconds(10)), key: CacheKind.key(1))
        try await cache.set(CacheKind.entry(ttl: .seconds(20)), key: CacheKind.key(2))
        clock.advance(by: .seconds(10))
        #expect(try await cache.count == 2)
        try await cache.remove(key: CacheKind.key(77))
        #expect(try await cache.count == 1)
        await cache.close()
        clock.advance(by: .seconds(10))
        #expect(try await open().count == 0)
    }

    @Test func `R28 a read does not write, and its use is recorded with the next write`() async throws {
        let cache = try await open(countLimit: 2)
        for id in 0..<2 { try await cache.set(CacheKind.entry(), key: CacheKind.key(id)) }
        let other = try await SQLiteDatabase.open(.file(folder.file()))
        let version = { try await other.read { db in try db.value(Int64.self, "PRAGMA data_version") } }
        let before = try await version()
        for _ in 0..<100 { _ = try await cache.get(key: CacheKind.key(0)) }
        #expect(try await version() == before)
        try await cache.set(CacheKind.entry(), key: CacheKind.key(2))
        #expect(try await cache.present((0..<3).map { CacheKind.key($0) }) == [0, 2])
        await other.close()
    }

    @Test func `R28 the totals match the table after any operations`() async throws {
        let cache = try await open(byteLimit: 8_000, countLimit: 20)
        for round in 0..<200 {
            try await cache.set(CacheKind.entry(round * 37 % 500), key: CacheKind.key(round * 13 % 31))
            if round % 7 == 0 { try await cache.remove(pattern: ["food", "entries", .value(round % 31)]) }
        }
        let (count, bytes) = (try await cache.count, try await cache.byteCount)
        await cache.close()
        let found = try await inside { db in
            try db.map("SELECT count(*), sum(bytes) FROM entries") { [try $0[0] as Int, try $0[1] as Int] }
        }
        #expect(found == [[count, bytes]])
        #expect(bytes <= 8_000 && count <= 20 && count > 1)
    }

    @Test func `R28 a pattern reads only the index range of paths with its prefix`() async throws {
        let cache = try await open()
        for id in 0..<3 {
            try await cache.set(CacheKind.entry(), key: CacheKind.key(id, "food/entries"))
            try await cache.set(CacheKind.entry(), key: CacheKind.key(id, "drink/entries"))
        }
        await cache.close()
        let condition = try #require(CacheSchema.condition(of: "food/*/1"))
        let plan = try await inside { db in
            try db.map("EXPLAIN QUERY PLAN SELECT DISTINCT path FROM entries WHERE \(condition)") { try $0["detail"] as String }
        }
        #expect(plan == ["SEARCH entries USING COVERING INDEX entries_path (path>? AND path<?)"])
        #expect(CacheSchema.condition(of: "food/*/1")?.values == [.text("food/"), .text("food0")])
        #expect(CacheSchema.condition(of: "food/1")?.values == [.text("food/1/")])
        #expect(CacheSchema.condition(of: "*/1") == nil)
    }

    // MARK: Unusable files

    @Test func `R28 an empty file becomes a cache`() async throws {
        try Data().write(to: folder.file())
        let cache = try await open()
        try await cache.set(CacheKind.entry(), key: CacheKind.key(1))
        #expect(try await cache.count == 1)
    }

    @Test(arguments: [10, 10_000], [true, false])
    func `R28 D9 a broken file or one that is not a database is refused and stays unchanged`(_ count: Int, _ isMagic: Bool) async throws {
        let data = Data((isMagic ? "SQLite format 3\0" : "").utf8) + Data(repeating: 7, count: count)
        try data.write(to: folder.file())
        let error = await #expect(throws: SQLiteError.self) { try await open() }
        #expect(
            error?.message
                == "\(folder.path()) is damaged or no database, and was left unchanged. Delete it if it is a cache; otherwise choose another file."
        )
        #expect(try Data(contentsOf: folder.file()) == data)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["test.sqlite"])
    }

    @Test func `R28 D9 a database made by another library is refused, and none of its bytes changes`() async throws {
        let connection = try Connection(
            path: folder.path(),
            settings: {
                var settings = ConnectionSettings(mode: .readWrite)
                settings.usesWriteAheadLog = false
                return settings
            }()
        )
        try connection.run("CREATE TABLE photos (name TEXT)")
        let data = try Data(contentsOf: folder.file())
        let refusal = SQLiteError(.misuse, "\(folder.path()) is a database, but not a cache. Use a separate file for the cache.")
        await #expect(throws: refusal) { try await open() }
        #expect(try Data(contentsOf: folder.file()) == data)
    }

    @Test func `R28 D9 a cache found damaged when it is opened is recreated`() async throws {
        let first = try await open()
        try await first.set(CacheKind.entry(), key: CacheKind.key(1))
        await first.close()
        let page = try Pantry.rootPage(of: "totals", in: folder.file())
        let handle = try FileHandle(forWritingTo: folder.file())
        try handle.seek(toOffset: UInt64((page - 1) * 4_096))
        try handle.write(contentsOf: Data(repeating: 0, count: 4_096))
        try handle.close()
        #expect(try await open().count == 0)
    }

    @Test func `R28 D9 a use number at the limit because of damage does not break eviction`() async throws {
        let first = try await open(countLimit: 3)
        for id in 0..<3 { try await first.set(CacheKind.entry(), key: CacheKind.key(id)) }
        await first.close()
        try await inside { db in try db.execute("UPDATE entries SET used = \(Int64.max) WHERE id = 1") }
        let cache = try await open(countLimit: 3)
        try await cache.set(CacheKind.entry(), key: CacheKind.key(3))
        #expect(try await cache.present((0..<4).map { CacheKind.key($0) }) == [0, 2, 3])
    }

    @Test func `R28 D9 a cache whose damage is found later is recreated without a failure`() async throws {
        let first = try await open()
        for id in 0..<200 { try await first.set(CacheKind.entry(1_000), key: CacheKind.key(id)) }
        await first.close()
        // Only the pages of the entries: opening the file reads the pages before them.
        let handle = try FileHandle(forWritingTo: folder.file())
        try handle.seek(toOffset: 20 * 4_096)
        try handle.write(contentsOf: Data(repeating: 0xa5, count: 200_000))
        try handle.close()
        let cache = try await open()
        #expect(try await cache.get(key: CacheKind.key(1)) == nil)
        try await cache.set(CacheKind.entry(), key: CacheKind.key(1))
        #expect(try await cache.present([CacheKind.key(1), CacheKind.key(2)]) == [0])
        await cache.close()
        #expect(try await open().count == 1)
    }

    @Test func `R28 D9 concurrent operations that find the damage recreate the cache once`() async throws {
        let cache = try await open()
        for id in 0..<200 { try await cache.set(CacheKind.entry(1_000), key: CacheKind.key(id)) }
        await cache.close()
        let file = try await CacheFile(.file(folder.file()))
        let seen = Recorder<ObjectIdentifier>()
        let gate = Gate()
        let failed = Lock<Set<ObjectIdentifier>>([])
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    _ = try? await file.perform { database in
                        let isFirst = failed.withLock { $0.isEmpty || $0.contains(ObjectIdentifier(database)) }
                        if isFirst {
                            failed.withLock { _ = $0.insert(ObjectIdentifier(database)) }
                            try await gate.pass()
                            throw SQLiteError(.corrupt, "The file is damaged.")
                        }
                        _ = try await database.write { db in try db.execute("DELETE FROM entries") }
                        seen.note(ObjectIdentifier(database))
                    }
                }
            }
            await gate.arrived(20)
            gate.open()
        }
        #expect(seen.count == 20)
        #expect(Set(seen.all).count == 1)
    }

    @Test func `R28 D9 a cache that another process has recreated continues with the new file`() async throws {
        let first = try await open()
        try await first.set(CacheKind.entry(), key: CacheKind.key(1))
        for path in ResolvedLocation.files(of: folder.path()).reversed() { try Disk.remove(path) }
        let second = try await open()
        try await second.set(CacheKind.entry(), key: CacheKind.key(2))
        try await first.set(CacheKind.entry(), key: CacheKind.key(3))
        let keys = (1...3).map { CacheKind.key($0) }
        for cache in [first, second] { #expect(try await cache.present(keys) == [1, 2]) }
        await first.close()
        await second.close()
    }

    @Test func `a cache closed while it is being recreated stays closed`() async throws {
        for _ in 0..<20 {
            let url = folder.file()
            let file = try await CacheFile(.file(url))
            let work = Task { try await file.perform { _ in throw SQLiteError(.corrupt, "") } }
            for _ in 0..<Int.random(in: 0...20) { await Task.yield() }
            await file.close()
            _ = await work.result
            // Another connection prevents the lock.
            try DamagedFile(url.path(percentEncoded: false)).lock(milliseconds: 0)
            for path in ResolvedLocation.files(of: url.path(percentEncoded: false)) { try? Disk.remove(path) }
        }
    }

    @Test func `R28 an unreadable entry is dropped, and the others are kept`() async throws {
        let first = try await open()
        for id in 0..<3 { try await first.set(CacheKind.entry(), key: CacheKind.key(id)) }
        await first.close()
        try await inside { db in
            // Not valid text, and no path.
            try db.execute("UPDATE entries SET path = CAST(x'666f6f642fff2f' AS TEXT) WHERE id = 1")
            try db.execute("UPDATE entries SET path = 'food/entries' WHERE id = 2")
        }
        let cache = try await open()
        try await cache.invalidate(pattern: "food/**")
        #expect(try await cache.count == 1)
        #expect(try await cache.marked((0..<3).map { CacheKind.key($0) }) == [2])
    }

    @Test func `R28 D8 a cache of a newer version is recreated`() async throws {
        let first = try await open()
        try await first.set(CacheKind.entry(), key: CacheKind.key(1))
        await first.close()
        try await inside { db in
            try db.execute("INSERT INTO querykit_migrations (name, checksum, date) VALUES ('from the future', 0, 0)")
        }
        let cache = try await open()
        #expect(try await cache.count == 0)
        try await cache.set(CacheKind.entry(), key: CacheKind.key(1))
        #expect(try await cache.count == 1)
    }

    @Test func `R28 D9 a database that is not a cache is refused and stays unchanged`() async throws {
        let database = try await SQLiteDatabase.open(
            .file(folder.file()),
            migrations: [SQLiteMigration("food", "CREATE TABLE food (name TEXT) STRICT; INSERT INTO food VALUES ('oat')")]
        )
        await database.close()
        await #expect(throws: SQLiteError.self) { try await open() }
        #expect(try await inside { db in try db.values(String.self, "SELECT name FROM food") } == ["oat"])
    }

    @Test func `R28 if there can be no file at the path, the error has the path`() async throws {
        let url = folder.file("missing/cache.sqlite")
        await #expect { try await SQLiteQueryCache.open(.file(url)) } throws: { error in
            (error as? SQLiteError)?.code == .cannotOpen && "\(error)".contains("missing")
        }
    }
}

/// The states shown by a request that is persisted in a file.
struct SQLitePersistedTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// One launch: a client, a monotonic clock and a cache, over the same file.
    private func launch(
        after seconds: Double = 0,
        session: String? = nil,
        _ work: (TestBench, any QueryRequest<Int, QueryState<Int?, Int>>) async throws -> Void
    ) async throws {
        let clock = ManualClock(date: CacheKind.day.addingTimeInterval(seconds))
        let cache = try await SQLiteQueryCache.open(.file(folder.file()), clock: clock)
        let bench = TestBench { _ in
            seconds == 0 ? 1 : 99
        } adjusting: { context in
            context.clock = clock
            context.session = session
            context.appVersion = "1.0"
        }
        try await work(bench, Number().ttl(.seconds(60)).persisted(in: cache))
        await bench.client.settled()
        await cache.close()
    }

    private func watch(_ bench: TestBench, _ request: any QueryRequest<Int, QueryState<Int?, Int>>) async -> [String] {
        func open(_ request: some QueryRequest<Int, QueryState<Int?, Int>>) async -> [String] {
            let seen = Recorder<String>()
            let subscription = bench.client.store(for: request).record(seen)
            await bench.client.settled()
            subscription.cancel()
            return seen.all
        }
        return await open(request)
    }

    @Test func `R28 R13 a value survives a relaunch with its real age`() async throws {
        try await launch { bench, request in #expect(await watch(bench, request) == ["idle", "loading", "1"]) }
        try await launch(after: 59) { bench, request in
            #expect(await watch(bench, request) == ["idle", "loading", "1"])
            #expect(bench.backend.count == 0)
        }
        try await launch(after: 60) { bench, request in
            #expect(await watch(bench, request) == ["idle", "loading", "1 fetching", "99"])
        }
    }

    @Test func `R28 R17 an invalidation survives a relaunch, and another session sees nothing`() async throws {
        try await launch(session: "a") { bench, request in _ = await watch(bench, request) }
        try await launch(after: 1, session: "b") { bench, request in
            #expect(await watch(bench, request) == ["idle", "loading", "99"])
            bench.client.invalidate("number/**")
        }
        try await launch(after: 2, session: "a") { bench, request in
            #expect(await watch(bench, request) == ["idle", "loading", "1 fetching invalidated", "99"])
        }
    }
}
