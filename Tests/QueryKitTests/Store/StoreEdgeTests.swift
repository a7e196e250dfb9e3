import Foundation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

private struct MortalRequest: QueryRequest {
    enum Source: QueryContext.Key {
        static let defaultValue: @Sendable (QueryContinuation<DeinitObserver>) async throws -> DeinitObserver = { _ in DeinitObserver() }
    }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<DeinitObserver>) async throws -> DeinitObserver {
        try await context[Source.self](continuation)
    }
}

struct StoreEdgeTests {
    private let gate = Gate()

    private func gatedBench() -> TestBench {
        TestBench { [gate] call in
            if call.number == 1 { try await gate.pass() }
            return call.number
        }
    }

    @Test func `a value may use its store in its deinit, even when a trailing run replaces it`() async {
        let gate = self.gate
        let holder = Lock<QueryStore<QueryState<DeinitObserver?, DeinitObserver>>?>(nil)
        let ends = Recorder<Bool>()
        let isFirst = Lock(true)
        var context = QueryContext()
        context[MortalRequest.Source.self] = { continuation in
            let first = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if first {
                // If the store's lock were held, this would never return.
                continuation.yield(DeinitObserver { ends.note(holder.withLock { $0 }?.isFetching ?? false) })
                try await gate.pass()
            }
            return DeinitObserver()
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

    /// A store of values that read the store in their deinit and record it; if the lock were held, they would never return.
    private func mortals(
        _ fetch: @escaping @Sendable (QueryContinuation<DeinitObserver>) async throws -> DeinitObserver = { _ in DeinitObserver() }
    ) -> (
        client: QueryClient, store: QueryStore<QueryState<DeinitObserver?, DeinitObserver>>, ends: Recorder<Bool>,
        mortal: @Sendable () -> DeinitObserver
    ) {
        var context = QueryContext()
        context[MortalRequest.Source.self] = fetch
        let client = QueryClient(context: context, configuration: .isolated)
        let store = client.store(for: MortalRequest())
        let ends = Recorder<Bool>()
        return (client, store, ends, { DeinitObserver { [weak core = store.core] in ends.note(core?.isFetching ?? false) } })
    }

    @Test func `R22 an object held by a layer may use the store in its deinit, in whichever way the layer is removed`() async throws {
        typealias Store = QueryStore<QueryState<DeinitObserver?, DeinitObserver>>
        let ways: [@Sendable (Store, UUID) async throws -> Void] = [
            // A run lands, or the layers become part of the base, or they are removed.
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
            store.setValue(DeinitObserver())
            let owner = UUID()
            store.addLayer(of: owner) { [mortal = mortal()] _ in withExtendedLifetime(mortal) {} }
            #expect(ends.count == 0)
            try await way(store, owner)
            await client.settled()
            #expect(ends.count == 1)
        }
    }

    @Test func `R22 a base value beneath layers may use the store in its deinit, no matter how it is replaced`() async throws {
        typealias Store = QueryStore<QueryState<DeinitObserver?, DeinitObserver>>
        let ways: [@Sendable (Store) async throws -> Void] = [
            { $0.setValue(DeinitObserver()) },
            { $0.updateValue { $0 = DeinitObserver() } },
            { _ = try await $0.fetch() },
            { $0.reset() },
            { $0.core.renew() },
        ]
        for way in ways {
            let (client, store, ends, mortal) = mortals()
            store.setValue(mortal())
            store.addLayer(of: UUID()) { $0 = DeinitObserver() }
            #expect(ends.count == 0)
            try await way(store)
            await client.settled()
            #expect(ends.count == 1)
        }
    }

    @Test func `R22 R7 a base value yielded by a cancelled run may use the store in its deinit`() async {
        let gate = self.gate
        let ends = Recorder<Bool>()
        let holder = Lock<QueryStore<QueryState<DeinitObserver?, DeinitObserver>>?>(nil)
        let (client, store, _, _) = mortals { continuation in
            continuation.yield(DeinitObserver { ends.note(holder.withLock { $0 }?.isFetching ?? false) })
            try await gate.pass()
            return DeinitObserver()
        }
        holder.withLock { $0 = store }
        store.setValue(DeinitObserver())
        store.addLayer(of: UUID()) { $0 = DeinitObserver() }
        let caller = Task { try await store.fetch() }
        await gate.arrived()
        #expect(ends.count == 0)
        store.cancel()
        _ = await caller.result
        await client.settled()
        #expect(ends.count == 1)
        holder.withLock { $0 = nil }
    }

    @Test func `updateValue starts over if another value is written during its closure, even after a reset`() {
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

    @Test func `an old initial value does not replace the run under way`() async {
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

    @Test func `an initial value set during a run is kept when the run is cancelled`() async {
        let bench = gatedBench()
        let store = bench.client.store(for: Number())
        let task = Task { try await store.fetch() }
        await gate.arrived()
        _ = bench.client.store(for: Number(), initialValue: 99, updatedAt: bench.clock.date)
        task.cancel()
        _ = await task.result
        #expect(StateSummary(store.state).description == "99")
    }

    @Test func `R13 a value is dated by the client's clock, whichever clock the call's context has`() async throws {
        let bench = TestBench()
        let store = bench.client.store(for: Number().ttl(.seconds(60)))
        var context = QueryContext()
        context.backend = bench.backend
        _ = try await store.fetch(using: context)
        #expect(!store.isStale)
        bench.clock.advance(by: .seconds(60))
        #expect(store.isStale)
    }

    @Test func `R4 a handler that cancels its subscription receives nothing more of the same change`() async throws {
        let store = TestBench().client.store(for: Number().enabled(false))
        let received = Recorder<String>()
        let holder = Lock<QuerySubscription?>(nil)
        let subscription = store.subscribe(
            with: QueryEventHandler(
                onStateChanged: { _, _ in received.note("state") },
                onFetchingStarted: { _ in
                    received.note("started")
                    holder.withLock { $0 }?.cancel()
                }
            )
        )
        holder.withLock { $0 = subscription }
        _ = try await store.fetch()
        #expect(received.all == ["state", "started"])
        holder.withLock { $0 = nil }
    }

    @Test func `R4 a subscriber that joins inside a handler does not receive its first state twice`() {
        let store = TestBench().client.store(for: Number().enabled(false))
        let received = Recorder<Int>()
        let inner = Recorder<QuerySubscription>()
        let outer = store.subscribe(
            with: QueryEventHandler { state, _ in
                guard state.value == 1 else { return }
                store.setValue(2)
                inner.note(store.subscribe(with: QueryEventHandler { state, _ in received.note(state.value ?? 0) }))
            }
        )
        store.setValue(1)
        #expect(received.all == [2])
        outer.cancel()
        _ = inner.take()
    }

    @Test func `R26 an attempt is cancelled when its timeout has passed`() async {
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

    @Test(arguments: [Duration.zero, .seconds(-1)]) func `R26 a timeout of zero fails at once`(_ timeout: Duration) async {
        let bench = TestBench()
        await #expect(throws: QueryError.self) { try await bench.client.fetch(Number().timeout(timeout)) }
        #expect(bench.backend.count == 0)
    }

    @Test func `unneeded and infinite timeouts leave no deadlines behind`() async throws {
        let bench = TestBench()
        let endless = bench.client.store(for: Number(1).timeout(.infinity).keep(for: .infinity))
        let long = bench.client.store(for: Number(2).timeout(.seconds(3600)).keep(for: .infinity))
        for _ in 0..<500 {
            _ = try await endless.fetch()
            _ = try await long.fetch()
        }
        #expect(bench.client.core.deadlineCount < 200)
    }

    @Test func `R7 a cancelled caller of a private fetch returns at once even if the fetch ignores cancellation`() async {
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

    @Test func `R9 values yielded by a private fetch are reported as dropped, and its run sends events`() async throws {
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

    @Test func `a value yielded by an earlier attempt is ignored`() async throws {
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

    @Test func `subscribers of one store can leave in any order`() {
        let store = TestBench().client.store(for: Number().enabled(false))
        let received = Recorder<Int>()
        var subscriptions = (0..<50).map { id in
            store.subscribe(with: QueryEventHandler { state, _ in if state.value != nil { received.note(id) } })
        }
        var left = Array(0..<50)
        for (round, index) in [49, 0, 20, 20, 3, 44, 10].enumerated() {
            subscriptions.remove(at: index).cancel()
            left.remove(at: index)
            store.setValue(round)
            #expect(received.take() == left)
        }
        #expect(store.subscriberCount == left.count)
    }

    @Test func `two clocks of one type with different values are distinguished`() async throws {
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
