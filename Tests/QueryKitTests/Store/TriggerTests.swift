import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

struct TriggerTests {
    /// A trigger that the test fires and that knows how many stores listen to it.
    private final class Bell: Sendable {
        private let listeners = Listeners(0)

        var isEmpty: Bool { listeners.isEmpty }

        func ring() { listeners.send(0) }

        var trigger: QueryTrigger {
            QueryTrigger("bell") { [listeners] _, fire in listeners.add { _ in fire() } }
        }
    }

    @Test func `R20 a trigger causes a run while the store is observed, and has no listener afterwards`() async {
        let bell = Bell()
        let bench = TestBench()
        let store = bench.client.store(for: Number().refetch(on: bell.trigger))
        #expect(bell.isEmpty)
        let first = store.record(Recorder())
        let second = store.record(Recorder())
        await bench.client.settled()
        let before = bench.backend.count
        bell.ring()
        await bench.client.settled()
        #expect(bench.backend.count == before + 1)
        #expect(store.state.cause == .trigger("bell"))
        first.cancel()
        #expect(!bell.isEmpty)
        second.cancel()
        #expect(bell.isEmpty)
        bell.ring()
        await bench.client.settled()
        #expect(bench.backend.count == before + 1)
    }

    @Test func `R20 one event causes one run, even if that ends before the next observer's trigger fires`() async {
        let (early, late) = (Bell(), Bell())
        let bench = TestBench()
        let subscriptions = [early, late].map { bench.client.store(for: Number().refetch(on: $0.trigger)).record(Recorder()) }
        await bench.client.settled()
        let before = bench.backend.count
        early.ring()
        await bench.client.settled()
        late.ring()
        await bench.client.settled()
        #expect(bench.backend.count == before + 1)
        bench.clock.advance(by: .milliseconds(100))
        late.ring()
        await bench.client.settled()
        #expect(bench.backend.count == before + 2)
        // The observer that fired first gets a run for the event that it missed.
        late.ring()
        bench.clock.advance(by: .milliseconds(100))
        await bench.client.settled()
        #expect(bench.backend.count == before + 3)
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func `R20 a run does not satisfy another observer's trigger that fires after an invalidation`() async {
        let (early, late) = (Bell(), Bell())
        let bench = TestBench()
        let subscriptions = [early, late].map { bench.client.store(for: Number().refetch(on: $0.trigger)).record(Recorder()) }
        await bench.client.settled()
        let before = bench.backend.count
        early.ring()
        await bench.client.settled()
        bench.client.invalidate("**", refetch: .none)
        late.ring()
        await bench.client.settled()
        #expect(bench.backend.count == before + 2)
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func `R20 a run does not satisfy another observer's trigger once the observer that caused it has left`() async {
        let (early, late) = (Bell(), Bell())
        let bench = TestBench()
        let first = bench.client.store(for: Number().refetch(on: early.trigger)).record(Recorder())
        let second = bench.client.store(for: Number().refetch(on: late.trigger)).record(Recorder())
        await bench.client.settled()
        let before = bench.backend.count
        early.ring()
        await bench.client.settled()
        first.cancel()
        late.ring()
        await bench.client.settled()
        #expect(bench.backend.count == before + 2)
        second.cancel()
    }

    @Test func `R20 a trigger does nothing if the value is fresh or the request is disabled`() async {
        let bell = Bell()
        let bench = TestBench()
        let isEnabled = Lock(true)
        let store = bench.client.store(
            for: Number().ttl(.seconds(60)).enabled { _ in isEnabled.withLock { $0 } }.refetch(on: bell.trigger)
        )
        let subscription = store.record(Recorder())
        await bench.client.settled()
        bell.ring()
        await bench.client.settled()
        #expect(bench.backend.count == 1)
        bench.clock.advance(by: .seconds(61))
        isEnabled.withLock { $0 = false }
        bell.ring()
        await bench.client.settled()
        #expect(bench.backend.count == 1)
        isEnabled.withLock { $0 = true }
        bench.clock.advance(by: .seconds(1))
        bell.ring()
        await bench.client.settled()
        #expect(bench.backend.count == 2)
        subscription.cancel()
    }

    @Test func `R20 a trigger joins the run under way`() async {
        let bell = Bell()
        let gate = Gate()
        let bench = TestBench { call in
            try await gate.pass()
            return call.number
        }
        let store = bench.client.store(for: Number().refetch(on: bell.trigger))
        let subscription = store.record(Recorder())
        await gate.arrived()
        bell.ring()
        gate.open()
        await bench.client.settled()
        #expect(bench.backend.count == 1)
        subscription.cancel()
    }

    @Test func `R20 a trigger that fires a hundred thousand times causes one run at once and one after the pause`() async {
        let bell = Bell()
        let bench = TestBench()
        let store = bench.client.store(for: Number().refetch(on: bell.trigger))
        let subscription = store.record(Recorder())
        await bench.client.settled()
        bell.ring()
        await bench.client.settled()
        for _ in 1..<100_000 { bell.ring() }
        await bench.client.settled()
        #expect(bench.backend.count == 2)
        bench.clock.advance(by: TriggerSession.pause)
        await bench.client.settled()
        #expect(bench.backend.count == 3)
        bench.clock.advance(by: .seconds(10))
        await bench.client.settled()
        #expect(bench.backend.count == 3)
        subscription.cancel()
    }

    @Test func `R20 polling runs at the multiples of its interval, and equal intervals share one alarm`() async {
        let bench = TestBench()
        bench.clock.advance(by: .seconds(3))
        let stores = (1...5).map { bench.client.store(for: Number($0).polling(every: .seconds(10))) }
        let subscriptions = stores.map { $0.record(Recorder()) }
        await bench.client.settled()
        #expect(bench.clock.alarmCount == 1)
        bench.clock.advance(by: .seconds(6))
        await bench.client.settled()
        #expect(bench.backend.count == 5)
        bench.clock.advance(by: .seconds(1))
        await bench.client.settled()
        #expect(bench.backend.count == 10)
        for _ in 0..<3 {
            bench.clock.advance(by: .seconds(10))
            await bench.client.settled()
        }
        #expect(bench.backend.count == 25)
        for subscription in subscriptions { subscription.cancel() }
        bench.clock.advance(by: .seconds(100))
        await bench.client.settled()
        #expect(bench.backend.count == 25)
    }

    @Test func `R20 polling with an interval of zero or less never fires, and one of centuries does no harm`() async {
        let bench = TestBench()
        let intervals: [Duration] = [.zero, .seconds(-5), .infinity]
        let subscriptions = intervals.enumerated().map { index, interval in
            bench.client.store(for: Number(index).polling(every: interval)).record(Recorder())
        }
        await bench.client.settled()
        bench.clock.advance(by: .seconds(1_000_000))
        await bench.client.settled()
        #expect(bench.backend.count == 3)
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func `R20 any sequence is a trigger`() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        let gate = Gate()
        let bench = TestBench { call in
            if call.number == 2 { try await gate.pass() }
            return call.number
        }
        let store = bench.client.store(for: Number().refetch(on: QueryTrigger("sequence", sequence: { stream })))
        let subscription = store.record(Recorder())
        await bench.client.settled()
        continuation.yield(1)
        await gate.arrived()
        gate.open()
        await bench.client.settled()
        #expect(store.value == 2)
        subscription.cancel()
        continuation.finish()
    }

    @Test func `R20 reconnecting is a trigger`() async {
        let network = ManualNetworkObserver()
        let bench = TestBench(network: network) { $0.number }
        let store = bench.client.store(for: Number().refetch(on: .reconnect))
        let subscription = store.record(Recorder())
        await bench.client.settled()
        network.set(isOnline: false)
        #expect(bench.backend.count == 1)
        network.set(isOnline: true)
        await bench.client.settled()
        #expect(bench.backend.count == 2)
        #expect(store.state.cause == .trigger("reconnect"))
        subscription.cancel()
    }
}
