import Observation
import TestSupport
import Testing

@testable import QueryKit

/// Conditions that become true while a store is observed (R30).
struct ConditionTests {
    private let bench = TestBench()
    private let isOpen = Lock(false)
    private var client: QueryClient { bench.client }

    private func request(_ id: Int = 1, ttl: Duration = .zero) -> some QueryRequest<Int, Number.State> {
        Number(id).ttl(ttl).enabled { [isOpen] _ in isOpen.withLock { $0 } }
    }

    // MARK: Reconsidering

    @Test func `R30 reconsider fetches requests that became enabled, are observed and are stale`() async {
        let subscription = client.store(for: request()).record(Recorder())
        _ = client.store(for: request(2))
        client.setValue(7, for: Number(3))
        let fresh = client.store(for: request(3, ttl: .infinity)).record(Recorder())
        client.reconsider()
        await client.settled()
        #expect(bench.backend.fetched == [])
        isOpen.withLock { $0 = true }
        client.reconsider()
        await client.settled()
        #expect(bench.backend.fetched == [1])
        for subscription in [subscription, fresh] { subscription.cancel() }
    }

    @Test func `R30 reconsider does not fetch requests that were already enabled or have no condition`() async {
        isOpen.withLock { $0 = true }
        let subscriptions = [client.store(for: request(1)).record(Recorder()), client.store(for: Number(2)).record(Recorder())]
        await client.settled()
        client.reconsider()
        await client.settled()
        #expect(bench.backend.count == 2)
        isOpen.withLock { $0 = false }
        client.reconsider()
        isOpen.withLock { $0 = true }
        client.reconsider()
        await client.settled()
        #expect(bench.backend.fetched.suffix(1) == [1] && bench.backend.count == 3)
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func `R30 reconsider only affects requests that match its pattern`() async {
        let subscriptions = (1...3).map { client.store(for: request($0)).record(Recorder()) }
        isOpen.withLock { $0 = true }
        client.reconsider(["number", 2])
        await client.settled()
        #expect(bench.backend.fetched == [2])
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func `R30 reconsider fetches if at least one observer became enabled`() async {
        let store = client.store(for: Number().enabled(false))
        let subscriptions = [store.record(Recorder()), client.store(for: request()).record(Recorder())]
        isOpen.withLock { $0 = true }
        client.reconsider()
        await client.settled()
        #expect(bench.backend.count == 1)
        for subscription in subscriptions { subscription.cancel() }
    }

    // MARK: Observing

    @MainActor @Observable final class Session {
        var isSignedIn = false
        var name = ""
    }

    @MainActor private static func observed(_ session: Session, ttl: Duration = .infinity) -> some QueryRequest<Int, Number.State> {
        Number().ttl(ttl).enabled(observing: { session.isSignedIn })
    }

    @MainActor @Test func `R30 a condition that is already true fetches as soon as the store is observed on the main thread`() async {
        let session = Session()
        session.isSignedIn = true
        let store = client.store(for: Self.observed(session))
        let subscription = store.record(Recorder())
        await client.settled()
        #expect(bench.backend.count == 1)
        subscription.cancel()
    }

    @MainActor @Test func `R30 a condition that becomes true fetches, and one that becomes false does not`() async {
        let session = Session()
        let store = client.store(for: Self.observed(session))
        let subscription = store.record(Recorder())
        await client.settled()
        #expect(bench.backend.count == 0)
        session.name = "Ada"
        await client.settled()
        #expect(bench.backend.count == 0)
        session.isSignedIn = true
        await client.settled()
        #expect(bench.backend.count == 1)
        session.isSignedIn = false
        await client.settled()
        store.invalidate()
        await client.settled()
        #expect(bench.backend.count == 1)
        bench.clock.advance(by: .seconds(1))
        session.isSignedIn = true
        await client.settled()
        #expect(bench.backend.count == 2)
        subscription.cancel()
        session.isSignedIn = false
        session.isSignedIn = true
        await client.settled()
        #expect(bench.backend.count == 2)
    }

    @MainActor @Test func `R30 a change that leaves the condition true does not fetch`() async {
        let session = Session()
        session.isSignedIn = true
        let store = client.store(for: Number().enabled(observing: { session.isSignedIn && session.name != "guest" }))
        let subscription = store.record(Recorder())
        await client.settled()
        #expect(bench.backend.count == 1)
        bench.clock.advance(by: .seconds(1))
        session.name = "Ada"
        await client.settled()
        #expect(store.isStale && bench.backend.count == 1)
        subscription.cancel()
    }

    @MainActor @Test func `R30 a condition that becomes true does not refetch a fresh value`() async {
        let session = Session()
        let store = client.store(for: Self.observed(session))
        store.setValue(7)
        let subscription = store.record(Recorder())
        await client.settled()
        session.isSignedIn = true
        await client.settled()
        #expect(bench.backend.count == 0)
        subscription.cancel()
    }

    @Test func `R30 an observer on another thread uses the condition`() async {
        let session = await Session()
        await MainActor.run { session.isSignedIn = true }
        let store = client.store(for: await Self.observed(session))
        let subscription = store.record(Recorder())
        await client.settled()
        #expect(bench.backend.count == 1)
        subscription.cancel()
    }

    @MainActor @Test func `R30 a mirror and a shared query follow the condition`() async {
        let (first, second) = (Session(), Session())
        let mirror = QueryMirror(Number(1).enabled(observing: { first.isSignedIn }), client: client)
        @SharedQuery(Number(2).enabled(observing: { second.isSignedIn }), client: client) var shared
        _ = shared
        await client.settled()
        #expect(bench.backend.count == 0)
        first.isSignedIn = true
        await client.settled()
        #expect(mirror.value == 1)
        second.isSignedIn = true
        await client.settled()
        #expect(shared == 2)
    }

    @MainActor @Test func `R30 a mirror that shows the request with another condition follows the new condition`() async {
        let (old, new) = (Session(), Session())
        let mirror = QueryMirror(Self.observed(old), client: client)
        await client.settled()
        mirror.show(Self.observed(new))
        await client.settled()
        old.isSignedIn = true
        await client.settled()
        #expect(bench.backend.count == 0)
        new.isSignedIn = true
        await client.settled()
        #expect(bench.backend.count == 1)
    }
}
