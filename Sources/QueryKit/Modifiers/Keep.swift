extension QueryRequest {
    /// Keeps the store this long after the last subscriber left or the last run ended, whichever is later. Default: 5 minutes.
    ///
    /// Where several ask for the same request, the longest wins. A negative duration is zero.
    @inlinable
    public func keep(for duration: Duration) -> some QueryRequest<Value, State> {
        setting(.retention(duration))
    }
}
