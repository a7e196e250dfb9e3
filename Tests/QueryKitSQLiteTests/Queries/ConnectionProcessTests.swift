import Foundation
import QueryKit
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

struct ConnectionProcessTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `R18 D6 a commit of another process that keeps the log reruns exactly the requests that read the table`() async throws {
        let (here, there) = (try await Diary.open(.file(folder.file())), try await Diary.open(.file(folder.file())))
        let bench = DiaryBench(here)
        let watched = await bench.watch(.food, .monday, .tuesday, .notes)
        try await there.addEntry(on: "monday")
        await bench.wait(.monday) { $0.value == 1 && !$0.isFetching }
        #expect(bench.store(.monday).state.cause == .otherProcess)
        #expect(bench.store(.monday).state.cause.region == QueryRegion(source: "diary", name: "entries", partition: "monday", row: "1"))
        await bench.client.settled()
        #expect(bench.counts(.food, .monday, .tuesday, .notes) == [1, 2, 1, 1])
        for subscription in watched { subscription.cancel() }
    }

    @Test func `R18 D6 an own commit is not taken for one of another process`() async throws {
        let (here, there) = (try await Diary.open(.file(folder.file())), try await Diary.open(.file(folder.file())))
        let bench = DiaryBench(here)
        let watched = await bench.watch(.food, .notes)
        try await here.addFood()
        await bench.client.settled()
        try await there.addFood()
        await bench.wait(.food) { $0.value == 2 && !$0.isFetching }
        #expect(bench.counts(.food, .notes) == [3, 1])
        for subscription in watched { subscription.cancel() }
    }

    @Test func `R18 D6 a reader's client follows the writing process`() async throws {
        let diary = try await Diary.open(.file(folder.file()))
        let reader = try await SQLiteReader.open(folder.file(), migrations: Diary.migrations, configuration: Diary.configuration)
        let bench = TestBench { call in
            try await reader.read { db in
                call.id == 1
                    ? try db.value(Int.self, "SELECT count(*) FROM food") ?? 0 : try db.value(Int.self, "SELECT count(*) FROM notes") ?? 0
            }
        }
        bench.client.connect(to: reader)
        let (food, notes) = (bench.client.store(for: Number(1).ttl(.infinity)), bench.client.store(for: Number(2).ttl(.infinity)))
        let watched = [food.record(Recorder()), notes.record(Recorder())]
        await bench.client.settled()
        try await diary.addFood()
        for await isThere in food.select({ $0.value == 1 && !$0.isFetching }) where isThere { break }
        #expect(food.state.cause == .otherProcess)
        await bench.client.settled()
        #expect(bench.backend.fetched.sorted() == [1, 1, 2])
        for subscription in watched { subscription.cancel() }
    }

    #if os(macOS) || os(Linux)
        private static let tool = "/usr/bin/sqlite3"

        @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: tool), "The command line tool of SQLite is not installed."))
        func `R18 D6 a commit of a process that keeps no log reruns everything`() async throws {
            let bench = try await DiaryBench.make(.file(folder.file()))
            let watched = await bench.watch(.food, .monday, .notes)
            try await run(Self.tool, folder.file().path(percentEncoded: false), "INSERT INTO food DEFAULT VALUES")
            await bench.wait(.food) { $0.value == 1 && !$0.isFetching }
            #expect(bench.store(.food).state.cause == .otherProcess)
            #expect(bench.store(.food).state.cause.region == QueryRegion(source: "diary"))
            await bench.client.settled()
            #expect(bench.counts(.food, .monday, .notes) == [2, 2, 2])
            for subscription in watched { subscription.cancel() }
        }

        private func run(_ tool: String, _ arguments: String...) async throws {
            let process = Process()
            process.executableURL = URL(filePath: tool)
            process.arguments = arguments
            let (ends, end) = AsyncStream<Int32>.makeStream()
            process.terminationHandler = { end.yield($0.terminationStatus) }
            try process.run()
            for await status in ends {
                #expect(status == 0)
                break
            }
        }
    #endif
}
