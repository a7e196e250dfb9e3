extension QueryRequest {
    /// Keeps the store this long after its last observer has left or its last run has ended, whichever is later. Default: 5 minutes.
    ///
    /// If equal requests set different durations, the longest wins. A negative duration counts as zero.
    ///
    /// With `.infinity` the store is kept until you remove it or its client is deallocated. It is not released when memory is low or when a
    /// limit of the ``QueryClient/Configuration`` is reached, and it doesn't count toward these limits. Use it for a few values that the
    /// app can't do without.
    @inlinable
    public func keep(for duration: Duration) -> some QueryRequest<Value, State> {
        setting(.retention(duration))
    }
}
