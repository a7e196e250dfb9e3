import QueryKit
import TestSupport
import Testing

struct DeliveryTests {
    private let bench = TestBench()

    private var store: QueryStore<QueryState<Int?, Int>> { bench.client.store(for: Number().enabled(false)) }

    @Test func `R4 a subscription receives the current state at once`() {
        store.setValue(5)
        let seen = Recorder<String>()
        let subscription = store.record(seen)
        #expect(seen.all == ["5"])
        subscription.cancel()
    }

    @Test func `R4 the four closures are called in the order of a run`() async throws {
        let received = Recorder<String>()
        let handler = QueryEventHandler<QueryState<Int?, Int>>(
            onStateChanged: { state, _ in received.note("state \(StateSummary(state))") },
            onFetchingStarted: { _ in received.note("started") },
            onFetchingEnded: { _ in received.note("ended") },
            onResultReceived: { result, _ in received.note("result \((try? result.get()) ?? -1)") }
        )
        let subscription = store.subscribe(with: handler)
        _ = try await store.fetch()
        #expect(received.all == ["state idle", "started", "state loading", "state 1", "result 1", "ended"])
        subscription.cancel()
    }

    @Test func `R4 a handler that writes receives its own write after it returns, not within the call`() {
        let received = Recorder<String>()
        let store = self.store
        let subscription = store.subscribe(
            with: QueryEventHandler { state, _ in
                received.note("begin \(state.value ?? 0)")
                if let value = state.value, value < 3 { store.setValue(value + 1) }
                received.note("end \(state.value ?? 0)")
            }
        )
        store.setValue(1)
        #expect(received.all == ["begin 0", "end 0", "begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3"])
        subscription.cancel()
    }

    @Test func `R4 a handler that writes while it receives its first state misses nothing`() {
        let received = Recorder<Int>()
        let store = self.store
        store.setValue(1)
        let subscription = store.subscribe(
            with: QueryEventHandler { state, _ in
                received.note(state.value ?? 0)
                if state.value == 1 {
                    store.setValue(2)
                    store.setValue(3)
                }
            }
        )
        #expect(received.all == [1, 2, 3])
        subscription.cancel()
    }

    @Test func `R4 a handler can cancel its own subscription and receives nothing more`() {
        let received = Recorder<Int>()
        let holder = Lock<QuerySubscription?>(nil)
        let store = self.store
        let subscription = store.subscribe(
            with: QueryEventHandler { state, _ in
                received.note(state.value ?? 0)
                if state.value == 1 {
                    store.setValue(2)
                    holder.withLock { $0 }?.cancel()
                }
            }
        )
        holder.withLock { $0 = subscription }
        store.setValue(1)
        store.setValue(3)
        #expect(received.all == [0, 1])
        #expect(store.subscriberCount == 0)
        holder.withLock { $0 = nil }
    }

    @Test func `R4 a handler can release the last copy of its subscription`() {
        let received = Recorder<Int>()
        let holder = Lock<QuerySubscription?>(nil)
        let store = self.store
        holder.withLock { holder in
            holder = store.subscribe(with: QueryEventHandler { state, _ in received.note(state.value ?? 0) })
        }
        let killer = store.subscribe(
            with: QueryEventHandler { state, _ in
                if state.value == 1 {
                    let last = holder.withLock { holder in
                        defer { holder = nil }
                        return holder
                    }
                    _ = last
                }
            }
        )
        store.setValue(1)
        store.setValue(2)
        #expect(received.all == [0, 1])
        #expect(store.subscriberCount == 1)
        killer.cancel()
    }

    @Test func `R4 a later subscriber cancelled by a handler does not receive the same state`() {
        let received = Recorder<Int>()
        let holder = Lock<QuerySubscription?>(nil)
        let store = self.store
        let first = store.subscribe(with: QueryEventHandler { state, _ in if state.value == 1 { holder.withLock { $0 }?.cancel() } })
        let second = store.subscribe(with: QueryEventHandler { state, _ in received.note(state.value ?? 0) })
        holder.withLock { $0 = second }
        store.setValue(1)
        #expect(received.all == [0])
        holder.withLock { $0 = nil }
        first.cancel()
    }

    @Test func `R4 a handler can subscribe others, which start with the current state`() {
        let received = Recorder<String>()
        let subscriptions = Lock<[QuerySubscription]>([])
        let store = self.store
        let outer = store.subscribe(
            with: QueryEventHandler { state, _ in
                received.note("outer \(state.value ?? 0)")
                guard state.value == 1 else { return }
                let inner = store.subscribe(with: QueryEventHandler { state, _ in received.note("inner \(state.value ?? 0)") })
                subscriptions.withLock { $0.append(inner) }
            }
        )
        store.setValue(1)
        store.setValue(2)
        #expect(received.all == ["outer 0", "outer 1", "inner 1", "outer 2", "inner 2"])
        outer.cancel()
        subscriptions.withLock { $0 = [] }
        #expect(store.subscriberCount == 0)
    }

    @Test func `R4 a handler can fetch, and that fetch returns after all handlers were called`() async throws {
        let received = Recorder<String>()
        let tasks = Lock<[QueryTask<Int>]>([])
        let store = self.store
        let subscription = store.subscribe(
            with: QueryEventHandler { state, _ in
                received.note(StateSummary(state).description)
                if state.value == 10 { tasks.withLock { $0.append(store.fetchTask()) } }
            }
        )
        store.setValue(10)
        let task = try #require(tasks.withLock { $0.first })
        #expect(try await task.value == 1)
        #expect(received.all == ["idle", "10", "10 fetching", "1"])
        subscription.cancel()
    }

    @Test func `releasing the last copy of a subscription ends it`() {
        let store = self.store
        var copies: Set<QuerySubscription> = []
        store.record(Recorder()).store(in: &copies)
        var other = copies.first
        copies = []
        #expect(store.subscriberCount == 1)
        #expect(other != nil)
        other = nil
        #expect(store.subscriberCount == 0)
    }

    @Test func `onEvent receives events without observing`() async throws {
        let received = Recorder<String>()
        let request = Number().onEvent(QueryEventHandler { state, _ in received.note(StateSummary(state).description) })
        let store = bench.client.store(for: request)
        #expect(bench.backend.count == 0)
        #expect(store.subscriberCount == 0)
        _ = try await store.fetch()
        #expect(received.all == ["loading", "1"])
    }
}
