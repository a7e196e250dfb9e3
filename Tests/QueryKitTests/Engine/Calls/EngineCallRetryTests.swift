import Foundation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// Calls that are repeated, calls in other code, and what calls show over other requests.
@Suite(.timeLimit(.minutes(5))) struct EngineCallRetryTests {
    private struct Total: QueryRequest {
        typealias Value = Int
        var read: @Sendable () async throws -> Int = { 0 }

        func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int { try await read() }

        static func == (left: Total, right: Total) -> Bool { true }
        func hash(into hasher: inout Hasher) {}
    }

    private let bench = CallBench()
    private var engine: Engine { bench.engine }
    private let gate = Gate()

    /// A mutation that fails until the flag is set, with the ids of its calls.
    private func failing(_ error: any Error = TestError(), scope: String? = nil) -> (CodeMutation, fails: Lock<Bool>, ids: Recorder<UUID?>)
    {
        let (fails, ids) = (Lock(true), Recorder<UUID?>())
        let mutation = CodeMutation(id: 1, scope: scope) { arguments, context, _ in
            ids.note(context.mutationID)
            if fails.withLock(\.self) { throw error }
            return arguments
        }
        return (mutation, fails, ids)
    }

    private func fail(_ mutation: CodeMutation) async throws -> CallEntry {
        let call = try bench.submit(mutation, 1)
        await #expect(throws: (any Error).self) { try await bench.value(call) }
        return call
    }

    // MARK: Repeating

    @Test func `R24 a repeated call has the same key and one place in the history`() async throws {
        let (mutation, fails, ids) = failing()
        let call = try await fail(mutation)
        fails.withLock { $0 = false }
        let repeated = try engine.retry(call)
        #expect(try await bench.value(repeated) == 1)
        #expect(ids.all.count == 2 && ids.all[0] == ids.all[1])
        #expect(bench.state(mutation).history.count == 1 && bench.state(mutation).error == nil)
        let again = try engine.retry(call)
        #expect(again === repeated && ids.count == 2)
    }

    @Test func `R24 a refused call is repeated with another key, and only once`() async throws {
        let (mutation, _, ids) = failing(QueryError(.invalidParameters, "no"))
        let call = try await fail(mutation)
        let repeated = try engine.retry(call)
        let second = try engine.retry(call)
        await engine.settled()
        #expect(second === repeated && repeated.id != call.id && ids.count == 2)
        #expect(bench.state(mutation).history.count == 2)
        let third = try engine.retryLatest(bench.handle(mutation))
        await engine.settled()
        #expect(third != nil && ids.count == 3)
    }

    @Test func `R24 two repetitions from the history make one call`() async throws {
        for error in [TestError(), QueryError(.invalidParameters, "no")] as [any Error] {
            let (mutation, _, ids) = failing(error, scope: "s")
            let bench = CallBench()
            let call = try bench.submit(mutation, 1)
            await #expect(throws: (any Error).self) { try await bench.value(call) }
            let handle = bench.handle(mutation)
            let first = try bench.engine.retryLatest(handle)
            let second = try bench.engine.retryLatest(handle)
            #expect(first != nil && (second == nil || second === first))
            await bench.engine.settled()
            #expect(ids.count == 2)
        }
    }

    @Test func `R24 a call of a former session is not repeated`() async throws {
        let (mutation, _, ids) = failing()
        let call = try await fail(mutation)
        bench.begin("other")
        #expect { try engine.retry(call) } throws: { ($0 as? QueryError)?.code == .sessionEnded }
        #expect(ids.count == 1)
    }

    @Test func `R21 a handler that hears of a failure can repeat the call`() async throws {
        let (mutation, fails, ids) = failing(scope: "s")
        let calls = Lock<CallEntry?>(nil)
        let engine = engine
        let call = try bench.submit(mutation, 1) { draft in
            draft.handlers = CallHandlers(
                onSuccess: nil as (@Sendable (Int) async -> Void)?,
                onFailure: { _ in
                    fails.withLock { $0 = false }
                    if let call = calls.withLock(\.self) { _ = try? engine.retry(call) }
                },
                onEnd: nil
            )
        }
        calls.withLock { $0 = call }
        await engine.settled()
        if ids.count == 1 { _ = try engine.retry(call) }
        await engine.settled()
        #expect(ids.count == 2 && bench.state(mutation).value == 1)
        calls.withLock { $0 = nil }
    }

    // MARK: In other code

    @Test func `R21 R33 a call that awaits another one of its scope fails as a cycle, and the scope goes on`() async throws {
        let (bench, ran) = (bench, Recorder<String>())
        let inner = CodeMutation(id: 2, scope: "s") { arguments, _, _ in
            ran.note("inner")
            return arguments
        }
        let middle = CodeMutation(id: 3, scope: "other") { arguments, _, _ in try await bench.mutate(inner, arguments) }
        let outer = CodeMutation(id: 1, scope: "s") { arguments, _, _ in try await bench.mutate(arguments == 1 ? inner : middle, arguments)
        }
        for arguments in [1, 2] {
            let call = try bench.submit(outer, arguments)
            await #expect { try await bench.value(call) } throws: { ($0 as? QueryError)?.code == .cycle }
        }
        #expect(ran.count == 0)
        #expect(try await bench.mutate(inner, 5) == 5)
        await engine.settled()
    }

    @Test func `R21 a call can make another one of its scope without awaiting it`() async throws {
        let (bench, ran) = (bench, Recorder<String>())
        let inner = CodeMutation(id: 2, scope: "s") { arguments, _, _ in
            ran.note("inner")
            return arguments
        }
        let outer = CodeMutation(id: 1, scope: "s") { arguments, _, _ in
            try bench.submit(inner, 2)
            ran.note("outer")
            return arguments
        }
        #expect(try await bench.mutate(outer, 1) == 1)
        await engine.settled()
        #expect(ran.all == ["outer", "inner"])
    }

    @Test func `R33 the client is settled while a call waits for another one that waits for the clock`() async throws {
        let bench = bench
        var paused = CodeMutation(id: 2) { _, _, _ in throw TestError() }
        paused.settings = { $0.retry = QueryRetry(limit: 1, backoff: .constant(.seconds(1))) }
        let inner = paused
        let outer = CodeMutation(id: 1) { _, _, _ in try await bench.mutate(inner) }
        let call = try bench.submit(outer)
        await engine.settled()
        #expect(bench.state(inner).failureCount == 1 && bench.state(outer).isFetching)
        bench.clock.advance(by: .seconds(1))
        await engine.settled()
        await #expect(throws: TestError.self) { try await bench.value(call) }
    }

    @Test func `R33 the client is settled while a run waits for a call that waits for the clock`() async throws {
        let (bench, engine) = (bench, engine)
        var mutation = CodeMutation(id: 2) { _, _, _ in throw TestError() }
        mutation.settings = { $0.retry = QueryRetry(limit: 1, backoff: .constant(.seconds(1))) }
        let inner = mutation
        let request = Coded(engine, 1) { _ in try await bench.mutate(inner) }
        let fetch = Task { try await request.fetch() }
        while bench.state(inner).failureCount == 0 { await Task.yield() }
        await engine.settled()
        bench.clock.advance(by: .seconds(1))
        await #expect(throws: TestError.self) { try await fetch.value }
        await engine.settled()
    }

    @Test func `R33 a run and a call that wait for each other fail as a cycle`() async throws {
        let bench = bench
        let fetch = Lock<(@Sendable () async throws -> Int)?>(nil)
        let mutation = CodeMutation(id: 1) { _, _, _ in try await fetch.withLock(\.self)!() }
        let request = Coded(engine, 1) { _ in try await bench.mutate(mutation) }
        fetch.withLock { $0 = { try await request.fetch() } }
        await #expect { try await request.fetch() } throws: { ($0 as? QueryError)?.code == .cycle }
        await engine.settled()
        fetch.withLock { $0 = nil }
    }

    // MARK: Layers

    @Test func `R22 a layer is shown when the call is made, and the result replaces it without flicker`() async throws {
        let total = Lock(1)
        let request = Total { total.withLock(\.self) }
        var mutation = CodeMutation(id: 1, patterns: [.all]) { [gate] arguments, _, _ in
            try await gate.pass()
            total.withLock { $0 += arguments }
            return arguments
        }
        mutation.layers = { arguments, layers in layers.update(request) { $0 += arguments } }
        let seen = Lock<[Int]>([])
        let subscription = engine.subscribe(bench.handle(request)) { publication in
            guard let value = publication.state.current?.unboxed(as: Int.self) else { return }
            seen.withLock { if $0.last != value { $0.append(value) } }
        }
        await engine.settled()
        let call = try bench.submit(mutation, 4)
        #expect(bench.shown(request) == 5)
        await gate.arrived(1)
        gate.open()
        #expect(try await bench.value(call) == 4)
        await engine.settled()
        #expect(seen.withLock(\.self) == [1, 5])
        subscription.cancel()
    }

    @Test func `R22 a default is the beginning of a layer and never becomes the value`() async throws {
        let request = Total()
        var mutation = CodeMutation(id: 1) { [gate] arguments, _, _ in
            try await gate.pass()
            return arguments
        }
        mutation.layers = { arguments, layers in layers.update(request, default: 100) { $0 += arguments } }
        let call = try bench.submit(mutation, 4)
        #expect(bench.shown(request) == 104)
        await gate.arrived(1)
        gate.open()
        #expect(try await bench.value(call) == 4)
        await engine.settled()
        #expect(bench.shown(request) == nil)
    }

    @Test func `R22 a layer that throws, or can't be declared, leaves the call and the value alone`() async throws {
        let request = Total()
        bench.write(request, 3)
        var throwing = CodeMutation(id: 1) { value, _, _ in value }
        throwing.layers = { _, layers in layers.update(request) { _ in throw TestError() } }
        var undeclared = CodeMutation(id: 2) { value, _, _ in value }
        undeclared.layers = { _, _ in throw TestError() }
        #expect(try await bench.mutate(throwing, 1) == 1)
        #expect(try await bench.mutate(undeclared, 2) == 2)
        await engine.settled()
        #expect(bench.shown(request) == 3)
    }

    @Test func `R22 a failed call and its layers are seen to end in one step`() async throws {
        let request = Total()
        bench.write(request, 3)
        var mutation = CodeMutation(id: 1) { [gate] _, _, _ in
            try await gate.pass()
            throw TestError()
        }
        mutation.layers = { arguments, layers in layers.update(request) { $0 += arguments } }
        let handles = [bench.handle(request), bench.handle(mutation)]
        let mixed = Lock(0)
        let engine = engine
        let subscriptions = handles.map { handle in
            engine.subscribe(handle, observes: false) { _ in
                let states = engine.states(handles.compactMap { engine.look($0) })
                guard states.count == 2 else { return }
                let isPending = (states[1].record.notes as? CallLog)?.isPending ?? false
                if isPending != (states[0].current?.unboxed(as: Int.self) == 7) { mixed.withLock { $0 += 1 } }
            }
        }
        let call = try bench.submit(mutation, 4)
        await gate.arrived(1)
        #expect(bench.shown(request) == 7)
        gate.open()
        await #expect(throws: TestError.self) { try await bench.value(call) }
        await engine.settled()
        #expect(bench.shown(request) == 3 && mixed.withLock(\.self) == 0)
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func `R23 what the source has not reported is fetched again after a call that only it reports`() async throws {
        let request = Coded(engine, 1) { number in
            Scope.current?.note([region("a")])
            return number
        }
        let subscription = request.observe()
        await engine.settled()
        for regions in [[region("a")], [region("b")]] {
            let runs = request.runs
            let layer: @Sendable (AnyValue?) -> AnyValue? = { $0 }
            let engine = engine
            let work = Reporting { engine.changed(regions) }
            engine.submit(CallEntry(engine.enter { $0.nextCall() }, layers: [(request.entry, layer)], isSourceBacked: true, work: work))
            await engine.settled()
            #expect(request.runs == runs + 1)
        }
        subscription.cancel()
    }

    private final class Reporting: CallCode {
        let report: @Sendable () -> Void
        init(_ report: @escaping @Sendable () -> Void) { self.report = report }

        func perform(_ call: CallEntry, attempt: Int, in engine: Engine) async -> CallEntry.Outcome {
            report()
            return .success(AnyValue(0))
        }

        func append() async throws {}
        func remove() async {}
    }
}
