extension QueryRequest {
    /// Limits the number of ended calls in the ``MutationState/history`` of a mutation. Default without it: 20.
    ///
    /// Calls that have not ended are always kept. If requests set different lengths, the latest call decides. A negative number counts as
    /// zero.
    public func historyLength(_ count: Int) -> some QueryRequest<Value, State> {
        setting { $0.historyLength = count }
    }
}
