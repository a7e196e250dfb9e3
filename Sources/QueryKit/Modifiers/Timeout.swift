extension QueryRequest {
    /// Ends an attempt that takes longer with ``QueryError`` `timeout`, which is retried like other errors.
    ///
    /// The attempt is cancelled; one that ignores its cancellation is left behind, and its result dropped.
    /// Default without it: no limit. A duration of zero or less fails at once.
    public func timeout(_ duration: Duration) -> some QueryRequest<Value, State> {
        setting { $0.timeout = duration }
    }
}
