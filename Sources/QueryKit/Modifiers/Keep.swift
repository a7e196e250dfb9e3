extension QueryRequest {
    /// Keeps the store this long after the last subscriber left or the last run ended, whichever is later. Default: 5 minutes.
    ///
    /// Where several ask for the same request, the longest wins. A negative duration is zero.
    ///
    /// With `.infinity` the store stays until you remove it or its client is deallocated. Then neither memory pressure nor the budgets of
    /// the ``QueryClient/Configuration`` release it, and it doesn't count for those. Use it for a few values that the app can't do without.
    @inlinable
    public func keep(for duration: Duration) -> some QueryRequest<Value, State> {
        setting(.retention(duration))
    }
}
