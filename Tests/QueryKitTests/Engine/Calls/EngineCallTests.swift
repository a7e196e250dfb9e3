import Foundation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// Calls of mutations: their history, those who wait for them, and how they are repeated.
@Suite(.timeLimit(.minutes(5))) struct EngineCallTests {
    private let bench = CallBench()
    private var engine: Engine { bench.engine }
    private let gate = Gate()

    /// A mutation that returns its arguments when the gate opens.
    private func held(_ id: Int = 1, scope: String? = nil) -> CodeMutation {
        let gate = gate
        return CodeMutation(id: id, scope: scope) { arguments, _, _ in
            try await gate.pass()
            return arguments
        }
    }

    /// A mutation whose first attempts fail.
    private func failing(_ count: Int, _ error: any Error = TestError(), limit: Int = 5) -> (CodeMutation, Lock<Int>) {
        let attempts = Lock(0)
        var mutation = CodeMutation(id: 1) { arguments, _, _ in
            let number = attempts.withLock {
                $0 += 1
                return $0
            }
            if number <= count { throw error }
            return arguments
        }
        mutation.settings = { $0.retry = QueryRetry(limit: limit, backoff: .constant(.seconds(1))) }
        return (mutation, attempts)
    }

    // MARK: Waiting

    @Test func `R21 several tasks await one call, before and after its end, and one that is cancelled leaves it alone`() async throws {
        let mutation = held()
        let call = try bench.submit(mutation, 3)
        let waiters = (0..<3).map { _ in Task { try await bench.value(call) } }
        await gate.arrived(1)
        waiters[0].cancel()
        await #expect(throws: CancellationError.self) { try await waiters[0].value }
        #expect(bench.state(mutation).history.map(\.isPending) == [true])
        gate.open()
        #expect(try await waiters[1].value == 3)
        #expect(try await waiters[2].value == 3)
        #expect(try await bench.value(call) == 3)
        #expect(bench.state(mutation).value == 3)
    }

    @Test func `R7 a cancelled task withdraws the call that it has made, in whichever state that is`() async throws {
        let mutation = held(1, scope: "s")
        let first = Task { try await bench.mutate(mutation) }
        await gate.arrived(1)
        let second = Task { try await bench.mutate(mutation) }
        while bench.state(mutation).history.count < 2 { await Task.yield() }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(bench.state(mutation).history.map(\.isCancelled) == [true, true])
        #expect(bench.state(mutation).status == .idle)
        await engine.settled()
    }

    @Test func `R21 each closure of a call is called once, and the client is settled after it`() async throws {
        let ended = Recorder<String>()
        let (failing, _) = failing(1, limit: 0)
        for mutation in [CodeMutation(id: 2) { arguments, _, _ in arguments }, failing] {
            try bench.submit(mutation, 1) { draft in
                draft.handlers = CallHandlers(
                    onSuccess: { (value: Int) in ended.note("success \(value)") },
                    onFailure: { _ in ended.note("failure") },
                    onEnd: { (result: Result<Int, any Error>) in
                        await Task.yield()
                        ended.note("end")
                    }
                )
            }
            await engine.settled()
        }
        #expect(ended.all == ["success 1", "end", "failure", "end"])
    }

    // MARK: History

    @Test func `R21 the history shows calls in order with their dates, and the latest call's status`() async throws {
        let mutation = held(1, scope: "s")
        let first = try bench.submit(mutation, 1)
        await gate.arrived(1)
        bench.clock.advance(by: .seconds(1))
        try bench.submit(mutation, 2)
        let runs = bench.state(mutation).history
        #expect(runs.map(\.arguments) == [1, 2])
        #expect(runs[0].startedAt != nil && runs[1].startedAt == nil)
        #expect(runs[1].submittedAt.timeIntervalSince(runs[0].submittedAt) == 1)
        #expect(bench.state(mutation).isFetching)
        engine.cancel(first)
        await gate.arrived(2)
        #expect(bench.state(mutation).history.map(\.isCancelled) == [true, false])
        gate.open()
        await engine.settled()
        let state = bench.state(mutation)
        #expect(state.value == 2 && state.status == .result(.success(2)) && !state.isFetching)
        #expect(state.history.map(\.attemptCount) == [1, 1])
    }

    @Test func `R21 a value written during a call stays, and a later call replaces it`() async throws {
        let mutation = held()
        let call = try bench.submit(mutation, 1)
        await gate.arrived(1)
        engine.enter(bench.handle(mutation)) { ledger, entry, _ in ledger.write(entry, .success(AnyValue(5))) }
        #expect(bench.state(mutation).value == 5)
        gate.open()
        #expect(try await bench.value(call) == 1)
        #expect(bench.state(mutation).value == 5 && bench.state(mutation).status == .result(.success(5)))
        #expect(try await bench.mutate(mutation, 2) == 2)
        #expect(bench.state(mutation).value == 2)
    }

    @Test func `R21 an earlier call that ends later doesn't replace the value of the later one`() async throws {
        let mutation = CodeMutation(id: 1) { [gate] arguments, _, _ in
            if arguments == 1 { try await gate.pass() }
            return arguments
        }
        let first = try bench.submit(mutation, 1)
        await gate.arrived(1)
        #expect(try await bench.mutate(mutation, 2) == 2)
        gate.open()
        #expect(try await bench.value(first) == 1)
        #expect(bench.state(mutation).value == 2 && bench.state(mutation).status == .result(.success(2)))
    }

    @Test func `R9 R21 what a call yields is shown until it ends, and a late yield is ignored`() async throws {
        let late = Lock<QueryContinuation<Int>?>(nil)
        let mutation = CodeMutation(id: 1) { [gate] arguments, _, continuation in
            continuation.yield(7)
            late.withLock { $0 = continuation }
            try await gate.pass()
            return arguments
        }
        let call = try bench.submit(mutation, 1)
        await gate.arrived(1)
        #expect(bench.state(mutation).value == 7 && bench.state(mutation).history.first?.progress == 7)
        engine.cancel(call)
        late.withLock(\.self)?.yield(8)
        #expect(bench.state(mutation).value == nil && bench.state(mutation).history.first?.progress == nil)
        await engine.settled()
    }

    @Test func `R34 a reset of all requests leaves calls in the history, and one of the mutation ends them`() async throws {
        let mutation = held()
        let call = try bench.submit(mutation, 1)
        await gate.arrived(1)
        engine.enterNow { $0.reset($0.matches(.all)) }
        engine.enterNow { $0.remove($0.matches(.all)) }
        #expect(bench.state(mutation).history.map(\.id) == [call.id])
        engine.endCalls(bench.handle(mutation))
        #expect(bench.state(mutation).history.map(\.isCancelled) == [true])
        await #expect(throws: CancellationError.self) { try await bench.value(call) }
        await engine.settled()
    }

    @Test func `R21 a dismissed error is gone, and the status is that of the call before`() async throws {
        let (mutation, attempts) = failing(1, limit: 0)
        attempts.withLock { $0 = 1 }
        #expect(try await bench.mutate(mutation, 1) == 1)
        attempts.withLock { $0 = 0 }
        await #expect(throws: TestError.self) { try await bench.mutate(mutation, 2) }
        #expect(bench.state(mutation).error != nil && bench.state(mutation).failureCount == 1)
        engine.dismissError(bench.handle(mutation))
        #expect(bench.state(mutation).error == nil && bench.state(mutation).status == .result(.success(1)))
        #expect(bench.state(mutation).history.count == 2)
        let repeated = try engine.retryLatest(bench.handle(mutation))
        #expect(repeated != nil)
        await engine.settled()
        #expect(bench.state(mutation).value == 2)
    }

    // MARK: Attempts

    @Test func `R11 R21 a call is retried after its delay, and its failures are counted as they happen`() async throws {
        let (mutation, attempts) = failing(2)
        let call = try bench.submit(mutation, 4)
        for count in 1...2 {
            await engine.settled()
            #expect(attempts.withLock(\.self) == count)
            #expect(bench.state(mutation).failureCount == count && bench.state(mutation).history.first?.failureCount == count)
            #expect(bench.state(mutation).isFetching)
            bench.clock.advance(by: .seconds(1))
        }
        #expect(try await bench.value(call) == 4)
        #expect(bench.state(mutation).failureCount == 0 && bench.state(mutation).attemptCount == 3)
    }

    @Test func `R21 without a limit a call is not retried`() async throws {
        let (mutation, attempts) = failing(1, limit: 0)
        await #expect(throws: TestError.self) { try await bench.mutate(mutation) }
        #expect(attempts.withLock(\.self) == 1)
    }

    @Test func `R26 an attempt that takes too long is followed by another one, and its late result is ignored`() async throws {
        let started = Recorder<Int>()
        var mutation = CodeMutation(id: 1) { [gate] _, _, _ in
            started.note(1)
            if started.count == 1 {
                try? await gate.pass()
                return 1
            }
            return 2
        }
        mutation.settings = {
            $0.timeout = .seconds(5)
            $0.retry = QueryRetry(limit: 1, backoff: .constant(.zero))
        }
        let call = try bench.submit(mutation)
        await gate.arrived(1)
        bench.clock.advance(by: .seconds(5))
        #expect(try await bench.value(call) == 2)
        gate.open()
        await engine.settled()
        #expect(bench.state(mutation).value == 2 && bench.state(mutation).history.first?.failureCount == 1)
    }

    @Test func `R26 a call asks for permission once, and then fails`() async throws {
        let (mutation, attempts) = failing(5, QueryError(.insufficientPermissions, "no"))
        let asked = Lock(0)
        var asking = mutation
        asking.settings = { context in
            context.authorization = { _, _ in
                asked.withLock { $0 += 1 }
                return true
            }
        }
        await #expect(throws: QueryError.self) { try await bench.mutate(asking) }
        #expect(asked.withLock(\.self) == 1 && attempts.withLock(\.self) == 2)
    }

    @Test func `R12 a call that fails without a network waits for it, even without retries`() async throws {
        engine.enterNow { $0.setOnline(false) }
        let (mutation, attempts) = failing(1, limit: 0)
        let call = try bench.submit(mutation, 4)
        await engine.settled()
        #expect(attempts.withLock(\.self) == 1 && bench.state(mutation).isPaused)
        engine.enterNow { $0.setOnline(true) }
        #expect(try await bench.value(call) == 4)
    }

    // MARK: Scopes

    @Test func `R21 the newest call of a control replaces the one that waits`() async throws {
        let mutation = held()
        let calls = try (1...4).map { number in try bench.submit(mutation, number) { $0.isOfControl = true } }
        await gate.arrived(1)
        #expect(bench.state(mutation).history.map(\.isCancelled) == [false, true, true, false])
        gate.open()
        #expect(try await bench.value(calls[3]) == 4)
        await #expect(throws: CancellationError.self) { try await bench.value(calls[2]) }
        #expect(bench.state(mutation).value == 4)
    }

    @Test func `R24 on reconnect queries wait for the first attempts of a scope, and not for a repetition`() async throws {
        let requested = Recorder<Int>()
        let request = Coded(engine, 1) { number in
            requested.note(number)
            return number
        }
        let subscription = request.observe()
        await engine.settled()
        engine.enterNow { ledger in
            ledger.defaults.coversReconnect = true
            ledger.setOnline(false)
        }
        var mutation = held(1, scope: "s")
        mutation.settings = { $0.networkMode = .online }
        try bench.submit(mutation, 1)
        try bench.submit(mutation, 2)
        engine.enterNow { $0.invalidate(.entries([request.entry]), .manual, refetch: .none) }
        engine.enterNow { $0.setOnline(true) }
        await gate.arrived(1)
        #expect(requested.count == 1)
        gate.open()
        await engine.settled()
        #expect(requested.count == 2 && bench.state(mutation).history.allSatisfy { !$0.isPending })
        subscription.cancel()
    }
}
