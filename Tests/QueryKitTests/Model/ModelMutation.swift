import QueryKit
import TestSupport

/// A mutation that adds to one of the model's numbers and waits until the test ends it.
struct ModelMutation: MutationRequest {
    struct Step: Hashable, Sendable {
        let id: Int
        let store: Int
        let amount: Int
        /// Whether it invalidates the request that it changes, reports the region it wrote, or neither.
        let invalidates: Bool
        let region: Int?
    }

    let scope: String?

    var path: QueryPath { ["mutation"] }

    func mutate(with step: Step, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        try await context[ModelLedgerKey.self].mutate(step)
        if let region = step.region { context.queryClient?.changed([ModelBackend.region(region)]) }
        return step.amount
    }

    func optimistic(with step: Step, in layers: inout QueryLayers) {
        layers.update(ModelRequest(id: step.store)) { $0 += step.amount }
    }

    func invalidates(with step: Step, value: Int) -> [QueryPattern] {
        step.invalidates ? [.path(ModelRequest(id: step.store).path)] : []
    }
}

/// Holds mutations until the test ends them one by one.
final class ModelLedger: Sendable {
    private struct State {
        var arrived: [Int] = []
        var open: [Int: CheckedContinuation<Void, any Error>] = [:]
        var cancelled: Set<Int> = []
    }

    private let state = Lock(State())

    /// The mutations that have arrived, in order.
    var arrived: [Int] { state.withLock { $0.arrived } }

    func mutate(_ step: ModelMutation.Step) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = state.withLock { state in
                    state.arrived.append(step.id)
                    if state.cancelled.contains(step.id) || Task.isCancelled { return true }
                    state.open[step.id] = continuation
                    return false
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let open = state.withLock { state in
                state.cancelled.insert(step.id)
                return state.open.removeValue(forKey: step.id)
            }
            open?.resume(throwing: CancellationError())
        }
    }

    func end(_ id: Int, fails: Bool) {
        let open = state.withLock { $0.open.removeValue(forKey: id) }
        if fails { open?.resume(throwing: TestFailure(name: "e")) } else { open?.resume() }
    }
}

enum ModelLedgerKey: QueryContext.Key {
    static let defaultValue = ModelLedger()
}
