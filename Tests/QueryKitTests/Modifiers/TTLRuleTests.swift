import TestSupport
import Testing

@testable import QueryKit

/// Freshness that depends on the value.
struct TTLRuleTests {
    private let bench = TestBench()
    private var client: QueryClient { bench.client }

    /// Odd values never age, and even ones are fresh for five seconds.
    private func request(_ id: Int = 1) -> some QueryRequest<Int, Number.State> {
        Number(id).ttl { value in value.isMultiple(of: 2) ? .seconds(5) : .infinity }
    }

    @Test func `R13 a value is fresh for as long as the ttl closure returns`() async throws {
        let store = client.store(for: request())
        #expect(store.isStale)
        store.setValue(2)
        bench.clock.advance(by: .seconds(4))
        #expect(!store.isStale)
        bench.clock.advance(by: .seconds(1))
        #expect(store.isStale)
        store.setValue(3)
        bench.clock.advance(by: .seconds(200))
        #expect(!store.isStale)
        store.invalidate()
        #expect(store.isStale)
    }

    @Test func `R13 a fetch returns a value that is fresh by the ttl closure, and runs otherwise`() async throws {
        client.setValue(7, for: Number())
        #expect(try await client.fetch(request()) == 7)
        client.setValue(8, for: Number())
        bench.clock.advance(by: .seconds(5))
        #expect(try await client.fetch(request()) == 1)
        #expect(bench.backend.count == 1)
    }

    @Test func `R14 R30 an observer with a ttl closure fetches by it, and others by their own ttl`() async {
        client.setValue(7, for: Number())
        let patient = client.store(for: request()).record(Recorder())
        await client.settled()
        #expect(bench.backend.count == 0)
        let eager = client.store(for: Number()).record(Recorder())
        await client.settled()
        #expect(bench.backend.count == 1)
        for subscription in [patient, eager] { subscription.cancel() }
    }

    @Test func `R20 R31 triggers refetch by the ttl closure`() async {
        let app = ManualActivityObserver()
        var context = client.context
        context.activityObserver = app
        context.queryClient = nil
        var configuration = QueryClient.Configuration.isolated
        configuration.refetchesWhenActive = true
        let client = QueryClient(context: context, configuration: configuration)
        let bell = Bell()
        let store = client.store(for: request().refetch(on: bell.trigger))
        store.setValue(7)
        let subscription = store.record(Recorder())
        func ask() async {
            bell.ring()
            app.set(isActive: false)
            app.set(isActive: true)
            await client.settled()
            bench.clock.advance(by: .seconds(10))
            await client.settled()
        }
        await ask()
        #expect(bench.backend.count == 0)
        store.setValue(8)
        bench.clock.advance(by: .seconds(10))
        await ask()
        #expect(store.value == 1 && bench.backend.count == 1)
        subscription.cancel()
    }

    @Test func `R13 the outer of a ttl duration and a ttl closure wins`() {
        let closure = client.store(for: Number().ttl(.zero).ttl { _ in .infinity })
        closure.setValue(2)
        #expect(!closure.isStale)
        #expect(client.store(for: Number().ttl { _ in .infinity }.ttl(.zero)).isStale)
        #expect(client.store(for: Number().ttl { _ in .seconds(-5) }).isStale)
    }

    @Test func `R28 the freshness of a stored value is decided by the ttl closure`() async {
        let cache = MemoryQueryCache(clock: bench.clock)
        let request = request().persisted(in: cache)
        client.setValue(7, for: request)
        await client.settled()
        var context = client.context
        context.queryClient = nil
        let next = QueryClient(context: context, configuration: .isolated)
        let subscription = next.store(for: request).record(Recorder())
        await next.settled()
        #expect(next.value(for: request) == 7 && bench.backend.count == 0)
        subscription.cancel()
    }

    @Test func `R29 the ttl closure is called without a lock and with the base value`() async {
        let asked = Recorder<Int>()
        let client = self.client
        let store = client.store(
            for: Number().ttl { value in
                // If the lock were held, this call would never return.
                _ = client.value(for: Number())
                asked.note(value)
                return .infinity
            }
        )
        store.setValue(4)
        let subscription = store.record(Recorder())
        await client.settled()
        #expect(!store.isStale && bench.backend.count == 0)
        #expect(Set(asked.all) == [4])
        subscription.cancel()
    }

    @Test func `R13 the ttl closure is called again if another value is written during its call`() async {
        let client = self.client
        let hasWritten = SharedFlag()
        let store = client.store(
            for: Number().ttl { value in
                if hasWritten.raise() { client.setValue(9, for: Number()) }
                return value == 9 ? .infinity : .zero
            }
        )
        client.setValue(2, for: Number())
        #expect(!store.isStale)
        let other = client.store(for: Number().ttl { $0 == 9 ? .infinity : .zero }).record(Recorder())
        await client.settled()
        #expect(bench.backend.count == 0)
        other.cancel()
    }
}
