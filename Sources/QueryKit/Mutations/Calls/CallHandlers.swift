/// The closures to call at the end of one call.
struct CallHandlers: Sendable {
    private let onSuccess: (@Sendable (AnyValue) async -> Void)?
    private let onFailure: (@Sendable (any Error) async -> Void)?
    private let onEnd: (@Sendable (Result<AnyValue, any Error>) async -> Void)?

    /// Returns `nil` if there is no closure.
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
