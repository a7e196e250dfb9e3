extension QueryRequest {
    /// Counts a value as fresh for this long. Default without it: zero, so that each new subscriber brings a refresh.
    ///
    /// `.infinity` never ages; a negative duration is zero.
    public func ttl(_ duration: Duration) -> some QueryRequest<Value, State> {
        setting { $0.ttl = duration }
    }

    /// Counts a value as fresh until something changes that the request has read, however old the value grows.
    ///
    /// For requests that read a source which reports regions, such as a database; see ``QueryReads``. An invalidation counts as a change too.
    public func freshUntilChanged() -> some QueryRequest<Value, State> { ttl(.infinity) }
}
