import QueryKit
import TestSupport

/// A backend whose fetches wait until the model test ends them one by one.
final class ModelBackend: Sendable {
    private struct Call {
        let id: Int
        let continuation: CheckedContinuation<Int, any Error>
        let yields: QueryContinuation<Int>
    }

    private struct State {
        var counts: [Int: Int] = [:]
        var nextCall = 0
        var open: [Int: Call] = [:]
        var latest: [Int: Int] = [:]
        var cancelled: Set<Int> = []
    }

    private let state = Lock(State())

    /// The regions that the nth fetch of each request reads.
    static func region(_ fetch: Int) -> QueryRegion { QueryRegion(source: "model", name: "\(fetch % 3)") }

    /// How many fetches of a request have arrived.
    func count(_ id: Int) -> Int { state.withLock { $0.counts[id] ?? 0 } }

    func fetch(_ id: Int, _ yields: QueryContinuation<Int>) async throws -> Int {
        let number = state.withLock { state in
            state.nextCall += 1
            return state.nextCall
        }
        // Noted before the test can see that the fetch has arrived.
        QueryReads.note([Self.region(count(id) + 1)])
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = state.withLock { state in
                    state.counts[id, default: 0] += 1
                    if state.cancelled.contains(number) || Task.isCancelled { return true }
                    state.open[number] = Call(id: id, continuation: continuation, yields: yields)
                    state.latest[id] = number
                    return false
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let call = state.withLock { state in
                state.cancelled.insert(number)
                return state.open.removeValue(forKey: number)
            }
            call?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Ends the latest fetch of a request.
    func end(_ id: Int, _ result: Result<Int, TestFailure>) {
        let call = state.withLock { state in state.latest[id].flatMap { state.open.removeValue(forKey: $0) } }
        call?.continuation.resume(with: result.mapError { $0 as any Error })
    }

    func yield(_ id: Int, _ value: Int) {
        state.withLock { state in state.latest[id].flatMap { state.open[$0]?.yields } }?.yield(value)
    }
}

enum ModelBackendKey: QueryContext.Key {
    static let defaultValue = ModelBackend()
}

/// A request that records every state of its store without observing it.
struct ModelRequest: QueryRequest {
    let id: Int

    var path: QueryPath { ["model", id % 2, id] }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        try await context[ModelBackendKey.self].fetch(id, continuation)
    }
}
