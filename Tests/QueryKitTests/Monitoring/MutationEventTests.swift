import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// A mutation that waits at a gate, and fails for a negative number.
private struct Send: MutationRequest {
    let gate: Gate
    static func == (left: Send, right: Send) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
    var path: QueryPath { ["send"] }
    var scope: String? { "line" }

    func mutate(with number: Int, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        try await gate.pass()
        if number < 0 { throw TestError() }
        return number
    }
}

struct MutationEventTests {
    private let gate = Gate()

    /// The next events of mutations, up to the given number. A stream continues where the last iteration has ended.
    private func next(_ count: Int, of events: AsyncStream<QueryEvent>) async -> [QueryEvent] {
        var found: [QueryEvent] = []
        for await event in events {
            if event.kind.description.hasPrefix("mutation") { found.append(event) }
            if found.count == count { break }
        }
        return found
    }

    @Test func `R27 each call reports its start and its end with its number and its duration`() async throws {
        let bench = TestBench()
        let events = bench.client.events
        let first = try bench.client.submit(Send(gate: gate), with: 1)
        let second = try bench.client.submit(Send(gate: gate), with: -1)
        await gate.arrived()
        bench.clock.advance(by: .milliseconds(20))
        gate.open()
        _ = try await first.value
        await #expect(throws: TestError.self) { try await second.value }
        let all = await next(4, of: events)
        #expect(all.map(\.kind) == [.mutationStarted, .mutationStarted, .mutationSucceeded, .mutationFailed])
        #expect(all.map { $0.origin?.mutation?.call } == [1, 2, 1, 2])
        #expect(all.map { $0.origin?.number } == [1, 2, 1, 2])
        #expect(all.map(\.duration) == [nil, nil, .milliseconds(20), .milliseconds(20)])
        #expect(all.allSatisfy { $0.run == nil && $0.path == ["send"] && $0.origin?.mutation?.path == ["send"] })
        #expect(all[3].error as? TestError == TestError())
        #expect(all[0].description == "mutationStarted #1 mutation send call 1")
        #expect(all[3].description == "mutationFailed #2 mutation send call 2 20 ms TestError")
    }

    @Test func `R27 the run of a call has the call's origin`() async throws {
        let bench = TestBench()
        let events = bench.client.events
        gate.open()
        _ = try await bench.client.mutate(Send(gate: gate), with: 1)
        var runs: [QueryEvent] = []
        for await event in events {
            if event.run != nil { runs.append(event) }
            if runs.count == 2 { break }
        }
        #expect(runs.map(\.kind) == [.runStarted, .runSucceeded])
        #expect(runs.map { $0.origin?.mutation?.call } == [1, 1])
        #expect(runs.map(\.cause) == [.manual, .manual])
    }

    @Test func `R27 a call that waits for its turn and is cancelled reports its end`() async throws {
        let bench = TestBench()
        let events = bench.client.events
        let first = try bench.client.submit(Send(gate: gate), with: 1)
        let second = try bench.client.submit(Send(gate: gate), with: 2)
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        gate.open()
        _ = try await first.value
        let all = await next(4, of: events)
        #expect(all.map(\.kind) == [.mutationStarted, .mutationStarted, .mutationCancelled, .mutationSucceeded])
        #expect(all.map { $0.origin?.mutation?.call } == [1, 2, 2, 1])
    }

    @Test func `R27 a call that waits for the network is reported as paused, and as resumed`() async throws {
        let network = ManualNetworkObserver(isOnline: false)
        let bench = TestBench(network: network)
        let events = bench.client.events
        gate.open()
        let call = try bench.client.submit(Send(gate: gate), with: 1)
        let paused = await next(2, of: events)
        network.set(isOnline: true)
        _ = try await call.value
        let all = paused + (await next(2, of: events))
        #expect(all.map(\.kind) == [.mutationStarted, .mutationPaused, .mutationResumed, .mutationSucceeded])
        #expect(all.map { $0.origin?.mutation?.call } == [1, 1, 1, 1])
    }

    @Test func `R27 a call that began before the first listener still reports its end with its number, without a duration`() async throws {
        let bench = TestBench()
        let call = try bench.client.submit(Send(gate: gate), with: 1)
        await gate.arrived()
        let events = bench.client.events
        gate.open()
        _ = try await call.value
        let all = await next(1, of: events)
        #expect(all.map(\.kind) == [.mutationSucceeded])
        #expect(all.first?.origin?.mutation?.call == 1)
        #expect(all.first?.duration == nil)
    }
}
