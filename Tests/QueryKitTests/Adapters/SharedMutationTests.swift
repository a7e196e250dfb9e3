import Observation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

private struct Refusal: Error {}

/// A mutation that waits at a test's gate.
private struct Save: MutationRequest {
    let gate: Gate

    var path: QueryPath { ["save"] }

    func mutate(with number: Int, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        try await gate.pass()
        return number * 10
    }

    func optimistic(with number: Int, in layers: inout QueryLayers) { layers.update(InlineQuery<Int>("number")) { $0 = number } }

    static func == (left: Save, right: Save) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}

@MainActor @Observable private final class ViewModel: QueryModel {
    let queryClient: QueryClient

    @ObservationIgnored @SharedMutation<Int, Int> var save: SharedMutation<Int, Int>
    @ObservationIgnored @SharedQuery(InlineQuery<Int>("number"), default: 0) var number

    var isSaving: Bool { save.isLoading }

    init(_ gate: Gate, client: QueryClient) {
        queryClient = client
        _save = SharedMutation(Save(gate: gate))
    }
}

@MainActor
struct SharedMutationTests {
    private let client = QueryClient.test()
    private let gate = Gate()

    @Test func `a shared mutation's state is observable and follows the latest call`() async throws {
        let model = ViewModel(gate, client: client)
        #expect(!model.isSaving)
        #expect(model.save.attemptCount == 0)
        let seen = await change(of: { model.isSaving }, after: { Task { try await model.save.mutate(with: 5) } })
        #expect(seen)
        #expect(model.save.status.isLoading)
        #expect(model.save.attemptCount == 1)
        gate.open()
        await client.settled()
        #expect(model.save.value == 50)
        #expect(!model.isSaving)
    }

    @Test func `layers are shown synchronously, before the call returns`() async throws {
        client.setValue(1, for: InlineQuery<Int>("number"))
        let model = ViewModel(gate, client: client)
        #expect(model.number == 1)
        let call = try model.save.submit(5)
        #expect(model.number == 5)
        gate.fail(with: Refusal())
        _ = try? await call.value
        await client.settled()
        #expect(model.number == 1)
    }

    @Test func `submit calls its handlers and returns a call that can be retried`() async throws {
        let model = ViewModel(gate, client: client)
        let received = Recorder<String>()
        gate.failOnce(with: Refusal())
        let call = try model.save.submit(
            1,
            onSuccess: { received.note("success \($0)") },
            onFailure: { received.note("failure \($0)") },
            onEnd: { _ in received.note("end") }
        )
        await client.settled()
        #expect(received.take() == ["failure Refusal()", "end"])
        #expect(model.save.error is Refusal)
        #expect(model.save.failureCount == 1)
        gate.open()
        let again = try #require(try model.save.retryLatest())
        #expect(again.id == call.id)
        #expect(try await again.value == 10)
        #expect(model.save.error == nil)
    }

    @Test func `a dismissed error is gone from the property at once, and observers are called`() async throws {
        let model = ViewModel(gate, client: client)
        gate.fail(with: Refusal())
        _ = try? await model.save.mutate(with: 1)
        #expect(model.save.error is Refusal)
        let seen = await change(of: { model.save.error == nil }, after: { model.save.dismissError() })
        #expect(seen)
        #expect(model.save.error == nil)
    }

    @Test func `cancelling the caller cancels its call`() async throws {
        let model = ViewModel(gate, client: client)
        let task = Task { try await model.save.mutate(with: 1) }
        await gate.holds()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await client.settled()
        #expect(!model.isSaving)
    }

    @Test func `a mutation without arguments is called without arguments`() async throws {
        let clear = SharedMutation(InlineMutation<Void, Int>("clear") { _, _ in 7 }, client: client)
        #expect(try await clear.mutate() == 7)
    }

    @Test func `two shared mutations are equal if their mutation and client are`() {
        #expect(SharedMutation(Save(gate: gate), client: client) == SharedMutation(Save(gate: Gate()), client: client))
        #expect(SharedMutation(Save(gate: gate), client: client) != SharedMutation(Save(gate: gate), client: .test()))
    }
}
