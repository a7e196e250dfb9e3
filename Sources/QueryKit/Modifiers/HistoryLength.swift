extension QueryRequest {
    /// Keeps so many calls of a mutation that have ended in its ``MutationState/history``. Default without it: 20.
    ///
    /// Calls that are on their way are kept in any case. With different lengths, the call that was made last decides. A negative count is zero.
    public func historyLength(_ count: Int) -> some QueryRequest<Value, State> {
        setting { $0.historyLength = count }
    }
}
