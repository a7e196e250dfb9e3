extension QueryRequest {
    /// Limits how many ended calls of a mutation its ``MutationState/history`` keeps. Default without it: 20.
    ///
    /// Calls that have not ended are always kept. If requests set different lengths, the latest call decides. A negative number counts as
    /// zero.
    public func historyLength(_ count: Int) -> some QueryRequest<Value, State> {
        setting { $0.historyLength = count }
    }
}
