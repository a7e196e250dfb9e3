import Foundation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

struct EventTests {
    /// The events sent so far, without changes, up to the removal of a store, which this causes.
    private func finish(_ bench: TestBench, _ events: AsyncStream<QueryEvent>) async -> [QueryEvent] {
        bench.client.setValue(0, for: Number(999))
        bench.client.remove(["number", .value(999)])
        var all: [QueryEvent] = []
        for await event in events {
            if event.kind == .storeRemoved, event.path == ["number", 999] { break }
            if event.kind != .changed { all.append(event) }
        }
        return all
    }

    @Test func `R27 each run has a start and an end event with its number, cause and duration`() async throws {
        let bench = TestBench { call in
            (call.context.clock as? ManualClock)?.advance(by: .milliseconds(20))
            if call.number == 2 { throw TestError() }
            return call.number
        }
        let events = bench.client.events
        let store = bench.client.store(for: Number())
        let subscription = store.record(Recorder())
        await bench.client.settled()
        bench.client.invalidate("number/**")
        bench.client.cancel("number/**")
        _ = try? await store.fetch()
        subscription.cancel()
        // The cancelled run may have made its first attempt already.
        let all = await finish(bench, events).filter { $0.run != nil && $0.kind != .attemptFailed }
        #expect(all.filter { $0.kind == .runStarted }.count == all.filter { $0.duration != nil }.count)
        #expect(all.map(\.run) == [1, 1, 2, 2, 3, 3])
        #expect(all[0].description == "runStarted number/1 (subscribed) #1")
        #expect(all[1].description == "runSucceeded number/1 (subscribed) #1 20 ms")
        #expect(all[2].cause == .invalidated("number/**"))
        #expect(all[3].kind == .runCancelled)
        #expect(all[3].cause == .invalidated("number/**"))
        #expect(all[4].cause == .manual)
        #expect(all[5].duration == .milliseconds(20))
    }

    @Test func `R27 a failed attempt's event has the number of its run, and its description omits the error`() async throws {
        let bench = TestBench { call in
            if call.number == 1 { throw TestError("secret") }
            return call.number
        }
        let events = bench.client.events
        _ = try await bench.client.fetch(Number().ttl(.infinity).retry(limit: 1, backoff: .constant(.zero)))
        let all = await finish(bench, events)
        #expect(
            all.map(\.description) == [
                "miss number/1 (manual)", "runStarted number/1 (manual) #1", "attemptFailed number/1 (manual) #1 TestError",
                "runSucceeded number/1 (manual) #1 0 ns",
            ]
        )
        #expect(all[2].error as? TestError == TestError("secret"))
    }

    @Test func `R27 a run cancelled before it gets its task still has a start and an end event`() async throws {
        let clock = InterruptingClock()
        var context = QueryContext()
        context.clock = clock
        let client = QueryClient(context: context, configuration: .isolated)
        var events = client.events.makeAsyncIterator()
        let store = client.store(for: Number())
        // The clock is read for the start time after the run was decided.
        clock.interrupt {
            store.isFetching
        } with: {
            store.cancel()
        }
        await #expect(throws: CancellationError.self) { try await store.fetch() }
        await client.settled()
        #expect(await events.next()?.description == "runStarted number/1 (manual) #1")
        #expect(await events.next()?.description == "runCancelled number/1 (manual) #1 0 ns")
        let total = client.metrics.total
        #expect(total.runs == 1)
        #expect(total.cancelled == 1)
        #expect(total.running == 0)
    }

    @Test func `R27 hits and misses are sent as events`() async throws {
        let bench = TestBench()
        let events = bench.client.events
        _ = try await bench.client.fetch(Number().ttl(.infinity))
        _ = try await bench.client.fetch(Number().ttl(.infinity))
        #expect(await finish(bench, events).map(\.kind) == [.miss, .runStarted, .runSucceeded, .hit])
    }

    @Test func `R27 the event of a late result has the reason why it was dropped`() async throws {
        let stubborn = Gate(ignoresCancellation: true)
        let bench = TestBench { call in
            if call.number == 1 { try await stubborn.pass() }
            return call.number
        }
        var events = bench.client.events.makeAsyncIterator()
        let store = bench.client.store(for: Number())
        let task = Task { try await store.fetch() }
        await stubborn.arrived()
        store.reset()
        _ = await task.result
        stubborn.open()
        var kinds: [QueryEvent.Kind] = []
        while let event = await events.next() {
            kinds.append(event.kind)
            guard event.kind == .resultDropped else { continue }
            #expect(event.reason == .runOver)
            #expect(event.run == 1)
            #expect(event.duration == nil)
            break
        }
        #expect(kinds == [.runStarted, .changed, .runCancelled, .resultDropped])
    }

    @Test func `R27 results overtaken by a write are reported as dropped, with that reason`() async throws {
        let gate = Gate()
        let bench = TestBench { call in
            call.continuation.yield(1)
            if call.number == 1 { try await gate.pass() }
            call.continuation.yield(2)
            return call.number
        }
        let events = bench.client.events
        let store = bench.client.store(for: Number())
        let task = Task { try await store.fetch() }
        await gate.arrived()
        store.setValue(7)
        gate.open()
        _ = await task.result
        await bench.client.settled()
        let dropped = await finish(bench, events).filter { $0.reason != nil }
        #expect(dropped.prefix(2).map(\.kind) == [.resultDropped, .resultDropped])
        #expect(dropped.prefix(2).map(\.reason) == [.overtaken, .overtaken])
        #expect(dropped.prefix(2).map(\.run) == [1, 1])
    }

    @Test func `R27 the event of a removed store has the reason`() async throws {
        let bench = TestBench(configuration: QueryClient.Configuration(storeLimit: 2))
        let events = bench.client.events
        for id in 1...3 { bench.client.setValue(id, for: Number(id)) }
        bench.client.remove(["number", 2])
        bench.clock.advance(by: .seconds(300))
        let removed = await finish(bench, events).filter { $0.kind == .storeRemoved }
        #expect(
            removed.map(\.description) == [
                "storeRemoved number/1 (written) overBudget", "storeRemoved number/2 (written) removed",
                "storeRemoved number/3 (written) expired",
            ]
        )
    }

    @Test func `R27 events are created only while a listener or sink exists`() async throws {
        let bench = TestBench()
        _ = try await bench.client.fetch(Number())
        #expect(!bench.client.core.wantsEvents)
        do {
            let events = bench.client.events
            #expect(bench.client.core.wantsEvents)
            _ = events
        }
        let subscription = bench.client.attach(PrintEventSink { _ in })
        #expect(bench.client.core.wantsEvents)
        subscription.cancel()
        subscription.cancel()
        #expect(!bench.client.core.wantsEvents)
    }
}

/// A clock that runs an action once when it is read at the right moment, and otherwise does not advance.
private final class InterruptingClock: QueryClock {
    private typealias Interruption = (condition: @Sendable () -> Bool, action: @Sendable () -> Void)

    private let clock = ManualClock()
    private let interruption = Lock<Interruption?>(nil)

    var date: Date { clock.date }

    var now: QueryInstant {
        if let next = interruption.withLock({ $0 }), next.condition() {
            interruption.withLock { $0 = nil }
            next.action()
        }
        return clock.now
    }

    func interrupt(when condition: @escaping @Sendable () -> Bool, with action: @escaping @Sendable () -> Void) {
        interruption.withLock { $0 = (condition, action) }
    }

    func schedule(at deadline: QueryInstant, _ action: @escaping @Sendable () -> Void) -> QueryAlarm {
        clock.schedule(at: deadline, action)
    }
}
