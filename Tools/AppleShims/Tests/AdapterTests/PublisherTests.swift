import Combine
import Foundation
import TestSupport
import Testing

@testable import QueryKit

@Suite(.timeLimit(.minutes(5)))
struct PublisherTests {
    private let bench = TestBench()
    private var store: QueryStore<Number.State> { bench.client.store(for: Number().enabled(false)) }

    @Test func `a subscriber receives the current state first, and then each state in order`() async throws {
        let store = store
        store.setValue(7)
        let seen = Recorder<String>()
        let cancellable = store.publisher.sink { seen.note(StateSummary($0).description) }
        #expect(seen.all == ["7"])
        _ = try await store.fetch()
        store.setValue(8)
        #expect(seen.all == ["7", "7 fetching", "1", "8"])
        cancellable.cancel()
    }

    @Test func `attaching a subscriber subscribes to the store, and cancelling unsubscribes`() {
        let store = store
        let seen = Recorder<String>()
        let publisher = store.publisher
        #expect(store.subscriberCount == 0)
        let first = publisher.sink { seen.note(StateSummary($0).description) }
        let second = publisher.sink { _ in }
        #expect(store.subscriberCount == 2)
        first.cancel()
        #expect(store.subscriberCount == 1)
        store.setValue(1)
        #expect(seen.all == ["idle"])
        second.cancel()
        #expect(store.subscriberCount == 0)
    }

    @Test func `a subscriber with limited demand skips states in between and receives the newest`() {
        let store = store
        let probe = Probe()
        store.publisher.receive(subscriber: probe)
        #expect(probe.seen.all == [])
        probe.request(.max(1))
        #expect(probe.seen.take() == ["idle"])
        for value in 1...3 { store.setValue(value) }
        #expect(probe.seen.take() == [])
        probe.request(.max(2))
        #expect(probe.seen.take() == ["3"])
        store.setValue(4)
        store.setValue(5)
        #expect(probe.seen.take() == ["4"])
        probe.request(.none)
        #expect(probe.seen.take() == [])
        probe.request(.unlimited)
        store.setValue(6)
        store.setValue(7)
        #expect(probe.seen.take() == ["5", "6", "7"])
        probe.cancel()
    }

    @Test func `requesting more elements while receiving one does not deliver recursively`() {
        let store = store
        let probe = Probe()
        probe.onReceive = { state in
            probe.seen.note("begin")
            if state.value ?? 0 < 3 { store.setValue((state.value ?? 0) + 1) }
            probe.request(.max(1))
            probe.seen.note("end")
            return .none
        }
        store.publisher.receive(subscriber: probe)
        probe.request(.max(1))
        #expect(probe.seen.all == ["idle", "begin", "end", "1", "begin", "end", "2", "begin", "end", "3", "begin", "end"])
        probe.cancel()
    }

    @Test func `the demand returned from receive counts as a request`() {
        let store = store
        let probe = Probe()
        probe.onReceive = { _ in .max(1) }
        store.publisher.receive(subscriber: probe)
        probe.request(.max(1))
        for value in 1...3 { store.setValue(value) }
        #expect(probe.seen.all == ["idle", "1", "2", "3"])
        probe.cancel()
    }

    @Test func `a subscriber may cancel before, during and after its first element`() {
        let store = store
        let before = Probe()
        before.onSubscribe = { before.cancel() }
        store.publisher.receive(subscriber: before)
        #expect(store.subscriberCount == 0)
        let during = Probe()
        during.onReceive = { _ in
            during.cancel()
            return .unlimited
        }
        during.onSubscribe = { during.request(.unlimited) }
        store.publisher.receive(subscriber: during)
        #expect(store.subscriberCount == 0)
        store.setValue(1)
        #expect(before.seen.all == [])
        #expect(during.seen.all == ["idle"])
        during.cancel()
    }

    @Test func `R33 a state that another thread will deliver counts as outstanding work`() async {
        let store = store
        let probe = Probe()
        let mayReturn = DispatchSemaphore(value: 0)
        await withCheckedContinuation { isReceiving in
            probe.onReceive = { state in
                if state.value == nil {
                    isReceiving.resume()
                    mayReturn.wait()
                }
                return .max(1)
            }
            store.publisher.receive(subscriber: probe)
            Thread.detachNewThread { probe.request(.max(1)) }
        }
        store.setValue(1)
        #expect(bench.client.core.work.count == 1)
        mayReturn.signal()
        await bench.client.settled()
        #expect(probe.seen.all == ["idle", "1"])
        probe.cancel()
    }

    @Test func `deliveries never overlap while many threads write, and the last state arrives`() async {
        let store = store
        let inside = Lock(0)
        let overlaps = Recorder<Int>()
        let seen = Recorder<Int>()
        let cancellable = store.publisher.sink { state in
            let now = inside.withLock { inside in
                inside += 1
                return inside
            }
            if now != 1 { overlaps.note(now) }
            seen.note(state.revision)
            inside.withLock { $0 -= 1 }
        }
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask { for value in 0..<100 { store.setValue(writer * 1_000 + value) } }
            }
        }
        #expect(overlaps.all == [])
        #expect(seen.all == seen.all.sorted())
        #expect(seen.last == store.state.revision)
        cancellable.cancel()
    }
}

/// A subscriber that requests elements when the test calls it.
// Invariant: used by one test, on one thread at a time.
private final class Probe: Combine.Subscriber, @unchecked Sendable {
    typealias Input = Number.State
    typealias Failure = Never

    let seen = Recorder<String>()
    var onSubscribe: () -> Void = {}
    var onReceive: (Input) -> Subscribers.Demand = { _ in .none }
    private var subscription: (any Subscription)?

    func receive(subscription: any Subscription) {
        self.subscription = subscription
        onSubscribe()
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        seen.note(StateSummary(input).description)
        return onReceive(input)
    }

    func receive(completion: Subscribers.Completion<Never>) {}

    func request(_ demand: Subscribers.Demand) { subscription?.request(demand) }

    func cancel() {
        subscription?.cancel()
        subscription = nil
    }
}
