import TestSupport
import Testing

@testable import QueryKit

struct UnsettledTests {
    @Test func `R33 settled returns at once if nothing is outstanding`() async throws {
        try await TestBench().client.settled(timeout: .seconds(60))
    }

    @Test func `R33 the error of settled names the outstanding work`() async throws {
        let gate = BusyGate()
        let bench = TestBench { call in
            if call.id == 7 { await gate.pass() }
            return call.number
        }
        bench.clock.advance(by: .seconds(5))
        let began = bench.clock.date
        let subscriptions = [7, 8].map { bench.client.store(for: Number($0)).record(Recorder()) }
        await gate.arrived()
        bench.clock.advance(by: .seconds(5))
        let error = await #expect(throws: QueryUnsettledError.self) { try await bench.client.settled(timeout: .milliseconds(50)) }
        #expect(error?.work.map(\.path) == [Number(7).path])
        #expect(error?.work.first?.cause == .subscribed)
        #expect(error?.work.first?.since == began)
        #expect(error?.timeout == .milliseconds(50))
        #expect(error?.description.contains("number/7 runs (subscribed) since") == true)
        gate.open()
        try await bench.client.settled(timeout: .seconds(60))
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func `R33 a run that waits for the clock does not keep settled waiting`() async throws {
        let bench = TestBench { call in
            try await call.context.clock.sleep(for: .seconds(5))
            return call.number
        }
        let subscription = bench.client.store(for: Number()).record(Recorder())
        try await bench.client.settled(timeout: .seconds(60))
        #expect(bench.client.store(for: Number()).isFetching)
        subscription.cancel()
    }

    @Test func `R33 the error leaves out a run that waits for the clock`() async throws {
        let gate = BusyGate()
        let bench = TestBench { call in
            if call.id == 1 { await gate.pass() } else { try await call.context.clock.sleep(for: .seconds(5)) }
            return call.number
        }
        let subscriptions = [1, 2].map { bench.client.store(for: Number($0)).record(Recorder()) }
        await gate.arrived()
        try await bench.clock.alarms(atLeast: 1)
        let error = await #expect(throws: QueryUnsettledError.self) { try await bench.client.settled(timeout: .milliseconds(50)) }
        #expect(error?.work.map(\.path) == [Number(1).path])
        #expect(error?.otherCount == 0)
        gate.open()
        try await bench.client.settled(timeout: .seconds(60))
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func `R33 cancelling a task that awaits settled throws CancellationError`() async {
        let gate = BusyGate()
        let bench = TestBench { call in
            await gate.pass()
            return call.number
        }
        let subscription = bench.client.store(for: Number()).record(Recorder())
        await gate.arrived()
        let waiting = Task { try await bench.client.settled(timeout: .seconds(600)) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        gate.open()
        subscription.cancel()
    }

    @Test func `R33 other outstanding work is counted`() async throws {
        let bench = TestBench()
        let token = bench.client.core.work.begin()
        let error = await #expect(throws: QueryUnsettledError.self) { try await bench.client.settled(timeout: .milliseconds(10)) }
        #expect(error?.work.isEmpty == true && error?.otherCount == 1)
        #expect(error?.description == "Not settled after 0.01 seconds. Other outstanding deliveries or writes: 1.")
        token.end()
    }
}
