import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// Streams that a test opens, feeds and ends.
private final class Spring: Sendable {
    private let streams = Lock<[AsyncThrowingStream<Int, any Error>.Continuation]>([])
    private let watchers = Recorder<Int>()
    private let gate = Gate()

    var count: Int { streams.withLock { $0.count } }

    func open() async throws -> AsyncThrowingStream<Int, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: Int.self)
        streams.withLock { $0.append(continuation) }
        gate.open()
        try await gate.pass()
        return stream
    }

    /// Waits until the stream was opened the given number of times.
    func opened(_ count: Int) async { await gate.arrived(count) }

    func send(_ value: Int) { streams.withLock { $0.last }?.yield(value) }
    func fail(_ error: any Error = TestError()) { streams.withLock { $0.last }?.finish(throwing: error) }
    func end() { streams.withLock { $0.last }?.finish() }
}

private enum SpringKey: QueryContext.Key {
    static var defaultValue: Spring { Spring() }
}

private struct Flow: StreamRequest {
    func stream(in context: QueryContext) async throws -> AsyncThrowingStream<Int, any Error> {
        try await context[SpringKey.self].open()
    }
}

struct StreamTests {
    private let spring = Spring()
    private let clock = ManualClock()
    private let client: QueryClient

    init() {
        var context = QueryContext()
        context.clock = clock
        context[SpringKey.self] = spring
        context.retry.backoff = .constant(.seconds(1))
        client = QueryClient(context: context, configuration: .isolated)
    }

    /// Observes a store until its stream is open and has yielded 1.
    private func observeFirst(_ store: QueryStore<QueryState<Int?, Int>>) async -> QuerySubscription {
        let subscription = store.record(Recorder())
        await spring.opened(1)
        spring.send(1)
        await wait(store, until: "1")
        return subscription
    }

    private func wait(_ store: QueryStore<QueryState<Int?, Int>>, until text: String) async {
        for await state in store.states where StateSummary(state).description == text { return }
    }

    @Test func `a stream's elements are results, and it is live while it is observed`() async {
        let store = client.store(for: Flow())
        let seen = Recorder<String>()
        let subscription = store.record(seen)
        await spring.opened(1)
        #expect(store.isFetching)
        spring.send(1)
        await wait(store, until: "1")
        #expect(store.isLive && !store.isFetching && !store.isStale)
        spring.send(2)
        await wait(store, until: "2")
        #expect(seen.all == ["idle", "loading", "1", "2"])
        // An open stream is not work to wait for.
        await client.settled()
        subscription.cancel()
        #expect(!store.isLive)
        #expect(store.value == 2)
        #expect(store.isStale)
        #expect(client.runningCount() == 0)
    }

    @Test func `a caller gets the first element, or the latest of a stream that is already open`() async throws {
        async let first = client.fetch(Flow())
        await spring.opened(1)
        spring.send(5)
        #expect(try await first == 5)
        let store = client.store(for: Flow())
        let subscription = store.record(Recorder())
        await spring.opened(2)
        spring.send(6)
        await wait(store, until: "6")
        #expect(try await client.fetch(Flow()) == 6)
        #expect(try await store.fetch() == 6)
        #expect(spring.count == 2)
        subscription.cancel()
    }

    @Test func `a stream that throws is reopened after a delay while it is observed`() async throws {
        let store = client.store(for: Flow())
        let subscription = await observeFirst(store)
        for round in 1...6 {
            spring.fail()
            for await failures in store.select(\.failureCount) where failures == round { break }
            await client.settled()
            #expect(store.isFetching && !store.isLive)
            #expect(store.value == 1)
            clock.advance(by: .seconds(1))
            await spring.opened(round + 1)
        }
        spring.send(7)
        await wait(store, until: "7")
        #expect(store.failureCount == 0)
        subscription.cancel()
    }

    @Test func `R11 the delay before a stream is reopened grows with each failure, and is short again after an element`() async throws {
        let store = client.store(for: Flow().retry(limit: 20, backoff: .exponential(jitter: { 1 })))
        let subscription = store.record(Recorder())
        await spring.opened(1)
        var opened = 1
        func breaksOff(failures: Int, rests seconds: Int) async {
            spring.fail()
            for await count in store.select(\.failureCount) where count == failures { break }
            await client.settled()
            clock.advance(by: .seconds(seconds) - .nanoseconds(1))
            await client.settled()
            #expect(spring.count == opened)
            clock.advance(by: .nanoseconds(1))
            opened += 1
            await spring.opened(opened)
        }
        for (failures, seconds) in [(1, 1), (2, 2), (3, 4), (4, 8)] { await breaksOff(failures: failures, rests: seconds) }
        spring.send(1)
        await wait(store, until: "1")
        for (failures, seconds) in [(1, 1), (2, 2)] { await breaksOff(failures: failures, rests: seconds) }
        subscription.cancel()
    }

    @Test func `R26 a stream that lacks a permission requests it once and fails if it is refused`() async throws {
        let asked = Recorder<Bool>()
        var context = client.context
        context.authorization = { _, _ in
            asked.note(true)
            return asked.count == 1
        }
        let client = QueryClient(context: context, configuration: .isolated)
        let store = client.store(for: Flow())
        let subscription = store.record(Recorder())
        await spring.opened(1)
        spring.fail(QueryError(.insufficientPermissions))
        await spring.opened(2)
        spring.fail(QueryError(.insufficientPermissions))
        for await hasFailed in store.select({ $0.error != nil }) where hasFailed { break }
        #expect(asked.count == 1)
        #expect((store.error as? QueryError)?.code == .insufficientPermissions)
        #expect(spring.count == 2)
        subscription.cancel()
    }

    @Test func `a limit of retries ends a stream that keeps failing`() async throws {
        let store = client.store(for: Flow().retry(limit: 1, backoff: .none))
        let subscription = store.record(Recorder())
        await spring.opened(1)
        spring.fail()
        await spring.opened(2)
        spring.fail()
        await wait(store, until: "failed(broken) 2x")
        subscription.cancel()
    }

    @Test func `a stream that ends keeps its last element, and one without elements is an error`() async throws {
        let store = client.store(for: Flow())
        let subscription = await observeFirst(store)
        spring.end()
        for await isLive in store.select(\.isLive) where !isLive { break }
        #expect(store.value == 1)
        #expect(store.isStale)
        subscription.cancel()

        let other = QueryClient(context: client.context, configuration: .isolated)
        let caller = Task { try await other.fetch(Flow()) }
        await spring.opened(2)
        spring.end()
        await #expect { try await caller.value } throws: { ($0 as? QueryError)?.code == .noValue }
    }

    @Test func `an invalidation reopens a stream and keeps its value`() async {
        let store = client.store(for: Flow())
        let subscription = await observeFirst(store)
        client.invalidate(.all)
        await spring.opened(2)
        #expect(store.value == 1)
        #expect(store.isFetching && store.isInvalidated)
        spring.send(2)
        await wait(store, until: "2")
        #expect(!store.isInvalidated)
        subscription.cancel()
    }

    @Test func `an invalidation with refetch none is cleared by the next element`() async throws {
        let store = client.store(for: Flow())
        let (first, second) = (Gate(), Gate())
        let subscription = store.subscribe(
            with: QueryEventHandler { state, _ in
                if state.value == 1 { first.open() }
                if state.value == 2 { second.open() }
            }
        )
        await spring.opened(1)
        spring.send(1)
        try await first.pass()
        client.invalidate(.all, refetch: .none)
        #expect(store.isInvalidated)
        spring.send(2)
        try await second.pass()
        #expect(!store.isInvalidated && store.isLive)
        #expect(spring.count == 1)
        subscription.cancel()
    }

    @Test func `a caller after an invalidation with refetch none reopens the stream`() async throws {
        let store = client.store(for: Flow())
        let subscription = await observeFirst(store)
        client.invalidate(.all, refetch: .none)
        let caller = Task { try await client.fetch(Flow()) }
        await spring.opened(2)
        spring.send(2)
        #expect(try await caller.value == 2)
        subscription.cancel()
    }

    @Test func `a stream that ends keeps a value written over it`() async throws {
        let store = client.store(for: Flow())
        let subscription = await observeFirst(store)
        store.setValue(9)
        spring.end()
        for await isLive in store.select(\.isLive) where !isLive { break }
        #expect(store.value == 9)
        subscription.cancel()
    }

    @Test func `a stream abandoned while it waits to be reopened is no longer live`() async throws {
        let store = client.store(for: Flow())
        let subscription = await observeFirst(store)
        spring.fail()
        for await failures in store.select(\.failureCount) where failures == 1 { break }
        await client.settled()
        subscription.cancel()
        #expect(!store.isLive && store.isStale)
        #expect(store.value == 1)
    }

    @Test func `a timeout applies to the opening of a stream, not to its duration`() async throws {
        let store = client.store(for: Flow().timeout(.seconds(5)))
        let subscription = await observeFirst(store)
        clock.advance(by: .seconds(60))
        await client.settled()
        #expect(store.isLive && store.failureCount == 0)
        #expect(spring.count == 1)
        subscription.cancel()
    }

    @Test func `a value written over a stream is shown until the next element`() async {
        let store = client.store(for: Flow())
        let seen = Recorder<String>()
        let subscription = store.record(seen)
        await spring.opened(1)
        spring.send(1)
        await wait(store, until: "1")
        store.setValue(9)
        #expect(store.value == 9)
        spring.send(2)
        await wait(store, until: "2")
        #expect(spring.count == 1)
        #expect(seen.all == ["idle", "loading", "1", "9", "2"])
        subscription.cancel()
    }

    // MARK: With other features

    /// A request that reads the stream.
    private struct OverFlow: QueryRequest {
        func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
            guard let client = context.queryClient else { return -1 }
            return try await client.fetch(Flow().ttl(.infinity)) * 10
        }
    }

    /// Adds to the latest element of the stream; the stream itself then yields the sum.
    private struct AddToFlow: MutationRequest {
        func mutate(with amount: Int, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int { amount }

        func optimistic(with amount: Int, in layers: inout QueryLayers) { layers.update(Flow()) { $0 += amount } }
    }

    @Test func `R17 R18 a request that reads an open stream runs once, even if the stream was marked before its last element`()
        async throws
    {
        let store = client.store(for: Flow().ttl(.infinity))
        let subscription = await observeFirst(store)
        client.invalidate(.path(store.path), refetch: .none)
        spring.send(2)
        // Another subscriber would reopen the stream now.
        await reaches { store.value == 2 }
        let outer = client.store(for: OverFlow().ttl(.infinity))
        let seen = Recorder<String>()
        let observation = outer.record(seen)
        try await client.settled(timeout: .seconds(5))
        #expect(seen.all == ["idle", "loading", "20"])
        for subscription in [subscription, observation] { subscription.cancel() }
    }

    @Test func `R22 a layer over an open stream becomes part of the value after its call, until the next element`()
        async throws
    {
        let store = client.store(for: Flow().ttl(.infinity))
        let subscription = await observeFirst(store)
        _ = try await client.mutate(AddToFlow(), with: 5)
        await client.settled()
        #expect(store.value == 6 && !store.isOptimistic)
        spring.send(6)
        spring.send(7)
        await wait(store, until: "7")
        #expect(!store.isOptimistic)
        subscription.cancel()
    }

    @Test func `R14 R33 a stream invalidated while a single caller waited is not reopened after that caller has left`() async throws {
        let store = client.store(for: Flow())
        let caller = Task { try await client.fetch(Flow()) }
        await spring.opened(1)
        store.invalidate()
        spring.send(1)
        #expect(try await caller.value == 1)
        try await client.settled(timeout: .seconds(5))
        #expect(spring.count == 1)
        #expect(StateSummary(store.state).description == "1 invalidated")
    }

    @Test func `R19 a stream opened before a value was written is reopened`() async throws {
        let store = client.store(for: Flow())
        let subscription = store.record(Recorder())
        await spring.opened(1)
        let caller = Task { try await store.fetch() }
        await reaches { store.core.contents.withLock { $0.waiters.count } == 1 }
        store.setValue(5)
        spring.send(1)
        #expect(try await caller.value == 1)
        await spring.opened(2)
        #expect(store.value == 5)
        spring.send(2)
        await reaches { store.value == 2 }
        #expect(store.isLive)
        subscription.cancel()
        try await client.settled(timeout: .seconds(5))
    }

    @Test func `R19 a caller that comes after a write gets an element of the reopened stream`() async throws {
        let store = client.store(for: Flow())
        let first = Task { try await store.fetch() }
        await spring.opened(1)
        store.setValue(5)
        let second = Task { try await store.fetch() }
        await reaches { store.core.contents.withLock { $0.waiters.count } == 2 }
        spring.send(1)
        #expect(try await first.value == 1)
        #expect(await reaches(within: shortTimeLimit) { spring.count == 2 })
        spring.send(2)
        #expect(await ends { _ = try? await second.value })
        #expect(store.value == 2)
        second.cancel()
        try await client.settled(timeout: .seconds(5))
    }

    @Test func `R22 a mutation's change of an open stream is kept when the stream fails`() async throws {
        let store = client.store(for: Flow())
        let subscription = await observeFirst(store)
        _ = try await client.mutate(AddToFlow(), with: 5)
        await client.settled()
        #expect(store.value == 6)
        spring.fail()
        await reaches { !store.isLive }
        store.cancel()
        #expect(store.value == 6)
        subscription.cancel()
    }

    @Test func `R9 a private caller of a stream gets its first element`() async throws {
        let caller = Task { try await client.fetch(Flow().deduplicated(false)) }
        await spring.opened(1)
        spring.send(1)
        #expect(try await caller.value == 1)
    }
}
