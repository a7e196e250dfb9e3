extension QueryRequest {
    /// Shows a placeholder until the first result. `isPlaceholder` is `true` until then, and the status stays `.idle` or `.loading`.
    ///
    /// A placeholder is never cached: `client.value(for:)` does not return it.
    public func placeholder(_ value: @autoclosure @escaping @Sendable () -> Value) -> some QueryRequest<Value, State> {
        setting { $0.settings.placeholder = QueryPlaceholder(make: value) }
    }

    /// Until the first result, shows the previous value as a placeholder: the value of the request of the same type that was shown before.
    ///
    /// Use it for a list that filters as the user types: the old list stays until the new one arrives. Add the modifier to all requests of
    /// the type that replace each other.
    public func keepingPrevious() -> some QueryRequest<Value, State> {
        setting { $0.settings.keepsPrevious = true }
    }
}

/// A typed placeholder in the untyped settings.
struct QueryPlaceholder<Value: Sendable>: Sendable {
    let make: @Sendable () -> Value
}
