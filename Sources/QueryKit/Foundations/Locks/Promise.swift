/// A result that is set once. One task may wait for it; cancelling that task ends the wait.
///
/// It may be resolved before the wait begins. Only the first result counts.
struct Promise<Value: Sendable>: Sendable {
    private enum Phase {
        case open
        case awaited(CheckedContinuation<Value, any Error>)
        case resolved(Result<Value, any Error>)
    }

    private let phase = Lock(Phase.open)

    /// Sets the result. Returns `false` if there is one already.
    @discardableResult
    func resolve(_ result: Result<Value, any Error>) -> Bool {
        let (isFirst, waiter) = phase.withLock { phase -> (Bool, CheckedContinuation<Value, any Error>?) in
            switch phase {
            case .open:
                phase = .resolved(result)
                return (true, nil)
            case .awaited(let continuation):
                phase = .resolved(result)
                return (true, continuation)
            case .resolved:
                return (false, nil)
            }
        }
        waiter?.resume(with: result)
        return isFirst
    }

    var isResolved: Bool {
        phase.withLock { if case .resolved = $0 { true } else { false } }
    }

    /// The result. Throws `CancellationError` as soon as the waiting task is cancelled.
    ///
    /// - Parameter onCancel: Called when the waiting task is cancelled, before the error is thrown.
    func get(onCancel: @escaping @Sendable () -> Void = {}) async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let early = phase.withLock { phase -> Result<Value, any Error>? in
                    if case .resolved(let result) = phase { return result }
                    phase = .awaited(continuation)
                    return nil
                }
                if let early { continuation.resume(with: early) }
            }
        } onCancel: {
            onCancel()
            resolve(.failure(CancellationError()))
        }
    }
}
