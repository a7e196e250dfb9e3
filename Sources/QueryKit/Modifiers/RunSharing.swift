/// Settings for how callers and observers share the runs of a request.
extension QueryRequest {
    /// Sets whether calls of `fetch` share a run. With `false`, each call starts its own fetch instead of joining the current run.
    ///
    /// Use `false` for a request that must run for each caller, such as a request with side effects. If fetches overlap, the store shows
    /// the result of the one that began last. A fetch that isn't deduplicated belongs to its caller: `cancel()` on the store does not
    /// cancel it, and its intermediate values are not shown. Runs that the library starts itself are still deduplicated.
    public func deduplicated(_ isDeduplicated: Bool = true) -> some QueryRequest<Value, State> {
        setting { $0.settings.isDeduplicated = isDeduplicated }
    }

    /// Sets what happens to a run when its last caller and observer have left. Default: it is cancelled.
    public func whenAbandoned(_ abandonment: QueryAbandonment) -> some QueryRequest<Value, State> {
        setting { $0.abandonment = abandonment }
    }
}
