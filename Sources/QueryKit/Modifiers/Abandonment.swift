extension QueryRequest {
    /// Says what becomes of a run when the last of its waiters and subscribers has left. Default: it is cancelled.
    public func whenAbandoned(_ abandonment: QueryAbandonment) -> some QueryRequest<Value, State> {
        setting { $0.abandonment = abandonment }
    }
}
