extension QueryRequest {
    /// Shows a stand-in until the first result; `isPlaceholder` says so, and the status stays `.idle` or `.loading`.
    ///
    /// It is never cached: `client.value(for:)` does not return it.
    public func placeholder(_ value: @autoclosure @escaping @Sendable () -> Value) -> some QueryRequest<Value, State> {
        setting { $0.settings.placeholder = QueryPlaceholder(make: value) }
    }

    /// Until the first result, shows the value of the request of the same type that was looked at before, as a placeholder.
    ///
    /// For a list that filters as one types: the old hits stay until the new ones are there. All requests of the type that
    /// take turns need the modifier.
    public func keepingPrevious() -> some QueryRequest<Value, State> {
        setting { $0.settings.keepsPrevious = true }
    }
}

/// A typed placeholder in untyped settings.
struct QueryPlaceholder<Value: Sendable>: Sendable {
    let make: @Sendable () -> Value
}
