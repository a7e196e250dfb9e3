import Dispatch
import Foundation
import SQLiteTestSupport
import Testing

@testable import QueryKitSQLite

/// A watch, with the number of changes it has reported so far.
private struct WatchRecorder {
    private let watch: FileWatch
    private let changes: AsyncStream<Void>

    init?(_ path: String, onChange: @escaping @Sendable () -> Void = {}) {
        let (changes, reported) = AsyncStream.makeStream(of: Void.self)
        let report: @Sendable () -> Void = {
            reported.yield()
            onChange()
        }
        guard let watch = FileWatch(of: path, onClose: { reported.finish() }, onChange: report) else { return nil }
        self.watch = watch
        self.changes = changes
    }

    /// Waits until a change is reported.
    func next() async {
        var iterator = changes.makeAsyncIterator()
        await iterator.next()
    }

    /// Ends the watch, and returns how many of its reports were not awaited.
    func remainingCount() async -> Int {
        watch.cancel()
        return await changes.reduce(0) { count, _ in count + 1 }
    }
}

struct FileWatchTests {
    #if os(Linux)
        private static let files = ["food", "food-wal", "food-journal"]
    #else
        private static let files = ["food-wal"]
    #endif

    private let folder: WatchedFolder

    init() throws { folder = try WatchedFolder() }

    private func watch(_ onChange: @escaping @Sendable () -> Void = {}) throws -> WatchRecorder {
        try #require(WatchRecorder(folder.path(of: "food"), onChange: onChange))
    }

    @Test(arguments: files)
    func `D6 a write to a file of the database is reported`(_ name: String) async throws {
        try folder.make(name)
        let reported = try watch()
        for _ in 1...3 {
            try folder.write(name)
            await reported.next()
        }
        #expect(await reported.remainingCount() == 0)
    }

    @Test func `D6 writes to other files of the folder are not reported`() async throws {
        try folder.make("food-wal")
        try folder.make("food-wal2")
        let reported = try watch()
        // One wake-up may cover both writes, so one round alone would prove little.
        for round in 1...100 {
            try folder.write("food-wal2")
            try folder.make("other-\(round)-wal")
            try folder.write("food-wal")
            await reported.next()
        }
        #expect(await reported.remainingCount() == 0)
    }

    @Test func `D6 a log is reported when it is created, replaced or deleted, and each one is watched`() async throws {
        let reported = try watch()
        try folder.make("food-wal")
        await reported.next()
        try folder.write("food-wal")
        await reported.next()
        try folder.make("new")
        try folder.move("new", to: "food-wal")
        await reported.next()
        try folder.write("food-wal")
        await reported.next()
        try folder.remove("food-wal")
        await reported.next()
        try folder.make("food-wal")
        await reported.next()
        try folder.write("food-wal")
        await reported.next()
        #expect(await reported.remainingCount() == 0)
    }

    @Test func `D6 changes during a report are reported once`() async throws {
        try folder.make("food")
        try folder.make("food-wal")
        let (arrived, proceed) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
        let reported = try watch {
            arrived.continuation.yield()
            proceed.wait()
        }
        try folder.write("food-wal")
        var arrivals = arrived.stream.makeAsyncIterator()
        await arrivals.next()
        for _ in 1...50 {
            try folder.write("food-wal")
            try folder.write("food")
        }
        for _ in 1...200 { proceed.signal() }
        await reported.next()
        await reported.next()
        #expect(await reported.remainingCount() == 0)
    }

    @Test func `D6 nothing is reported after the end of the watch`() async throws {
        try folder.make("food-wal")
        let (closings, close) = AsyncStream.makeStream(of: Void.self)
        let (changes, change) = AsyncStream.makeStream(of: Void.self)
        let watch = FileWatch(of: folder.path(of: "food"), onClose: { close.yield() }, onChange: { change.yield() })
        try #require(watch != nil)
        watch?.cancel()
        watch?.cancel()
        var ended = closings.makeAsyncIterator()
        await ended.next()
        // Another watch reports the write, so this one had the time to do so.
        let other = try self.watch()
        try folder.write("food-wal")
        await other.next()
        change.finish()
        #expect(await changes.reduce(0) { count, _ in count + 1 } == 0)
        #expect(await other.remainingCount() == 0)
    }

    @Test func `D6 a deallocated watch closes its descriptors`() async throws {
        try folder.make("food-wal")
        let (closings, close) = AsyncStream.makeStream(of: Void.self)
        var watch = FileWatch(of: folder.path(of: "food"), onClose: { close.yield() }, onChange: {})
        #expect(watch != nil)
        #if os(Linux)
            #expect(try descriptors() == 1)
        #endif
        watch = nil
        var ended = closings.makeAsyncIterator()
        await ended.next()
        #if os(Linux)
            #expect(try descriptors() == 0)
        #endif
    }

    @Test func `D6 a watch outlives its folder`() async throws {
        try folder.make("food-wal")
        let reported = try watch()
        try folder.remove("food-wal")
        await reported.next()
        try FileManager.default.removeItem(atPath: folder.path)
        #expect(await reported.remainingCount() == 0)
    }

    @Test func `D6 without a folder there is no watch`() throws {
        try folder.make("file")
        #expect(WatchRecorder(folder.path(of: "missing/food")) == nil)
        #expect(WatchRecorder(folder.path(of: "file/food")) == nil)
    }

    @Test func `D6 a database opened through a link is watched where its log is`() async throws {
        let links = try WatchedFolder()
        try folder.make("food")
        try folder.make("food-wal")
        try FileManager.default.createSymbolicLink(atPath: links.path(of: "link"), withDestinationPath: folder.path(of: "food"))
        let reported = try #require(WatchRecorder(links.path(of: "link")))
        try folder.write("food-wal")
        await reported.next()
        #expect(await reported.remainingCount() == 0)
    }

    @Test(arguments: [
        ("/none/food.db", "/none/", "food.db"), ("food-that-is-not.db", "./", "food-that-is-not.db"), ("/none.db", "/", "none.db"),
        ("a/b/c d", "a/b/", "c d"),
    ])
    func `the location of a database that does not exist yet is known`(path: String, folder: String, name: String) {
        let location = FileWatch.Location(path)
        #expect(location.folder == folder)
        #expect(location.name == name)
        #expect(location.logName == name + "-wal")
    }
}

#if os(Linux)
    extension FileWatchTests {
        private static let queueLength =
            (try? String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8))
            .flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) } ?? .max

        /// How many of the process's descriptors watch the folder: "inotify wd:1 ino:12ab …" (proc(5)).
        private func descriptors() throws -> Int {
            let number = try #require(FileManager.default.attributesOfItem(atPath: folder.path)[.systemFileNumber] as? UInt64)
            let entry = "ino:\(String(number, radix: 16)) "
            return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fdinfo").count { name in
                let lines = try? String(contentsOfFile: "/proc/self/fdinfo/\(name)", encoding: .utf8).split(separator: "\n")
                return lines?.contains { $0.hasPrefix("inotify ") && $0.contains(entry) } ?? false
            }
        }

        @Test(.enabled(if: queueLength <= 100_000, "the system queues more events than a test can cause"))
        func `D6 if the system has lost events, a change is reported`() async throws {
            for name in ["food-wal", "a", "b"] { try folder.make(name) }
            let (arrived, proceed) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
            let reported = try watch {
                arrived.continuation.yield()
                proceed.wait()
            }
            try folder.write("food-wal")
            var arrivals = arrived.stream.makeAsyncIterator()
            await arrivals.next()
            // None of these events concerns the database. Two files, because consecutive equal events are merged.
            for _ in 0...Self.queueLength / 2 {
                try folder.write("a")
                try folder.write("b")
            }
            for _ in 1...2 { proceed.signal() }
            await reported.next()
            await reported.next()
            #expect(await reported.remainingCount() == 0)
        }
    }
#endif
