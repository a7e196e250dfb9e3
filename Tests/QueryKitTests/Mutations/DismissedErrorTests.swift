import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// A mutation that waits at a test's gate.
private struct Save: MutationRequest {
    let gate: Gate
    static func == (left: Save, right: Save) -> Bool { true }
    func hash(into hasher: inout Hasher) {}

    func mutate(with number: Int, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        try await gate.pass()
        return number * 10
    }
}

struct DismissedErrorTests {
    private let gate = Gate()
    private let client = QueryClient.test()
    private var save: QueryStore<Save.State> { client.store(for: Save(gate: gate)) }

    private func fail(with number: Int) async throws {
        gate.failOnce(with: TestError("\(number)"))
        await #expect(throws: TestError("\(number)")) { try await save.mutate(with: number) }
        await client.settled()
    }

    @Test func `R21 a dismissed error is gone, and the state is that of the call before`() async throws {
        gate.openOnce()
        #expect(try await save.mutate(with: 1) == 10)
        try await fail(with: 2)
        #expect(save.state.error as? TestError == TestError("2"))
        save.dismissError()
        let state = save.state
        #expect(state.error == nil && state.failureReason == nil && state.failureCount == 0)
        #expect(state.status == .result(.success(10)))
        #expect(state.attemptCount == 1)
        #expect(state.history.map(\.failureCount) == [0, 1])
    }

    @Test func `R21 a mutation that has only failed is idle once its error is dismissed`() async throws {
        try await fail(with: 1)
        try await fail(with: 2)
        save.dismissError()
        #expect(save.state.status == .idle)
        #expect(save.state.value == nil)
        #expect(save.state.history.count == 2)
    }

    @Test func `R21 a failure after a dismissal is shown again`() async throws {
        try await fail(with: 1)
        save.dismissError()
        try await fail(with: 2)
        #expect(save.state.error as? TestError == TestError("2"))
        #expect(save.state.failureCount == 1)
    }

    @Test func `R21 a dismissal leaves a call under way alone, and its failure is shown`() async throws {
        try await fail(with: 1)
        let call = try save.submit(2)
        await client.settled()
        save.dismissError()
        #expect(save.state.error == nil)
        #expect(save.state.status.isLoading)
        gate.failOnce(with: TestError("2"))
        await #expect(throws: TestError("2")) { try await call.value }
        #expect(save.state.status == .result(.failure(TestError("2"))))
    }

    @Test func `R21 cancelling a call after a dismissal doesn't show the dismissed error again`() async throws {
        try await fail(with: 1)
        let call = try save.submit(2)
        await client.settled()
        save.dismissError()
        call.cancel()
        await client.settled()
        #expect(save.state.error == nil)
        #expect(save.state.status == .idle)
    }

    @Test func `R21 a dismissed call can still be retried`() async throws {
        try await fail(with: 3)
        save.dismissError()
        gate.openOnce()
        let again = try #require(try save.retryLatest())
        #expect(try await again.value == 30)
        #expect(save.state.status == .result(.success(30)))
    }

    @Test func `R5 dismissing notifies once, and only if there is an error`() async throws {
        gate.openOnce()
        _ = try await save.mutate(with: 1)
        let recorder = StateRecorder(save)
        save.dismissError()
        #expect(recorder.states.count == 1)
        try await fail(with: 2)
        let count = recorder.states.count
        save.dismissError()
        save.dismissError()
        #expect(recorder.states.count == count + 1)
        #expect(recorder.states.last?.error == nil)
    }
}
