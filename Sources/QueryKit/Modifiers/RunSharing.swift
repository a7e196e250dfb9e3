/// How callers and observers share the runs of a request.
extension QueryRequest {
    /// With `false`, gives each caller of `fetch` a fetch of its own instead of a share in the one under way.
    ///
    /// For those who insist, such as a request with side effects. Of fetches that overlap, the one that began last decides what the
    /// store shows. Such a fetch ends with its caller: `cancel()` on the store does not reach it, and its intermediate values are not shown.
    /// Runs that the library starts by itself stay one at a time.
    public func deduplicated(_ isDeduplicated: Bool = true) -> some QueryRequest<Value, State> {
        setting { $0.settings.isDeduplicated = isDeduplicated }
    }

    /// Says what becomes of a run when the last of its waiters and subscribers has left. Default: it is cancelled.
    public func whenAbandoned(_ abandonment: QueryAbandonment) -> some QueryRequest<Value, State> {
        setting { $0.abandonment = abandonment }
    }
}
