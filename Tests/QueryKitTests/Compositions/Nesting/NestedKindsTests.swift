import Foundation
import QueryKit
import QueryKitTesting
import TestSupport
import Testing

/// The source that inner requests read, and the gate where their first run waits.
private struct Spring: Sendable {
    let source = Source()
    let gate = Gate()
}

private enum SpringKey: QueryContext.Key {
    static var defaultValue: Spring { Spring() }
}

/// An inner request that is a stream.
private struct Readings: StreamRequest {
    func stream(in context: QueryContext) async throws -> AsyncStream<Int> {
        let spring = context[SpringKey.self]
        let value = spring.source.read()
        try await spring.gate.pass()
        // Never finished, like the stream of a sensor.
        return AsyncStream { $0.yield(value) }
    }
}

/// An inner request with pages.
private struct Chapters: PaginatedRequest {
    var initialPageID: Int { 1 }

    func pageID(after page: QueryPage<Int, Int>, in pages: QueryPages<Int, Int>) -> Int? { page.id < 3 ? page.id + 1 : nil }

    func fetchPage(_ id: Int, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        let spring = context[SpringKey.self]
        let value = spring.source.read()
        try await spring.gate.pass()
        return value
    }
}

/// A clock that lets a test act at the moment when the library reads the time.
private final class MeddlingClock: QueryClock {
    private let base = ManualClock()
    private let meddling = Lock<(@Sendable () -> Void)?>(nil)

    /// Calls `work` the next time the clock is read.
    func meddle(_ work: @escaping @Sendable () -> Void) { meddling.withLock { $0 = work } }

    var now: QueryInstant {
        let work = meddling.withLock { meddling in
            defer { meddling = nil }
            return meddling
        }
        work?()
        return base.now
    }

    var date: Date { base.date }

    func schedule(at deadline: QueryInstant, _ action: @escaping @Sendable () -> Void) -> QueryAlarm { base.schedule(at: deadline, action) }
}

extension Compositions {
    /// Inner requests of other kinds: cached values, streams and pages.
    struct NestedKindsTests {
        private let spring = Spring()
        private let outer = Holdable()

        private func bench(_ fetch: @escaping @Sendable (QueryClient) async throws -> Int) -> TestBench {
            TestBench { [outer] call in
                guard let client = call.context.queryClient else { throw TestError("no client") }
                return try await outer.run { try await fetch(client) }
            } adjusting: { [spring] in
                $0.ttl = .infinity
                $0[SpringKey.self] = spring
            }
        }

        /// Changes the source while the inner request's first run waits; the outer run continues after the inner request's next result.
        private func changeDuringTheInnerRun(_ client: QueryClient, _ count: () -> Int) async {
            await spring.gate.arrived()
            // When the actor is free, the outer run has reached its wait.
            await outer.run {}
            outer.hold()
            spring.source.change(to: 1, in: client)
            spring.gate.open()
            await reaches(within: .seconds(2)) { count() >= 2 }
            outer.release()
        }

        private func isCurrent(_ store: QueryStore<Number.State>) -> Bool {
            store.value == 1 && !store.isStale || store.isStale && store.subscriberCount == 0
        }

        // MARK: Cached values

        @Test func `R18 a change between taking a cached inner value and noting its regions makes the outer value stale`() async throws {
            let clock = MeddlingClock()
            let refetched = Valve()
            let bench = TestBench { [spring, outer] call in
                guard call.id == 1, let client = call.context.queryClient else { return spring.source.read() }
                return try await outer.run {
                    if call.number == 2 {
                        clock.meddle {
                            spring.source.change(to: 1, in: client)
                            refetched.wait()
                        }
                    }
                    return try await client.fetch(Number(2))
                }
            } adjusting: {
                $0.ttl = .infinity
                $0.clock = clock
            }
            let client = bench.client
            let inner = client.store(for: Number(2)).subscribe(
                with: QueryEventHandler { state, _ in if state.value == 1 { refetched.open() } }
            )
            await client.settled()
            // Which of the two values it gets depends on when the inner request reads the clock; the old one must be stale.
            _ = try await client.fetch(Number(1))
            #expect(isCurrent(client.store(for: Number(1))))
            inner.cancel()
        }

        @Test(arguments: [true, false])
        func `R18 a change after the outer run took a cached inner value makes the outer value stale`(_ isObserved: Bool) async throws {
            let after = Gate()
            let bench = TestBench { [spring] call in
                guard call.id == 1, let client = call.context.queryClient else { return spring.source.read() }
                let value = try await client.fetch(Number(2))
                if call.number == 2 { try await after.pass() }
                return value
            } adjusting: {
                $0.ttl = .infinity
            }
            let client = bench.client
            _ = try await client.fetch(Number(2))
            let store = client.store(for: Number(1))
            let subscription = isObserved ? store.record(Recorder()) : nil
            let caller = Task { try await client.fetch(Number(1)) }
            await after.arrived()
            spring.source.change(to: 1, in: client)
            after.open()
            _ = try await caller.value
            await client.settled()
            #expect(isCurrent(store))
            subscription?.cancel()
        }

        // MARK: Streams

        @Test(arguments: [true, false])
        func `R18 a change before the first element of an inner stream makes the outer value stale`(_ isObserved: Bool) async throws {
            let bench = bench { try await $0.fetch(Readings()) }
            let store = bench.client.store(for: Number(1))
            let subscription = isObserved ? store.record(Recorder()) : nil
            let caller = Task { try await bench.client.fetch(Number(1)) }
            await changeDuringTheInnerRun(bench.client) { bench.client.store(for: Readings()).valueUpdateCount }
            _ = try await caller.value
            await bench.client.settled()
            #expect(isCurrent(store))
            subscription?.cancel()
        }

        @Test func `R18 a change reruns an outer request whose value came from an open stream`() async throws {
            spring.gate.open()
            let bench = bench { try await $0.fetch(Readings()) }
            let stream = bench.client.store(for: Readings()).subscribe(with: QueryEventHandler())
            await reaches { bench.client.store(for: Readings()).isLive }
            let store = bench.client.store(for: Number(1))
            let subscription = store.record(Recorder())
            await bench.client.settled()
            #expect(store.value == 0)
            spring.source.change(to: 1, in: bench.client)
            await reaches { store.value == 1 && !store.isFetching }
            #expect(isCurrent(store))
            for subscription in [stream, subscription] { subscription.cancel() }
        }

        // MARK: Pages

        @Test(arguments: [true, false])
        func `R18 a change during the run of an inner paginated request makes the outer value stale`(_ isObserved: Bool) async throws {
            let bench = bench { try await $0.fetch(Chapters()).map(\.value).max() ?? -1 }
            let store = bench.client.store(for: Number(1))
            let subscription = isObserved ? store.record(Recorder()) : nil
            let caller = Task { try await bench.client.fetch(Number(1)) }
            await changeDuringTheInnerRun(bench.client) { bench.client.store(for: Chapters()).valueUpdateCount }
            _ = try await caller.value
            await bench.client.settled()
            #expect(isCurrent(store))
            subscription?.cancel()
        }

        @Test func `R18 a change while an inner list fetches its next page makes the outer value stale`() async throws {
            let bench = bench { try await $0.store(for: Chapters()).fetchNextPage().map(\.value).min() ?? -1 }
            let store = bench.client.store(for: Number(1))
            let caller = Task { try await bench.client.fetch(Number(1)) }
            await changeDuringTheInnerRun(bench.client) { bench.client.store(for: Chapters()).valueUpdateCount }
            _ = try await caller.value
            await bench.client.settled()
            #expect(isCurrent(store))
        }
    }
}
