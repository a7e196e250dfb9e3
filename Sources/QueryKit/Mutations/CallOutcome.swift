/// What a call comes to, for all who wait for it.
///
/// Who waits may give up earlier: waiting for the task of the call would ignore the cancellation of the one who waits.
final class CallOutcome<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, any Error>?
        var waiting: [Int: Promise<Value>] = [:]
        var lastNumber = 0
    }

    private let state = Lock(State())

    /// `nil` while the call is on its way.
    var result: Result<Value, any Error>? { state.withLock { $0.result } }

    func resolve(_ result: Result<Value, any Error>) {
        let waiting = state.withLock { state in
            state.result = result
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for promise in waiting { promise.resolve(result) }
    }

    /// The result. Throws `CancellationError` as soon as the waiting task is cancelled.
    func get() async throws -> Value {
        let promise = Promise<Value>()
        let (result, number) = state.withLock { state -> (Result<Value, any Error>?, Int) in
            if let result = state.result { return (result, 0) }
            state.lastNumber += 1
            state.waiting[state.lastNumber] = promise
            return (nil, state.lastNumber)
        }
        if let result { return try result.get() }
        defer { _ = state.withLock { $0.waiting.removeValue(forKey: number) } }
        return try await promise.get()
    }
}

/// What is to be called at the end of one call.
struct CallHandlers<Value: Sendable>: Sendable {
    var onSuccess: (@Sendable (Value) async -> Void)?
    var onFailure: (@Sendable (any Error) async -> Void)?
    var onEnd: (@Sendable (Result<Value, any Error>) async -> Void)?

    var isEmpty: Bool { onSuccess == nil && onFailure == nil && onEnd == nil }

    func call(with result: Result<Value, any Error>) async {
        switch result {
        case .success(let value): await onSuccess?(value)
        case .failure(is CancellationError): break
        case .failure(let error): await onFailure?(error)
        }
        await onEnd?(result)
    }
}
