import Foundation
import QueryKit
import TestSupport
import Testing

/// The default network mode: the first attempt is made, and a failure without a network pauses the run.
struct OfflineFirstTests {
    private let network = ManualNetworkObserver(isOnline: false)

    /// A bench whose requests have the network mode of a plain context.
    private func bench(_ behavior: @escaping Backend.Behavior = { $0.number }) -> TestBench {
        TestBench(network: network, behavior) { $0.networkMode = QueryContext().networkMode }
    }

    /// Fails while there is no network.
    private func failing(with error: any Error) -> Backend.Behavior {
        { [network] call in
            if !network.isOnline { throw error }
            return call.number
        }
    }

    /// How a missing network shows: its own error, an error of URLSession, and errors that don't mention it.
    private static let failures: [any Error] = [
        QueryError(.networkUnavailable), URLError(.notConnectedToInternet), URLError(.timedOut), URLError(.cannotFindHost),
        QueryError(.timeout), TestError(),
    ]

    @Test func `R12 offlineFirst is the default network mode`() {
        #expect(QueryContext().networkMode == .offlineFirst)
    }

    @Test func `R12 a plain closure returns its value without a network`() async throws {
        let bench = bench()
        let store = bench.client.store(for: Number())
        let seen = Recorder<String>()
        let subscription = store.record(seen)
        await bench.client.settled()
        #expect(seen.all == ["idle", "loading", "1"])
        #expect(try await bench.client.fetch(Number(2)) == 2)
        subscription.cancel()
    }

    @Test(arguments: failures) func `R12 a failure without a network pauses the run, which continues once`(_ error: any Error) async {
        let bench = bench(failing(with: error))
        let store = bench.client.store(for: Number())
        let seen = Recorder<String>()
        let subscription = store.record(seen)
        await bench.client.settled()
        #expect(store.isPaused && !store.isFetching && store.pauseReason == .offline)
        bench.clock.advance(by: .seconds(3600))
        await bench.client.settled()
        #expect(bench.backend.count == 1)
        network.set(isOnline: true)
        await bench.client.settled()
        #expect(bench.backend.count == 2)
        #expect(seen.all == ["idle", "loading", "loading 1x", "idle paused 1x", "loading 1x", "2"])
        subscription.cancel()
    }

    @Test(arguments: failures) func `R12 a caller waits while the run is paused, even if it allows no retry`(_ error: any Error)
        async throws
    {
        let (attempts, attempt) = AsyncStream.makeStream(of: Void.self)
        let behavior = failing(with: error)
        let bench = bench { call in
            attempt.yield()
            return try await behavior(call)
        }
        let caller = Task { try await bench.client.fetch(Number()) }
        // Otherwise the observer below could begin a run of its own, which ends with it.
        for await _ in attempts { break }
        for await isPaused in bench.client.store(for: Number()).select(\.isPaused) where isPaused { break }
        network.set(isOnline: true)
        #expect(try await caller.value == 2)
    }

    @Test func `R12 a value stays visible while its refresh is paused`() async {
        let bench = bench(failing(with: TestError()))
        let store = bench.client.store(for: Number())
        store.setValue(5)
        let subscription = store.record(Recorder())
        await bench.client.settled()
        #expect(store.isPaused && store.value == 5 && store.error == nil)
        subscription.cancel()
        await bench.client.settled()
        #expect(!store.isPaused && store.value == 5)
    }

    @Test func `R12 a failure while there is a network is an ordinary failure`() async {
        network.set(isOnline: true)
        let bench = bench { _ in throw TestError() }
        await #expect(throws: TestError.self) { try await bench.client.fetch(Number()) }
        #expect(bench.backend.count == 1)
    }

    @Test func `R12 a network lost again before the next attempt pauses the run again without counting as a retry`() async throws {
        let bench = bench { [network] call in
            guard call.number < 4 else { return call.number }
            network.set(isOnline: false)
            throw TestError()
        }
        let store = bench.client.store(for: Number().retry(limit: 0))
        let subscription = store.record(Recorder())
        for attempts in 1...3 {
            await bench.client.settled()
            #expect(store.isPaused && store.failureCount == attempts && bench.backend.count == attempts)
            network.set(isOnline: true)
        }
        await bench.client.settled()
        #expect(store.value == 4)
        subscription.cancel()
    }

    @Test func `R12 R26 an error that no attempt can mend fails without a network too`() async {
        let bench = bench { _ in throw QueryError(.invalidParameters) }
        await #expect(throws: QueryError.self) { try await bench.client.fetch(Number()) }
        #expect(!bench.client.store(for: Number()).isPaused)
    }

    @Test(arguments: failures) func `R11 R12 an error that the request does not retry fails without a network too`(_ error: any Error) async
    {
        let bench = bench { _ in throw error }
        await #expect(throws: (any Error).self) {
            try await bench.client.fetch(Number().retry(limit: 3, when: { _ in false }))
        }
        #expect(bench.backend.count == 1)
        #expect(!bench.client.store(for: Number()).isPaused)
    }

    @Test func `R12 a caller cancelled while the run is paused returns, and the run ends`() async {
        let bench = bench(failing(with: TestError()))
        let store = bench.client.store(for: Number())
        let caller = Task { try await store.fetch() }
        for await isPaused in store.select(\.isPaused) where isPaused { break }
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        await bench.client.settled()
        #expect(!store.isPaused)
        network.set(isOnline: true)
        await bench.client.settled()
        #expect(bench.backend.count == 1)
    }

    @Test func `R12 a request with network mode online makes no attempt without a network`() async throws {
        let bench = bench()
        let store = bench.client.store(for: Number().networkMode(.online))
        let subscription = store.record(Recorder())
        await bench.client.settled()
        #expect(store.isPaused && bench.backend.count == 0)
        network.set(isOnline: true)
        await bench.client.settled()
        #expect(bench.backend.count == 1)
        subscription.cancel()
    }

    @Test(arguments: [QueryNetworkMode.always, .online])
    func `R12 in other network modes an error that doesn't mention the network is a failure`(_ mode: QueryNetworkMode) async {
        network.set(isOnline: true)
        let bench = bench { [network] _ in
            network.set(isOnline: false)
            throw TestError()
        }
        await #expect(throws: TestError.self) { try await bench.client.fetch(Number().networkMode(mode)) }
        #expect(!bench.client.store(for: Number()).isPaused)
    }

    @Test func `R12 a paused run with a reconnect trigger continues once on each reconnect`() async {
        let bench = bench(failing(with: TestError()))
        let store = bench.client.store(for: Number().refetch(on: .reconnect))
        let subscription = store.record(Recorder())
        for round in 1...20 {
            await bench.client.settled()
            #expect(store.isPaused && bench.backend.count == 2 * round - 1)
            network.set(isOnline: true)
            await bench.client.settled()
            bench.clock.advance(by: .seconds(1))
            await bench.client.settled()
            #expect(!store.isPaused && bench.backend.count == 2 * round)
            network.set(isOnline: false)
            store.invalidate()
        }
        subscription.cancel()
    }

    // MARK: Mutations

    @Test func `R12 R24 a call is attempted even without a network`() async throws {
        let bench = MutationBench(isOnline: false, mode: QueryContext().networkMode)
        #expect(try await bench.client.mutate(Change(), with: Change.Step(5)) == 5)
    }

    @Test(arguments: failures)
    func `R12 R24 a call that fails without a network is paused with its layers shown, and retried`(_ error: any Error) async throws {
        let bench = MutationBench(isOnline: false, mode: QueryContext().networkMode)
        bench.accounts.behave { [network = bench.network] _ in
            if !network.isOnline { throw error }
        }
        let store = bench.client.store(for: Number())
        store.setValue(1)
        try bench.changes.submit(Change.Step(5))
        await bench.wait { $0.isPaused }
        await bench.client.settled()
        #expect(bench.changes.isPaused && store.value == 6)
        #expect(bench.accounts.calls.count == 1)
        bench.network.set(isOnline: true)
        await bench.client.settled()
        #expect(bench.accounts[1] == 5 && !bench.changes.isPaused)
        #expect(bench.accounts.keys.count == 2 && Set(bench.accounts.keys).count == 1)
    }

    @Test func `R24 a paused call completes before waiting queries run again`() async throws {
        let order = Recorder<String>()
        let bench = MutationBench(isOnline: false, mode: QueryContext().networkMode)
        bench.accounts.behave { [network = bench.network] _ in
            if !network.isOnline { throw TestError() }
            order.note("mutate")
        }
        bench.backend.behave { [network = bench.network, accounts = bench.accounts] call in
            if !network.isOnline { throw TestError() }
            order.note("fetch")
            return accounts[call.id]
        }
        let subscription = bench.client.store(for: Number()).record(Recorder())
        try bench.changes.submit(Change.Step(5))
        await bench.client.settled()
        #expect(bench.client.store(for: Number()).isPaused && bench.changes.isPaused)
        bench.network.set(isOnline: true)
        await bench.client.settled()
        #expect(order.all.prefix(2) == ["mutate", "fetch"])
        #expect(bench.client.value(for: Number()) == 5)
        subscription.cancel()
    }
}
