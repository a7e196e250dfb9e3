import QueryKit
import TestSupport
import Testing

struct NetworkModeTests {
    private let network = ManualNetworkObserver(isOnline: false)

    private func bench(_ behavior: @escaping Backend.Behavior = { $0.number }) -> TestBench {
        TestBench(network: network, behavior)
    }

    @Test func `R12 without a network the run is paused at once, and continues once when the network is back`() async {
        let bench = bench()
        let store = bench.client.store(for: Number())
        let seen = Recorder<String>()
        let subscription = store.record(seen)
        await bench.client.settled()
        #expect(store.isPaused && !store.isFetching && !store.isLoading)
        #expect(store.pauseReason == .offline)
        #expect(bench.backend.count == 0)
        network.set(isOnline: true)
        await bench.client.settled()
        #expect(bench.backend.count == 1)
        #expect(seen.all == ["idle", "idle paused", "loading", "1"])
        #expect(store.pauseReason == nil)
        subscription.cancel()
    }

    @Test func `R12 R27 a run that is paused and resumed sends one event for each, with its number`() async {
        let bench = bench()
        let events = bench.client.events
        let subscription = bench.client.store(for: Number()).record(Recorder())
        await bench.client.settled()
        network.set(isOnline: true)
        await bench.client.settled()
        var seen: [String] = []
        for await event in events {
            seen.append(event.description)
            if event.kind == .runSucceeded { break }
        }
        #expect(
            seen == [
                "runStarted number/1 (subscribed) #1", "runPaused number/1 (subscribed) #1", "runResumed number/1 (subscribed) #1",
                "runSucceeded number/1 (subscribed) #1 0 ns",
            ]
        )
        subscription.cancel()
    }

    @Test func `R12 an error is shown while the next run is paused, and disappears when that run continues`() async {
        network.set(isOnline: true)
        let bench = bench { call in
            if call.number == 1 { throw TestError() }
            return call.number
        }
        let store = bench.client.store(for: Number().retry(limit: 0))
        let seen = Recorder<String>()
        let subscription = store.record(seen)
        await bench.client.settled()
        network.set(isOnline: false)
        bench.client.refetch("**")
        await bench.client.settled()
        #expect(store.isPaused && store.error is TestError)
        network.set(isOnline: true)
        await bench.client.settled()
        #expect(seen.all == ["idle", "loading", "failed(broken) 1x", "failed(broken) paused", "loading", "2"])
        subscription.cancel()
    }

    @Test func `R12 a value stays visible while its refresh is paused`() async {
        let bench = bench()
        let store = bench.client.store(for: Number())
        store.setValue(5)
        let seen = Recorder<String>()
        let subscription = store.record(seen)
        await bench.client.settled()
        #expect(seen.all == ["5", "5 paused"])
        subscription.cancel()
        #expect(seen.all == ["5", "5 paused"])
        #expect(!store.isPaused)
    }

    @Test func `R12 requests with network mode always run without a network`() async throws {
        let bench = bench()
        #expect(try await bench.client.fetch(Number(1).networkMode(.always)) == 1)
    }

    @Test func `R12 the context of a single call can set network mode always`() async throws {
        let bench = bench()
        let store = bench.client.store(for: Number())
        var context = store.context
        context.networkMode = .always
        #expect(try await store.fetch(using: context) == 1)
        #expect(!store.isPaused)
    }

    @Test func `R12 offlineFirst makes one attempt and waits for the network before the next`() async {
        let bench = bench { call in
            if call.number == 1 { throw TestError() }
            return call.number
        }
        let store = bench.client.store(for: Number().networkMode(.offlineFirst).retry(limit: 3, backoff: .none))
        let subscription = store.record(Recorder())
        await bench.client.settled()
        #expect(bench.backend.count == 1)
        #expect(store.isPaused)
        network.set(isOnline: true)
        await bench.client.settled()
        #expect(bench.backend.count == 2)
        #expect(store.value == 2)
        subscription.cancel()
    }

    @Test func `R12 a caller cancelled while the run is paused returns, and the pause ends`() async {
        let bench = bench()
        let store = bench.client.store(for: Number())
        let caller = Task { try await store.fetch() }
        for await state in store.select(\.isPaused) where state { break }
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        await bench.client.settled()
        #expect(!store.isPaused)
        network.set(isOnline: true)
        await bench.client.settled()
        #expect(bench.backend.count == 0)
    }

    @Test func `R12 an invalidation while the run is paused causes no second run`() async {
        let bench = bench()
        let store = bench.client.store(for: Number().ttl(.infinity))
        let subscription = store.record(Recorder())
        await bench.client.settled()
        bench.client.invalidate("**")
        bench.client.invalidate("**")
        network.set(isOnline: true)
        await bench.client.settled()
        // No run had fetched anything that could be outdated.
        #expect(bench.backend.count == 1)
        #expect(!store.isStale)
        subscription.cancel()
    }

    @Test func `R12 a network that flickers before the run continues pauses it again without losing it`() async {
        let bench = bench()
        let store = bench.client.store(for: Number())
        let subscription = store.record(Recorder())
        await bench.client.settled()
        for _ in 0..<20 {
            network.set(isOnline: true)
            network.set(isOnline: false)
        }
        network.set(isOnline: true)
        await bench.client.settled()
        #expect(bench.backend.count == 1)
        #expect(store.value == 1)
        subscription.cancel()
    }

    @Test func `R26 a network error waits for the network and tries again, even if the caller allows no retry`() async throws {
        network.set(isOnline: true)
        let bench = bench { [network] call in
            if call.number == 1 {
                network.set(isOnline: false)
                throw QueryError(.networkUnavailable)
            }
            return call.number
        }
        let caller = Task { try await bench.client.fetch(Number()) }
        for await isPaused in bench.client.store(for: Number()).select(\.isPaused) where isPaused { break }
        #expect(bench.backend.count == 1)
        network.set(isOnline: true)
        #expect(try await caller.value == 2)
    }

    @Test func `R26 a network error while there is a network is an ordinary failure`() async {
        network.set(isOnline: true)
        let bench = bench { _ in throw QueryError(.networkUnavailable) }
        await #expect(throws: QueryError.self) { try await bench.client.fetch(Number()) }
        #expect(bench.backend.count == 1)
    }

    @Test func `R26 damaged data is repaired once, and the attempt is repeated`() async throws {
        let repairs = Recorder<String>()
        let damaged = TestBench { _ in throw QueryError(.databaseCorruption) }
        var context = damaged.client.context
        context.repair = { error, _ in
            repairs.note("\((error as? QueryError)?.code.description ?? "")")
            damaged.backend.behave { $0.number }
            return true
        }
        #expect(try await damaged.client.store(for: Number()).fetch(using: context) == 2)
        #expect(repairs.all == ["databaseCorruption"])
        damaged.backend.behave { _ in throw QueryError(.databaseCorruption) }
        context.repair = { _, _ in
            repairs.note("again")
            return true
        }
        await #expect(throws: QueryError.self) { try await damaged.client.store(for: Number()).fetch(using: context) }
        #expect(repairs.all == ["databaseCorruption", "again"])
        await #expect(throws: QueryError.self) { try await damaged.client.fetch(Number()) }
    }
}
