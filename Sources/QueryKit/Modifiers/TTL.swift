extension QueryRequest {
    /// Sets how long a value is fresh. Default without it: zero, so that each new subscription refetches.
    ///
    /// With `.infinity` a value never becomes stale by age. A negative duration counts as zero.
    @inlinable
    public func ttl(_ duration: Duration) -> some QueryRequest<Value, State> {
        setting(.ttl(duration))
    }

    /// Sets a closure that returns how long a value is fresh.
    ///
    /// ```swift
    /// Match(id: id).ttl { match in match.isFinal ? .infinity : .seconds(5) }
    /// ```
    ///
    /// The closure is called with the store's value, without optimistic layers, whenever freshness is evaluated, on any thread. If a
    /// request has both this modifier and `ttl(_:)` with a duration, the outer one wins.
    public func ttl(_ duration: @escaping @Sendable (Value) -> Duration) -> some QueryRequest<Value, State> {
        setting { $0.settings.setTTL(rule: TTLRule<Value>(duration: duration)) }
    }

    /// Keeps a value fresh, regardless of its age, until the data that it was read from changes.
    ///
    /// Use it for requests that read a source which reports regions, such as a database; see ``QueryReads``. An invalidation counts as a
    /// change, too. The value of a request that reads no such source stays fresh forever, which a debug build reports as a
    /// ``QueryMistake``. If you invalidate the value yourself, write `ttl(.infinity)`.
    @inlinable
    public func freshUntilChanged() -> some QueryRequest<Value, State> { setting(.freshUntilChanged) }
}

/// A typed rule in the untyped settings.
struct TTLRule<Value: Sendable>: Sendable {
    let duration: @Sendable (Value) -> Duration
}
