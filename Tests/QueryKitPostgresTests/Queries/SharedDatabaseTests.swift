#if Postgres
import Foundation
import PostgresTestSupport
import QueryKit
import TestSupport
import Testing

@testable import QueryKitPostgres

/// A database that several clients, observers and sessions use, or that is closed under them.
@Suite(.enabled(if: PostgresServer.url != nil, "make test-postgres starts a server"), .timeLimit(.minutes(5)))
struct SharedDatabaseTests {
    @Test func `R18 a commit reaches every client of the database, and those that are left after one has gone`() async throws {
        let diary = try await PostgresDiary.open()
        let first = PostgresBench(diary)
        var second: PostgresBench? = PostgresBench(diary)
        weak var client: QueryClient?
        client = second?.client
        let watched = await first.watch(.food)
        var others = await second?.watch(.food) ?? []
        try await diary.addFood()
        await first.client.settled()
        await second?.client.settled()
        #expect(first.store(.food).value == 1 && second?.store(.food).value == 1)
        for subscription in others { subscription.cancel() }
        others = []
        second = nil
        while client != nil { await Task.yield() }
        try await diary.addFood()
        await first.client.settled()
        #expect(first.store(.food).value == 2 && first.count(.food) == 3)
        for subscription in watched { subscription.cancel() }
        await diary.database.close()
    }

    @Test func `R18 a client that connects after the last one has gone follows other processes`() async throws {
        let diary = try await PostgresDiary.open()
        let other = try await PostgresDiary.open(diary.scratch) { $0.isFollowed = false }
        var first: PostgresBench? = PostgresBench(diary)
        weak var client: QueryClient?
        client = first?.client
        for subscription in await first?.watch(.food) ?? [] { subscription.cancel() }
        first = nil
        while client != nil { await Task.yield() }
        // At this moment no client is connected, so the log is not read.
        try await other.addFood()
        let second = PostgresBench(diary)
        let watched = await second.watch(.food)
        try await other.addFood()
        await second.wait(.food, for: 2)
        for subscription in watched { subscription.cancel() }
        await other.database.close()
        await diary.database.close()
    }

    @Test func `R18 a log-out drops what the former session has read, and the next session follows its own reads`() async throws {
        let bench = try await PostgresBench.make()
        bench.client.reset(session: "ada")
        let watched = await bench.watch(.food)
        bench.client.reset(session: "ben")
        await bench.client.settled()
        let count = bench.count(.food)
        try await bench.diary.addFood()
        await bench.client.settled()
        #expect(bench.count(.food) == count + 1 && bench.store(.food).value == 1)
        for subscription in watched { subscription.cancel() }
        await bench.diary.database.close()
    }

    @Test func `R18 observers with other settings share the run that a commit causes`() async throws {
        let bench = try await PostgresBench.make()
        let query = PostgresDiary.Query.food.rawValue
        let requests = [
            bench.client.store(for: Number(query).ttl(.infinity)),
            bench.client.store(for: Number(query).ttl(.zero)),
            bench.client.store(for: Number(query).freshUntilChanged()),
        ]
        let watched = requests.map { $0.record(Recorder()) }
        await bench.client.settled()
        let count = bench.count(.food)
        try await bench.diary.addFood()
        await bench.client.settled()
        #expect(bench.count(.food) == count + 1)
        #expect(requests.allSatisfy { $0.value == 1 })
        for subscription in watched { subscription.cancel() }
        await bench.diary.database.close()
    }

    @Test func `R26 after the database was closed, requests fail with an error and keep their values`() async throws {
        let bench = try await PostgresBench.make()
        let watched = await bench.watch(.food)
        await bench.diary.database.close()
        let refetches = bench.store(.food).refetch()
        let failures = await refetches.finished()
        #expect(failures.count == 1)
        #expect(bench.store(.food).value == 0)
        for subscription in watched { subscription.cancel() }
    }
}
#endif
