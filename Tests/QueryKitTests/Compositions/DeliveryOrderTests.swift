import Foundation
import Observation
import QueryKit
import QueryKitTesting
import TestSupport
import Testing

/// A mutation with a layer on two stores, which waits at a gate.
private struct Both: MutationRequest {
    let gate: Gate

    static func == (left: Both, right: Both) -> Bool { true }
    func hash(into hasher: inout Hasher) {}

    func mutate(with amount: Int, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        try await gate.pass()
        return amount
    }

    func optimistic(with amount: Int, in layers: inout QueryLayers) {
        for id in 1...2 { layers.update(Number(id)) { $0 += amount } }
    }
}

extension Compositions {
    /// In which order handlers and callers receive a result, and what the main actor sees within one turn.
    struct DeliveryOrderTests {
        // MARK: Handlers and callers

        @Test func `R4 a fetch returns after a handler that was still receiving its first state has received the result`() async throws {
            let order = Recorder<String>()
            let isReturned = Valve()
            let client = TestBench().client
            let subscription = Lock<QuerySubscription?>(nil)
            let hears = Lock(0)
            let subscribed = Valve()
            Thread.detachNewThread {
                let store = client.store(for: Number(1).ttl(.infinity).enabled(false))
                let token = store.subscribe(
                    with: QueryEventHandler { state, _ in
                        if state.value != nil { return order.note("handler") }
                        guard
                            hears.withLock({
                                $0 += 1
                                return $0
                            }) == 1
                        else { return }
                        isReturned.wait(upTo: 0.3)
                    }
                )
                subscription.withLock { $0 = token }
                subscribed.open()
            }
            await reaches { isReturned.arrivals == 1 }
            _ = try await client.fetch(Number(1))
            order.note("caller")
            isReturned.open()
            await onThread { subscribed.wait() }
            await client.settled()
            #expect(order.all.first == "handler")
            subscription.withLock { $0 }?.cancel()
        }

        @Test func `R4 a fetch of a fresh value returns after all handlers have received that value`() async throws {
            let order = Recorder<String>()
            let isReturned = Valve()
            let client = TestBench().client
            let store = client.store(for: Number(1).ttl(.infinity).enabled(false))
            let slow = store.subscribe(
                with: QueryEventHandler(onResultReceived: { _, _ in isReturned.wait(upTo: 0.3) })
            )
            let other = store.subscribe(with: QueryEventHandler(onResultReceived: { _, _ in order.note("handler") }))
            let first = Task { try await client.fetch(Number(1).ttl(.infinity)) }
            await reaches { isReturned.arrivals == 1 }
            #expect(try await client.fetch(Number(1).ttl(.infinity)) == 1)
            order.note("caller")
            isReturned.open()
            #expect(try await first.value == 1)
            #expect(order.all == ["handler", "caller"])
            for subscription in [slow, other] { subscription.cancel() }
        }

        @Test func `R4 a fetch returns after all handlers have received its result`() async throws {
            let order = Recorder<String>()
            let client = TestBench().client
            let store = client.store(for: Number(1).ttl(.infinity).enabled(false))
            let subscriptions = (1...3).map { number in
                store.subscribe(with: QueryEventHandler(onResultReceived: { _, _ in order.note("handler \(number)") }))
            }
            _ = try await client.fetch(Number(1))
            order.note("caller")
            #expect(order.all == ["handler 1", "handler 2", "handler 3", "caller"])
            for subscription in subscriptions { subscription.cancel() }
        }

        @Test func `R4 a handler that writes receives its own write after the result, like all other handlers`() async throws {
            let client = TestBench { _ in 1 }.client
            let store = client.store(for: Number(1).ttl(.infinity).enabled(false))
            let (first, second) = (Recorder<String>(), Recorder<String>())
            let writing = store.subscribe(
                with: QueryEventHandler { state, context in
                    first.note(StateSummary(state).description)
                    if state.value == 1 { context.queryClient?.setValue(2, for: Number(1)) }
                }
            )
            let other = store.record(second)
            _ = try await client.fetch(Number(1))
            await reaches { first.count == 4 && second.count == 4 }
            #expect(first.all == ["idle", "loading", "1", "2"])
            #expect(second.all == ["idle", "loading", "1", "2"])
            for subscription in [writing, other] { subscription.cancel() }
        }

        @Test func `R33 settled returns after handlers have received what a handler of the result wrote`() async throws {
            let order = Recorder<String>()
            let isReturned = Valve()
            let client = TestBench { _ in 1 }.client
            let subscription = client.store(for: Number(1).ttl(.infinity)).subscribe(
                with: QueryEventHandler { state, context in
                    if state.value == 1 { context.queryClient?.setValue(2, for: Number(1)) }
                    guard state.value == 2 else { return }
                    isReturned.wait(upTo: 0.3)
                    order.note("handler")
                }
            )
            await client.settled()
            order.note("settled")
            isReturned.open()
            await reaches { order.count == 2 }
            #expect(order.all == ["handler", "settled"])
            subscription.cancel()
        }

        // MARK: One turn of the main actor

        @MainActor @Test func `R29 two mirrors of one request show the same value when one of them writes`() async {
            let client = TestBench().client
            let mirrors = (1...2).map { _ in QueryMirror(Number(1).enabled(false), client: client) }
            mirrors[0].setValue(3)
            #expect(mirrors.map(\.value) == [3, 3])
            await reaches { mirrors[1].value == 3 }
            #expect(mirrors.map(\.value) == [3, 3])
        }

        @MainActor @Test func `R29 a mirror and a shared query of one request show the same value when either writes`() async throws {
            let client = TestBench { _ in 7 }.client
            let mirror = QueryMirror(Number(1).enabled(false), client: client)
            let query = SharedQuery(Number(1).enabled(false), client: client)
            #expect(query.value == nil)
            client.setValue(1, for: Number(1))
            #expect([mirror.value, query.value] == [nil, nil])
            query.setValue(2)
            #expect([mirror.value, query.value] == [2, 2])
            #expect(query.updateValue { $0 += 1 })
            #expect([mirror.value, query.value] == [3, 3])
            mirror.setValue(4)
            #expect([mirror.value, query.value] == [4, 4])
            #expect(try await query.fetch() == 7)
            #expect([mirror.value, query.value] == [7, 7])
        }

        @MainActor @Test func `R29 an observer of one mirror sees the changes of all mirrors at once`() async {
            let client = TestBench().client
            let mirrors = (1...3).map { QueryMirror(Number($0).enabled(false), client: client) }
            let seen = Recorder<[Int?]>()
            for mirror in mirrors {
                withObservationTracking {
                    _ = mirror.value
                } onChange: {
                    MainActor.assumeIsolated { seen.note(mirrors.map(\.value)) }
                }
            }
            for id in 1...3 { client.setValue(id, for: Number(id)) }
            await client.settled()
            #expect(seen.all == [[1, 2, 3], [1, 2, 3], [1, 2, 3]])
        }

        @MainActor @Test func `R29 a shared query shows the current state on other threads`() async {
            let client = TestBench().client
            let query = SharedQuery(Number(1).enabled(false), client: client)
            #expect(query.value == nil)
            client.setValue(1, for: Number(1))
            let elsewhere = Lock<Int?>(nil)
            let isRead = Valve()
            Thread.detachNewThread {
                let value = query.value
                elsewhere.withLock { $0 = value }
                isRead.open()
            }
            // Blocks the main thread, so that the turn is not over.
            isRead.wait()
            #expect(elsewhere.withLock { $0 } == 1)
            #expect(query.value == nil)
            await client.settled()
            #expect(query.value == 1)
        }

        @MainActor @Test func `R29 a new mirror shows what other mirrors of its request show`() async {
            let client = TestBench().client
            client.setValue(1, for: Number(1))
            let first = QueryMirror(Number(1).enabled(false), client: client)
            client.setValue(2, for: Number(1))
            let second = QueryMirror(Number(1).enabled(false), client: client)
            #expect(first.value == second.value)
            await reaches { first.value == 2 && second.value == 2 }
            #expect(first.value == 2)
        }

        @MainActor @Test func `R29 a shared query's state does not change within one turn of the main actor`() async {
            let gate = Gate()
            let ended = Valve()
            let client = TestBench { call in
                try await gate.pass()
                return call.number
            }.client
            let query = SharedQuery(Number(1), client: client)
            let listener = client.store(for: Number(1)).subscribe(
                with: QueryEventHandler(onResultReceived: { _, _ in ended.open() })
            )
            let isLoading = query.isLoading
            #expect(isLoading)
            await gate.arrived()
            let isStillLoading = query.isLoading
            gate.open()
            // Blocks the main thread until the run has ended, so that the turn is not over.
            ended.wait()
            let value = query.value
            #expect(!(isStillLoading && value != nil))
            await client.settled()
            listener.cancel()
        }

        @MainActor @Test func `R29 the layers of one call appear on two mirrors in the same turn`() async throws {
            let client = TestBench().client
            for id in 1...2 { client.setValue(1, for: Number(id)) }
            let mirrors = (1...2).map { QueryMirror(Number($0).enabled(false), client: client) }
            let isSeen = Valve()
            // Each subscribes after the mirror of its store, so that the mirror's update is already scheduled.
            let slow = (1...2).map { id in
                client.store(for: Number(id).ttl(.infinity).enabled(false)).subscribe(
                    with: QueryEventHandler { state, _ in if state.isOptimistic { isSeen.wait(upTo: 0.3) } }
                )
            }
            let (gate, isSubmitted) = (Gate(), Valve())
            Thread.detachNewThread {
                _ = try? client.store(for: Both(gate: gate)).submit(100)
                isSubmitted.open()
            }
            await reaches { mirrors.contains { $0.value == 101 } }
            #expect(mirrors.map(\.value) == [101, 101])
            isSeen.open()
            await reaches { mirrors.allSatisfy { $0.value == 101 } }
            await onThread { isSubmitted.wait() }
            gate.open()
            await client.settled()
            for subscription in slow { subscription.cancel() }
        }

        @MainActor @Test func `R29 an invalidation appears on two mirrors in the same turn`() async throws {
            let client = TestBench().client
            for id in 1...2 { client.setValue(1, for: Number(id)) }
            let mirrors = (1...2).map { QueryMirror(Number($0).ttl(.infinity).enabled(false), client: client) }
            let isSeen = Valve()
            let slow = (1...2).map { id in
                client.store(for: Number(id).ttl(.infinity).enabled(false)).subscribe(
                    with: QueryEventHandler { state, _ in if state.isInvalidated { isSeen.wait(upTo: 0.3) } }
                )
            }
            Thread.detachNewThread { client.invalidate("number/*") }
            await reaches { mirrors.contains { $0.isInvalidated } }
            #expect(mirrors.map(\.isInvalidated) == [true, true])
            isSeen.open()
            await reaches { mirrors.allSatisfy { $0.isInvalidated } }
            for subscription in slow { subscription.cancel() }
        }
    }
}
