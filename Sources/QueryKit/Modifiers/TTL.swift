extension QueryRequest {
    /// Counts a value as fresh for this long. Default without it: zero, so that each new subscriber brings a refresh.
    ///
    /// `.infinity` never ages; a negative duration is zero.
    @inlinable
    public func ttl(_ duration: Duration) -> some QueryRequest<Value, State> {
        setting(.ttl(duration))
    }

    /// Counts each value as fresh for as long as a closure says of it.
    ///
    /// ```swift
    /// Match(id: id).ttl { match in match.isFinal ? .infinity : .seconds(5) }
    /// ```
    ///
    /// The closure is called with the value of the store, without optimistic layers, each time freshness is decided, on any thread. Of this
    /// modifier and `ttl(_:)` with a duration the outer one counts.
    public func ttl(_ duration: @escaping @Sendable (Value) -> Duration) -> some QueryRequest<Value, State> {
        setting { $0.settings.setTTL(rule: TTLRule<Value>(duration: duration)) }
    }

    /// Counts a value as fresh until something changes that the request has read, however old the value grows.
    ///
    /// For requests that read a source which reports regions, such as a database; see ``QueryReads``. An invalidation counts as a change too.
    /// A debug build reports a request that reads no such source, see ``QueryMistake``: its value would stay fresh for ever. If you invalidate
    /// it yourself, write `ttl(.infinity)`.
    @inlinable
    public func freshUntilChanged() -> some QueryRequest<Value, State> { setting(.freshUntilChanged) }
}

/// A typed rule in untyped settings.
struct TTLRule<Value: Sendable>: Sendable {
    let duration: @Sendable (Value) -> Duration
}
