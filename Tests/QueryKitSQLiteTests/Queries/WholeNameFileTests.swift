import Foundation
import QueryKit
import QueryKitSQLite
import QueryKitTesting
import TestSupport
import Testing

/// Files of one launch, read by the next.
struct WholeNameFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The value that a launch gets, and whether it was stored.
    private func launch(
        after seconds: Double,
        _ fetch: (QueryClient, SQLiteQueryCache) async throws -> (name: String, date: Date?)
    ) async throws -> String {
        let clock = ManualClock(date: Date(timeIntervalSince1970: 1_000_000_000 + seconds))
        let cache = try await SQLiteQueryCache.open(.file(folder.file()), clock: clock)
        var context = QueryContext()
        context.clock = clock
        let client = QueryClient(context: context, configuration: .isolated)
        let read = try await fetch(client, cache)
        await client.settled()
        await cache.close()
        return read.date == clock.date ? read.name : "stored \(read.name)"
    }

    private func foods(after seconds: Double) async throws -> String {
        try await launch(after: seconds) { client, cache in
            let request = Food.All().ttl(.infinity).persisted(in: cache)
            let name = try await client.fetch(request).map(\.name).joined()
            return (name, client.store(for: request).valueUpdatedAt)
        }
    }

    private func trips(after seconds: Double) async throws -> String {
        try await launch(after: seconds) { client, cache in
            let request = Trips.All().ttl(.infinity).persisted(in: cache)
            let name = try await client.fetch(request).map(\.name).joined()
            return (name, client.store(for: request).valueUpdatedAt)
        }
    }

    @Test func `R36 after a launch that cached foods in a file, trips with the same short name and path are fetched`() async throws {
        #expect(try await foods(after: 0) == "rice")
        #expect(try await trips(after: 1) == "Oslo")
        #expect(try await foods(after: 2) == "stored rice")
        #expect(try await trips(after: 3) == "stored Oslo")
    }

    @Test func `R36 a call in a journal file is made only by its own mutation`() async throws {
        let file = folder.file("calls")
        func launch(isOnline: Bool, _ work: (MutationBench) async throws -> Void) async throws {
            let journal = try await SQLiteMutationJournal.open(.file(file))
            let bench = MutationBench(journal: journal, isOnline: isOnline)
            try await work(bench)
            await bench.client.settled()
            bench.client.reset(session: "the process ends here")
            await bench.client.settled()
            await journal.close()
        }
        try await launch(isOnline: false) { bench in _ = try bench.client.submit(Trips.Add(), with: 5) }
        try await launch(isOnline: true) { bench in
            let (resumed, aside) = try await bench.client.resumeMutations(of: [Food.Add.self])
            #expect(resumed.isEmpty && aside.isEmpty)
            await bench.client.settled()
            #expect(bench.accounts.calls.isEmpty)
        }
        try await launch(isOnline: true) { bench in
            let (resumed, _) = try await bench.client.resumeMutations(of: [Food.Add.self, Trips.Add.self])
            #expect(resumed.count == 1)
            await bench.client.settled()
            #expect(bench.accounts.calls == [Change.Step(5, to: 2)])
        }
    }
}
