/// What a call comes to, for all who wait for it.
///
/// Who waits may give up earlier: waiting for the task of the call would ignore the cancellation of the one who waits.
final class CallOutcome: Sendable {
    private struct State {
        var result: Result<AnyValue, any Error>?
        /// Mostly it is one who waits.
        var waiting: [(number: Int, promise: Promise<AnyValue>)] = []
        var lastNumber = 0
        var successor: Call?
    }

    private let state = Lock(State())

    /// `nil` while the call is on its way.
    var result: Result<AnyValue, any Error>? { state.withLock { $0.result } }

    /// The call that was made in place of this one, after it had failed.
    var successor: Call? {
        get { state.withLock { $0.successor } }
        set {
            // The former one is released outside the lock.
            _ = state.withLock { state in
                defer { state.successor = newValue }
                return state.successor
            }
        }
    }

    func resolve(_ result: Result<AnyValue, any Error>) {
        let waiting = state.withLock { state in
            state.result = result
            defer { state.waiting = [] }
            return state.waiting
        }
        for (_, promise) in waiting { promise.resolve(result) }
    }

    /// The result. Throws `CancellationError` as soon as the waiting task is cancelled.
    ///
    /// - Parameter onCancel: Called first when that happens.
    func get(onCancel: @escaping @Sendable () -> Void = {}) async throws -> AnyValue {
        let promise = Promise<AnyValue>()
        let (result, number) = state.withLock { state -> (Result<AnyValue, any Error>?, Int) in
            if let result = state.result { return (result, 0) }
            state.lastNumber += 1
            state.waiting.append((state.lastNumber, promise))
            return (nil, state.lastNumber)
        }
        if let result { return try result.get() }
        do {
            return try await promise.get(onCancel: onCancel)
        } catch {
            state.withLock { $0.waiting.removeAll { $0.number == number } }
            throw error
        }
    }
}

/// What is to be called at the end of one call.
struct CallHandlers: Sendable {
    private let onSuccess: (@Sendable (AnyValue) async -> Void)?
    private let onFailure: (@Sendable (any Error) async -> Void)?
    private let onEnd: (@Sendable (Result<AnyValue, any Error>) async -> Void)?

    /// `nil` without a closure.
    init?<Value: Sendable>(
        onSuccess: (@Sendable (Value) async -> Void)?,
        onFailure: (@Sendable (any Error) async -> Void)?,
        onEnd: (@Sendable (Result<Value, any Error>) async -> Void)?
    ) {
        if onSuccess == nil, onFailure == nil, onEnd == nil { return nil }
        self.onFailure = onFailure
        if let onSuccess {
            self.onSuccess = { @Sendable value in await onSuccess(value.unboxed(as: Value.self)) }
        } else {
            self.onSuccess = nil
        }
        if let onEnd {
            self.onEnd = { @Sendable result in await onEnd(result.map { $0.unboxed(as: Value.self) }) }
        } else {
            self.onEnd = nil
        }
    }

    func call(with result: Result<AnyValue, any Error>) async {
        switch result {
        case .success(let value): await onSuccess?(value)
        case .failure(is CancellationError): break
        case .failure(let error): await onFailure?(error)
        }
        await onEnd?(result)
    }
}
