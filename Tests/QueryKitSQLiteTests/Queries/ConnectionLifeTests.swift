import Foundation
import QueryKit
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

struct ConnectionLifeTests {
    @Test func `R18 a database watches its file only while it has a client, and retains no client`() async throws {
        let diary = try await Diary.open()
        let feed = diary.database.core.feed
        weak var first: QueryClient?
        do {
            let clients = [DiaryBench(diary), DiaryBench(diary)]
            first = clients[0].client
            #expect(feed.handlerCount == 1)
            _ = try await clients[0].store(.food).fetch()
        }
        #expect(first == nil)
        #expect(feed.handlerCount == 0)
        // It starts again with the next client.
        let bench = DiaryBench(diary)
        #expect(feed.handlerCount == 1)
        let watched = await bench.watch(.food)
        try await diary.addFood()
        await bench.client.settled()
        #expect(bench.count(.food) == 2)
        for subscription in watched { subscription.cancel() }
    }

    @Test func `R18 connecting twice has the effect of connecting once`() async throws {
        let bench = try await DiaryBench.make()
        bench.client.connect(to: bench.diary.database)
        bench.client.connect(to: bench.diary.database.reader)
        #expect(bench.diary.database.core.feed.handlerCount == 1)
        let watched = await bench.watch(.food)
        try await bench.diary.addFood()
        await bench.client.settled()
        #expect(bench.count(.food) == 2)
        for subscription in watched { subscription.cancel() }
    }

    @Test func `R18 concurrent connects leave one handler`() async throws {
        let diary = try await Diary.open()
        let clients = (0..<50).map { _ in QueryClient(configuration: .isolated) }
        await withTaskGroup(of: Void.self) { group in
            for client in clients { group.addTask { client.connect(to: diary.database) } }
        }
        #expect(diary.database.core.feed.handlerCount == 1)
        withExtendedLifetime(clients) {}
    }

    @Test func `R18 each client of a database receives its commits`() async throws {
        let diary = try await Diary.open()
        let benches = [DiaryBench(diary), DiaryBench(diary), DiaryBench(diary, connects: false)]
        var watched: [QuerySubscription] = []
        for bench in benches { watched += await bench.watch(.food) }
        try await diary.addFood()
        for bench in benches { await bench.client.settled() }
        #expect(benches.map { $0.count(.food) } == [2, 2, 1])
        for subscription in watched { subscription.cancel() }
    }

    @Test func `R18 a client connected to two databases distinguishes their changes`() async throws {
        let (one, other) = (try await Diary.open(), try await SQLiteDatabase.open(.temporary, migrations: Diary.migrations))
        let bench = DiaryBench(one)
        bench.client.connect(to: other)
        let watched = await bench.watch(.food)
        try await other.write { db in try db.execute("INSERT INTO food DEFAULT VALUES") }
        await bench.client.settled()
        #expect(bench.count(.food) == 1)
        for subscription in watched { subscription.cancel() }
    }

    @Test func `R18 a database in memory reports its commits too`() async throws {
        let bench = try await DiaryBench.make(.inMemory)
        let watched = await bench.watch(.food, .both)
        try await bench.diary.addFood()
        await bench.client.settled()
        #expect(bench.store(.food).value == 1 && bench.store(.both).value == 1)
        for subscription in watched { subscription.cancel() }
    }
}
