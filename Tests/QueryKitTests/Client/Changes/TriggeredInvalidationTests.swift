import Foundation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

struct TriggeredInvalidationTests {
    private let user = ManualTimeZoneObserver(.gmt)

    private func bench() -> TestBench { TestBench(adjusting: { [user] in $0.timeZoneObserver = user }) }

    @Test func `R20 at midnight all matching requests become stale, and the observed ones refetch even if fresh`() async throws {
        let bench = bench()
        bench.clock.setDate(try Date("2024-05-10T23:59:00Z", strategy: .iso8601))
        let seen = bench.client.store(for: Number(1).ttl(.infinity))
        let unseen = bench.client.store(for: Number(2).ttl(.infinity))
        let subscription = seen.record(Recorder())
        _ = try await unseen.fetch()
        await bench.client.settled()
        let midnight = bench.client.invalidate("number/*", on: .dayChange)
        bench.clock.advance(by: .seconds(59))
        await bench.client.settled()
        #expect(!seen.isStale && !unseen.isStale)
        bench.clock.advance(by: .seconds(1))
        await bench.client.settled()
        #expect(bench.backend.fetched.count == 3 && bench.backend.fetched.last == 1)
        #expect(seen.state.cause.trigger == "day change")
        #expect(!seen.isStale && unseen.isStale)
        midnight.cancel()
        bench.clock.advance(by: .seconds(24 * 3600))
        await bench.client.settled()
        #expect(bench.backend.count == 3)
        subscription.cancel()
    }

    @Test func `R20 a trigger invalidates only the requests that match its pattern`() async throws {
        let bench = bench()
        let one = bench.client.store(for: Number(1).ttl(.infinity))
        let two = bench.client.store(for: Number(2).ttl(.infinity))
        _ = try await one.fetch()
        _ = try await two.fetch()
        let subscription = bench.client.invalidate(["number", 1], on: .timeZoneChange)
        user.set(try #require(TimeZone(secondsFromGMT: 3600)))
        #expect(one.isStale && !two.isStale)
        subscription.cancel()
    }

    @Test func `R29 what matches one of several patterns is stale before the first observer hears of the trigger`() async {
        let gate = Gate()
        let bench = TestBench { call in
            if call.number > 2 { try await gate.pass() }
            return call.number
        }
        let bell = Listeners(0)
        let others = Recorder<Bool>()
        let stores = [1, 2].map { bench.client.store(for: Number($0).ttl(.infinity)) }
        let subscriptions = [(stores[0], stores[1]), (stores[1], stores[0])].map { store, other in
            store.subscribe(with: QueryEventHandler { state, _ in if state.value != nil, state.isFetching { others.note(other.isStale) } })
        }
        await bench.client.settled()
        let invalidation = bench.client.invalidate(
            anyOf: [["number", 1], ["number", 2]],
            on: QueryTrigger("bell", start: { _, fire in bell.add { _ in fire() } })
        )
        bell.send(0)
        await bench.client.settled()
        #expect(others.all == [true, true])
        gate.open()
        await bench.client.settled()
        #expect(bench.backend.fetched.count == 4)
        invalidation.cancel()
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func `R20 a trigger that fires a thousand times invalidates at once and once more after the pause`() async {
        let bench = bench()
        let bell = Listeners(0)
        let store = bench.client.store(for: Number().ttl(.infinity))
        let subscription = store.record(Recorder())
        await bench.client.settled()
        let invalidation = bench.client.invalidate(
            "**",
            on: QueryTrigger("bell", start: { _, fire in bell.add { _ in fire() } })
        )
        for _ in 0..<1000 { bell.send(0) }
        await bench.client.settled()
        #expect(bench.backend.count == 2)
        bench.clock.advance(by: TriggerSession.pause)
        await bench.client.settled()
        #expect(bench.backend.count == 3)
        bench.clock.advance(by: .seconds(10))
        await bench.client.settled()
        #expect(bench.backend.count == 3)
        invalidation.cancel()
        #expect(bell.isEmpty)
        subscription.cancel()
    }

    @Test func `R20 a trigger that fires during the pause marks values as stale at once and refetches after the pause`() async throws {
        let bench = bench()
        let bell = Listeners(0)
        let (seen, unseen) = (bench.client.store(for: Number(1).ttl(.infinity)), bench.client.store(for: Number(2).ttl(.infinity)))
        let subscription = seen.record(Recorder())
        await bench.client.settled()
        _ = try await unseen.fetch()
        let invalidation = bench.client.invalidate("number/*", on: QueryTrigger("bell", start: { _, fire in bell.add { _ in fire() } }))
        bell.send(0)
        await bench.client.settled()
        _ = try await unseen.fetch()
        #expect(bench.backend.count == 4 && !seen.isStale && !unseen.isStale)
        bell.send(0)
        // Stale from this moment on; the runs of observers wait for the end of the pause.
        #expect(seen.isStale && unseen.isStale)
        await bench.client.settled()
        #expect(bench.backend.count == 4)
        #expect(try await bench.client.fetch(Number(2).ttl(.infinity)) == 5)
        bench.clock.advance(by: TriggerSession.pause)
        await bench.client.settled()
        // A value fetched after it was marked is not fetched again.
        #expect(bench.backend.fetched == [1, 2, 1, 2, 2, 1] && !seen.isStale && !unseen.isStale)
        #expect(seen.state.cause.trigger == "bell")
        bench.clock.advance(by: .seconds(10))
        await bench.client.settled()
        #expect(bench.backend.count == 6)
        invalidation.cancel()
        bell.send(0)
        #expect(!seen.isStale)
        subscription.cancel()
    }

    @Test func `R20 a run that began before a trigger fired in the pause yields a stale value, and another run follows`() async throws {
        let gate = Gate()
        let bench = TestBench { call in
            if call.number == 2 { try await gate.pass() }
            return call.number
        }
        let bell = Listeners(0)
        let store = bench.client.store(for: Number().ttl(.infinity))
        let subscription = store.record(Recorder())
        await bench.client.settled()
        let invalidation = bench.client.invalidate("**", on: QueryTrigger("bell", start: { _, fire in bell.add { _ in fire() } }))
        bell.send(0)
        await gate.arrived()
        bell.send(0)
        gate.open()
        await bench.client.settled()
        #expect(store.value == 2 && store.isStale)
        bench.clock.advance(by: TriggerSession.pause)
        await bench.client.settled()
        #expect(store.value == 3 && !store.isStale && bench.backend.count == 3)
        invalidation.cancel()
        subscription.cancel()
    }

    @Test func `R20 reconnecting and a timer also invalidate`() async throws {
        let network = ManualNetworkObserver()
        let bench = TestBench(network: network) { $0.number }
        let store = bench.client.store(for: Number().ttl(.infinity))
        _ = try await store.fetch()
        let subscriptions = [
            bench.client.invalidate("**", on: .reconnect), bench.client.invalidate("**", on: .every(.seconds(10))),
        ]
        network.set(isOnline: false)
        network.set(isOnline: true)
        #expect(store.isStale)
        _ = try await store.fetch()
        #expect(!store.isStale)
        bench.clock.advance(by: .seconds(10))
        #expect(store.isStale)
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func `R20 a triggered invalidation also reaches values that have no store`() throws {
        final class Listener: PatternListener {
            let received = Recorder<QueryPattern>()

            func receive(_ change: PatternChange) {
                if case .invalidated(let pattern) = change { received.note(pattern) }
            }
        }
        let bench = bench()
        let listener = bench.client.core.patterns.listener(for: ObjectIdentifier(user)) { _ in Listener() }.listener
        let subscription = bench.client.invalidate("food/**", on: .timeZoneChange)
        user.set(try #require(TimeZone(secondsFromGMT: 3600)))
        #expect(listener.received.all == ["food/**"])
        subscription.cancel()
    }

    @Test func `R20 a trigger continues in a new session, with that session's context`() async {
        let bells = Lock<[String: Listeners<Int>]>(["a": Listeners(0), "b": Listeners(0)])
        let bench = TestBench(adjusting: { $0.session = "a" })
        let client = bench.client
        let mail = QueryTrigger("mail") { context, fire in
            bells.withLock { $0[context.session ?? ""] }?.add { _ in if context.queryClient != nil { fire() } } ?? QuerySubscription {}
        }
        let subscription = client.invalidate("**", on: mail)
        client.reset(session: "b")
        let store = client.store(for: Number().ttl(.infinity))
        store.setValue(1)
        bells.withLock { $0["a"] }?.send(0)
        #expect(!store.isStale)
        bells.withLock { $0["b"] }?.send(0)
        #expect(store.isStale)
        #expect(bells.withLock { $0["a"] }?.isEmpty == true)
        subscription.cancel()
        #expect(bells.withLock { $0["b"] }?.isEmpty == true)
        client.reset(session: "a")
        #expect(bells.withLock { $0["a"] }?.isEmpty == true)
    }

    @Test func `R20 a session that begins while a trigger is being started gets the trigger too`() {
        let client = TestBench(adjusting: { $0.session = "a" }).client
        let (live, hasEnded) = (Lock<[String]>([]), SharedFlag())
        let trigger = QueryTrigger("trigger") { context, _ in
            let session = context.session ?? ""
            if hasEnded.raise() { context.queryClient?.reset(session: "b") }
            live.withLock { $0.append(session) }
            return QuerySubscription { live.withLock { live in live.firstIndex(of: session).map { _ = live.remove(at: $0) } } }
        }
        let subscription = client.invalidate("**", on: trigger)
        #expect(live.withLock { $0 } == ["b"])
        subscription.cancel()
        #expect(live.withLock { $0 } == [])
    }

    @Test(arguments: [["number/*"], ["**"], [["number", 1], ["number", 2]]] as [[QueryPattern]])
    func `R29 after the pause all matches refetch as one change`(_ patterns: [QueryPattern]) async {
        let gate = Gate()
        let bench = TestBench { call in
            if call.number > 4 { try await gate.pass() }
            return call.number
        }
        let bell = Listeners(0)
        let others = Recorder<Bool>()
        let stores = [1, 2].map { bench.client.store(for: Number($0).ttl(.infinity)) }
        let subscriptions = [(stores[0], stores[1]), (stores[1], stores[0])].map { store, other in
            store.subscribe(
                with: QueryEventHandler { state, _ in
                    guard state.isFetching, state.isInvalidated else { return }
                    // The change is entered for the other store, too: it begins a run as soon as it is used.
                    other.core.catchUp()
                    others.note(other.state.isFetching)
                }
            )
        }
        await bench.client.settled()
        let invalidation = bench.client.invalidate(
            anyOf: patterns,
            on: QueryTrigger("bell", start: { _, fire in bell.add { _ in fire() } })
        )
        bell.send(0)
        await bench.client.settled()
        bell.send(0)
        await bench.client.settled()
        _ = others.take()
        #expect(bench.backend.count == 4 && stores.allSatisfy(\.isStale))
        bench.clock.advance(by: TriggerSession.pause)
        #expect(stores.allSatisfy(\.state.isFetching) && others.all == [true, true])
        gate.open()
        await bench.client.settled()
        #expect(bench.backend.count == 6 && stores.allSatisfy { !$0.isStale && $0.state.cause.trigger == "bell" })
        invalidation.cancel()
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func `R20 a subscription to a trigger does not keep the client alive`() {
        var bench: TestBench? = bench()
        weak let client = bench?.client
        let subscription = bench?.client.invalidate("**", on: .dayChange)
        let clock = bench?.clock
        bench = nil
        #expect(client == nil)
        clock?.advance(by: .seconds(48 * 3600))
        subscription?.cancel()
        // The alarm set for the next midnight does nothing and sets no other alarm.
        clock?.advance(by: .seconds(24 * 3600))
        #expect(clock?.alarmCount == 0)
    }
}
