import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// Default triggers: events that make observed queries refetch (R31).
struct DefaultTriggerTests {
    private struct Bench {
        let clock = ManualClock()
        let network = ManualNetworkObserver()
        let app = ManualActivityObserver()
        let backend: Backend
        let client: QueryClient

        init(_ configuration: QueryClient.Configuration = Bench.configuration(), _ behavior: @escaping Backend.Behavior = { $0.number }) {
            backend = Backend(behavior)
            var context = QueryContext()
            context.clock = clock
            context.backend = backend
            context.networkObserver = network
            context.activityObserver = app
            context.networkMode = .online
            client = QueryClient(context: context, configuration: configuration)
        }

        /// A configuration with the default triggers and without observers of the system.
        static func configuration(active: Bool = true, reconnect: Bool = true) -> QueryClient.Configuration {
            var configuration = QueryClient.Configuration.isolated
            configuration.refetchesWhenActive = active
            configuration.refetchesOnReconnect = reconnect
            return configuration
        }

        func comeBack() {
            app.set(isActive: false)
            app.set(isActive: true)
        }

        func reconnect() {
            network.set(isOnline: false)
            network.set(isOnline: true)
        }

        /// Waits until everything caused by the events so far has happened, including work that was postponed.
        func settle() async {
            await client.settled()
            clock.advance(by: .seconds(1))
            await client.settled()
        }
    }

    @Test(arguments: [true, false], [true, false])
    func `R31 observed stale queries refetch when the app becomes active and when the network returns`(
        _ active: Bool,
        _ reconnect: Bool
    ) async {
        let bench = Bench(Bench.configuration(active: active, reconnect: reconnect))
        let store = bench.client.store(for: Number())
        let subscription = store.record(Recorder())
        await bench.settle()
        bench.comeBack()
        await bench.settle()
        #expect(bench.backend.count == (active ? 2 : 1))
        if active { #expect(store.state.cause == .trigger("app active") && store.state.cause.trigger == "app active") }
        bench.reconnect()
        await bench.settle()
        #expect(bench.backend.count == 1 + (active ? 1 : 0) + (reconnect ? 1 : 0))
        if reconnect { #expect(store.state.cause.trigger == "reconnect") }
        subscription.cancel()
    }

    @Test func `R31 a client with the default configuration has the default triggers`() {
        let network = ManualNetworkObserver()
        var context = QueryContext()
        context.networkObserver = network
        let client = QueryClient(context: context)
        #expect(client.core.covers(.reconnect, in: client.context))
        #expect(client.core.covers(.appActive, in: client.context))
        #expect(!client.core.covers(.dayChange, in: client.context))
    }

    @Test func `R31 default triggers don't refetch fresh, unobserved or disabled queries`() async throws {
        let bench = Bench()
        let fresh = bench.client.store(for: Number(1).ttl(.infinity)).record(Recorder())
        _ = try await bench.client.fetch(Number(2))
        let disabled = bench.client.store(for: Number(3).enabled(false)).record(Recorder())
        await bench.settle()
        #expect(bench.backend.count == 2)
        bench.comeBack()
        bench.reconnect()
        await bench.settle()
        #expect(bench.backend.count == 2)
        for subscription in [fresh, disabled] { subscription.cancel() }
    }

    @Test func `R31 a default trigger refetches if the value is stale for at least one observer`() async {
        let bench = Bench()
        let fresh = bench.client.store(for: Number().ttl(.seconds(60))).record(Recorder())
        let stale = bench.client.store(for: Number().ttl(.seconds(1))).record(Recorder())
        await bench.settle()
        bench.clock.advance(by: .seconds(10))
        bench.comeBack()
        await bench.settle()
        #expect(bench.backend.count == 2)
        stale.cancel()
        bench.clock.advance(by: .seconds(10))
        bench.comeBack()
        await bench.settle()
        #expect(bench.backend.count == 2)
        fresh.cancel()
    }

    @Test func `R31 R20 a request that has the default triggers as its own refetches once per event`() async {
        let bench = Bench()
        let store = bench.client.store(for: Number().refetch(on: .appActive).refetch(on: .reconnect))
        let subscription = store.record(Recorder())
        await bench.settle()
        for round in 1...50 {
            bench.comeBack()
            await bench.settle()
            bench.reconnect()
            await bench.settle()
            #expect(bench.backend.count == 1 + 2 * round)
        }
        subscription.cancel()
    }

    @Test func `R31 R20 a request's own trigger works if the client's default triggers are off`() async {
        let bench = Bench(Bench.configuration(active: false, reconnect: false))
        let store = bench.client.store(for: Number().refetch(on: .appActive).refetch(on: .reconnect))
        let subscription = store.record(Recorder())
        await bench.settle()
        bench.comeBack()
        await bench.settle()
        bench.reconnect()
        await bench.settle()
        #expect(bench.backend.count == 3)
        subscription.cancel()
    }

    @Test func `R31 R20 a request whose context has another activity observer also follows that observer`() async {
        let bench = Bench()
        let other = ManualActivityObserver()
        let request = Number().refetch(on: .appActive).setting { $0.activityObserver = other }
        let subscription = bench.client.store(for: request).record(Recorder())
        await bench.settle()
        other.set(isActive: false)
        other.set(isActive: true)
        await bench.settle()
        #expect(bench.backend.count == 2)
        subscription.cancel()
    }

    @Test func `R31 R12 each paused run continues once when the network returns`() async {
        let bench = Bench()
        let subscriptions = (1...300).map { bench.client.store(for: Number($0)).record(Recorder()) }
        await bench.settle()
        bench.network.set(isOnline: false)
        bench.client.invalidate("number/**")
        await bench.settle()
        #expect(bench.backend.count == 300)
        bench.network.set(isOnline: true)
        await bench.settle()
        #expect(bench.backend.count == 600)
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func `R31 R20 becoming active and reconnecting at the same time cause one run`() async {
        let gate = Gate()
        let bench = Bench { call in
            if call.number == 2 { try await gate.pass() }
            return call.number
        }
        let subscription = bench.client.store(for: Number()).record(Recorder())
        await bench.settle()
        bench.comeBack()
        await gate.arrived()
        bench.reconnect()
        gate.open()
        await bench.settle()
        #expect(bench.backend.count == 2)
        subscription.cancel()
    }

    @Test func `R31 R20 a store refetches at most ten times a second no matter how often the app becomes active`() async {
        let bench = Bench()
        let subscription = bench.client.store(for: Number()).record(Recorder())
        await bench.settle()
        for _ in 1...20 {
            bench.comeBack()
            await bench.client.settled()
        }
        #expect(bench.backend.count == 2)
        await bench.settle()
        #expect(bench.backend.count == 3)
        subscription.cancel()
    }

    @Test func `R31 a trigger does not refetch a value that was read after it fired`() async throws {
        let bench = Bench()
        let store = bench.client.store(for: Number())
        let subscription = store.record(Recorder())
        await bench.settle()
        let (_, _, before) = bench.client.core.observedStores()
        _ = try await store.fetch()
        store.core.refreshIfStale(.trigger("late"), after: before)
        await bench.settle()
        #expect(bench.backend.count == 2)
        let (_, _, after) = bench.client.core.observedStores()
        store.core.refreshIfStale(.trigger("new"), after: after)
        await bench.settle()
        #expect(bench.backend.count == 3)
        subscription.cancel()
    }

    @Test func `R31 a default trigger refetches two thousand observed stores`() async {
        let bench = Bench()
        let subscriptions = (1...2_000).map { bench.client.store(for: Number($0)).record(Recorder()) }
        await bench.settle()
        bench.comeBack()
        await bench.settle()
        #expect(bench.backend.count == 4_000)
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func `R31 default triggers stop when the client is deallocated`() async {
        var bench: Bench? = Bench()
        let (app, backend) = (bench!.app, bench!.backend)
        let store = bench!.client.store(for: Number())
        let subscription = store.record(Recorder())
        await bench!.settle()
        bench = nil
        app.set(isActive: false)
        app.set(isActive: true)
        #expect(backend.count == 1)
        #expect(!store.isFetching)
        subscription.cancel()
    }
}
