extension QueryRequest {
    /// Limits the duration of an attempt. An attempt that takes longer fails with ``QueryError`` `timeout`, which is retried like other
    /// errors.
    ///
    /// The attempt is cancelled. If it ignores the cancellation, it continues on its own, and its result is dropped. Default without it: no
    /// limit. With a duration of zero or less, attempts fail immediately.
    public func timeout(_ duration: Duration) -> some QueryRequest<Value, State> {
        setting { $0.timeout = duration }
    }
}
