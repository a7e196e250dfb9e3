import Foundation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

private struct MortalRequest: QueryRequest {
    enum Source: QueryContext.Key {
        static let defaultValue: @Sendable (QueryContinuation<Mortal>) async throws -> Mortal = { _ in Mortal() }
    }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Mortal>) async throws -> Mortal {
        try await context[Source.self](continuation)
    }
}

@Suite(.timeLimit(.minutes(5))) struct StoreEdgeTests {
    private let gate = Gate()

    private func gatedBench() -> TestBench {
        TestBench { [gate] call in
            if call.number == 1 { try await gate.pass() }
            return call.number
        }
    }

    @Test func `a value that ends may use its store, also one that a trailing run makes room for`() async {
        let gate = self.gate
        let holder = Lock<QueryStore<QueryState<Mortal?, Mortal>>?>(nil)
        let ends = Recorder<Bool>()
        let isFirst = Lock(true)
        var context = QueryContext()
        context[MortalRequest.Source.self] = { continuation in
            let first = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if first {
                // With the store's lock held this would never return.
                continuation.yield(Mortal { ends.note(holder.withLock { $0 }?.isFetching ?? false) })
                try await gate.pass()
            }
            return Mortal()
        }
        let client = QueryClient(context: context, configuration: .isolated)
        let store = client.store(for: MortalRequest())
        holder.withLock { $0 = store }
        let subscription = store.subscribe(with: QueryEventHandler())
        await gate.arrived()
        store.invalidate()
        gate.open()
        await client.settled()
        #expect(ends.count == 1)
        subscription.cancel()
        holder.withLock { $0 = nil }
    }

    /// A store of mortal values, and a note of each that ended, for which it had to look at the store: with the lock held it would never return.
    private func mortals(
        _ fetch: @escaping @Sendable (QueryContinuation<Mortal>) async throws -> Mortal = { _ in Mortal() }
    ) -> (client: QueryClient, store: QueryStore<QueryState<Mortal?, Mortal>>, ends: Recorder<Bool>, mortal: @Sendable () -> Mortal) {
        var context = QueryContext()
        context[MortalRequest.Source.self] = fetch
        let client = QueryClient(context: context, configuration: .isolated)
        let store = client.store(for: MortalRequest())
        let ends = Recorder<Bool>()
        return (client, store, ends, { Mortal { [weak core = store.core] in ends.note(core?.isFetching ?? false) } })
    }

    @Test func `R22 what a layer holds may use the store when it ends, however the layer goes`() async throws {
        typealias Store = QueryStore<QueryState<Mortal?, Mortal>>
        let ways: [@Sendable (Store, UUID) async throws -> Void] = [
            // A run lands, or the layers become part of the base, or they are taken away.
            { store, owner in
                store.core.landLayers(of: owner)
                _ = try await store.fetch()
            },
            { store, owner in
                store.core.landLayers(of: owner)
                store.core.finishLayers(of: owner)
            },
            { store, owner in store.core.removeLayers(of: [owner]) },
            { store, _ in store.core.renew() },
        ]
        for way in ways {
            let (client, store, ends, mortal) = mortals()
            store.setValue(Mortal())
            let owner = UUID()
            store.addLayer(of: owner) { [mortal = mortal()] _ in withExtendedLifetime(mortal) {} }
            #expect(ends.count == 0)
            try await way(store, owner)
            await client.settled()
            #expect(ends.count == 1)
        }
    }

    @Test func `R22 a value beneath layers may use the store when it ends, however another takes its place`() async throws {
        typealias Store = QueryStore<QueryState<Mortal?, Mortal>>
        let ways: [@Sendable (Store) async throws -> Void] = [
            { $0.setValue(Mortal()) },
            { $0.updateValue { $0 = Mortal() } },
            { _ = try await $0.fetch() },
            { $0.reset() },
            { $0.core.renew() },
        ]
        for way in ways {
            let (client, store, ends, mortal) = mortals()
            store.setValue(mortal())
            store.addLayer(of: UUID()) { $0 = Mortal() }
            #expect(ends.count == 0)
            try await way(store)
            await client.settled()
            #expect(ends.count == 1)
        }
    }

    @Test func `R22 R7 a value that a cancelled run had brought beneath layers may use the store when it ends`() async {
        let gate = self.gate
        let ends = Recorder<Bool>()
        let holder = Lock<QueryStore<QueryState<Mortal?, Mortal>>?>(nil)
        let (client, store, _, _) = mortals { continuation in
            continuation.yield(Mortal { ends.note(holder.withLock { $0 }?.isFetching ?? false) })
            try await gate.pass()
            return Mortal()
        }
        holder.withLock { $0 = store }
        store.setValue(Mortal())
        store.addLayer(of: UUID()) { $0 = Mortal() }
        let caller = Task { try await store.fetch() }
        await gate.arrived()
        #expect(ends.count == 0)
        store.cancel()
        _ = await caller.result
        await client.settled()
        #expect(ends.count == 1)
        holder.withLock { $0 = nil }
    }

    @Test func `updateValue begins again when something was written meanwhile, even over a reset`() {
        let store = gatedBench().client.store(for: Number())
        store.setValue(1)
        let rounds = Recorder<Int>()
        store.updateValue { value in
            rounds.note(value)
            if rounds.count == 1 {
                store.reset()
                store.setValue(10)
            }
            value += 1
        }
        #expect(rounds.all == [1, 10])
        #expect(store.value == 11)
    }

    @Test func `an old value from elsewhere does not displace the run under way`() async {
        let bench = gatedBench()
        let store = bench.client.store(for: Number().ttl(.seconds(60)))
        let seen = Recorder<String>()
        let subscription = store.record(seen)
        await gate.arrived()
        _ = bench.client.store(for: Number(), initialValue: 99, updatedAt: bench.clock.date.addingTimeInterval(-1000))
        gate.open()
        await bench.client.settled()
        #expect(seen.all == ["idle", "loading", "99 fetching", "1"])
        #expect(bench.backend.count == 1)
        subscription.cancel()
    }

    @Test func `an old value from elsewhere stays when the run is cancelled`() async {
        let bench = gatedBench()
        let store = bench.client.store(for: Number())
        let task = Task { try await store.fetch() }
        await gate.arrived()
        _ = bench.client.store(for: Number(), initialValue: 99, updatedAt: bench.clock.date)
        task.cancel()
        _ = await task.result
        #expect(Glance(store.state).description == "99")
    }

    @Test func `R13 a value is dated by the client's clock, whatever clock the call had`() async throws {
        let bench = TestBench()
        let store = bench.client.store(for: Number().ttl(.seconds(60)))
        var context = QueryContext()
        context.backend = bench.backend
        _ = try await store.fetch(using: context)
        #expect(!store.isStale)
        bench.clock.advance(by: .seconds(60))
        #expect(store.isStale)
    }

    @Test func `R4 a handler that cancels its subscription hears nothing more of the same change`() async throws {
        let store = TestBench().client.store(for: Number().enabled(false))
        let heard = Recorder<String>()
        let holder = Lock<QuerySubscription?>(nil)
        let subscription = store.subscribe(
            with: QueryEventHandler(
                onStateChanged: { _, _ in heard.note("state") },
                onFetchingStarted: { _ in
                    heard.note("started")
                    holder.withLock { $0 }?.cancel()
                }
            )
        )
        holder.withLock { $0 = subscription }
        _ = try await store.fetch()
        #expect(heard.all == ["state", "started"])
        holder.withLock { $0 = nil }
    }

    @Test func `R4 who subscribes inside a handler does not hear again what it began with`() {
        let store = TestBench().client.store(for: Number().enabled(false))
        let heard = Recorder<Int>()
        let inner = Recorder<QuerySubscription>()
        let outer = store.subscribe(
            with: QueryEventHandler { state, _ in
                guard state.value == 1 else { return }
                store.setValue(2)
                inner.note(store.subscribe(with: QueryEventHandler { state, _ in heard.note(state.value ?? 0) }))
            }
        )
        store.setValue(1)
        #expect(heard.all == [2])
        outer.cancel()
        _ = inner.take()
    }

    @Test func `R26 an attempt whose time is up is cancelled`() async {
        let cancelled = Gate(ignoresCancellation: true)
        let bench = TestBench { [gate] _ in
            do { try await gate.pass() } catch { try await cancelled.pass() }
            return 1
        }
        let task = Task { try await bench.client.fetch(Number().timeout(.seconds(1))) }
        await gate.arrived()
        bench.clock.advance(by: .seconds(1))
        await #expect(throws: QueryError.self) { try await task.value }
        await cancelled.arrived()
        cancelled.open()
    }

    @Test(arguments: [Duration.zero, .seconds(-1)]) func `R26 no time at all fails at once`(_ timeout: Duration) async {
        let bench = TestBench()
        await #expect(throws: QueryError.self) { try await bench.client.fetch(Number().timeout(timeout)) }
        #expect(bench.backend.count == 0)
    }

    @Test func `an infinite time limit, or many that were not needed, leave no deadlines behind`() async throws {
        let bench = TestBench()
        let endless = bench.client.store(for: Number(1).timeout(.infinity).keep(for: .infinity))
        let long = bench.client.store(for: Number(2).timeout(.seconds(3600)).keep(for: .infinity))
        for _ in 0..<500 {
            _ = try await endless.fetch()
            _ = try await long.fetch()
        }
        #expect(bench.client.core.deadlineCount < 200)
    }

    @Test func `R7 a caller of a private fetch that ignores cancellation returns at once all the same`() async {
        let stubborn = Gate(ignoresCancellation: true)
        let bench = TestBench { call in
            try await stubborn.pass()
            return call.number
        }
        let store = bench.client.store(for: Number().deduplicated(false))
        let task = Task { try await store.fetch() }
        await stubborn.arrived()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(!store.isFetching)
        stubborn.open()
    }

    @Test func `R9 yields of a private fetch are reported, and its run has events`() async throws {
        let bench = TestBench { call in
            call.continuation.yield(5)
            return call.number
        }
        let events = bench.client.events
        _ = try await bench.client.fetch(Number().ttl(.infinity).deduplicated(false))
        var seen: [QueryEvent] = []
        for await event in events {
            seen.append(event)
            if seen.count == 4 { break }
        }
        #expect(seen.map(\.kind) == [.miss, .runStarted, .resultDropped, .runSucceeded])
        #expect(seen[2].reason == .privateRun)
    }

    @Test func `settled does not wait for a private fetch that waits for the clock`() async throws {
        let bench = TestBench { call in
            if call.number == 1 { throw TestError() }
            return call.number
        }
        let request = Number().deduplicated(false).retry(limit: 1, backoff: .constant(.seconds(5)))
        let task = Task { try await bench.client.fetch(request) }
        while bench.backend.count < 1 { await Task.yield() }
        await bench.client.settled()
        bench.clock.advance(by: .seconds(5))
        #expect(try await task.value == 2)
        await bench.client.settled()
    }

    @Test func `an attempt that was left behind does not speak for the next one`() async throws {
        let kept = Recorder<QueryContinuation<Int>>()
        let second = Gate()
        let bench = TestBench { call in
            kept.note(call.continuation)
            if call.number == 1 { throw TestError() }
            try await second.pass()
            return call.number
        }
        let store = bench.client.store(for: Number().retry(limit: 1, backoff: .none))
        let task = Task { try await store.fetch() }
        await second.arrived()
        kept.all[0].yield(111)
        #expect(store.value == nil)
        kept.all[1].yield(222)
        #expect(store.value == 222)
        second.open()
        #expect(try await task.value == 2)
    }

    @Test func `subscribers of one store leave in any order`() {
        let store = TestBench().client.store(for: Number().enabled(false))
        let heard = Recorder<Int>()
        var subscriptions = (0..<50).map { id in
            store.subscribe(with: QueryEventHandler { state, _ in if state.value != nil { heard.note(id) } })
        }
        var left = Array(0..<50)
        for (round, index) in [49, 0, 20, 20, 3, 44, 10].enumerated() {
            subscriptions.remove(at: index).cancel()
            left.remove(at: index)
            store.setValue(round)
            #expect(heard.take() == left)
        }
        #expect(store.subscriberCount == left.count)
    }

    @Test func `clocks of one type that are two values are told apart`() async throws {
        struct Shifted: QueryClock {
            let base: ManualClock
            let shift: Duration

            var now: QueryInstant { base.now.advanced(by: shift) }
            var date: Date { base.date }

            func schedule(at deadline: QueryInstant, _ action: @escaping @Sendable () -> Void) -> QueryAlarm {
                base.schedule(at: deadline.advanced(by: .zero - shift), action)
            }
        }
        let base = ManualClock()
        var context = QueryContext()
        context.clock = Shifted(base: base, shift: .zero)
        context.backend = Backend { [gate] _ in
            try await gate.pass()
            return 1
        }
        let store = QueryClient(context: context, configuration: .isolated).store(for: Number().timeout(.seconds(10)))
        var other = store.context
        other.clock = Shifted(base: base, shift: .seconds(1000))
        let task = store.fetchTask(using: other).start()
        await gate.arrived()
        base.advance(by: .seconds(10))
        await #expect(throws: QueryError.self) { try await task.value }
    }
}
