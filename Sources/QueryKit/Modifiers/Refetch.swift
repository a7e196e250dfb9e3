extension QueryRequest {
    /// Requests a run each time a trigger fires while the request is observed and its value is stale.
    public func refetch(on trigger: QueryTrigger) -> some QueryRequest<Value, State> {
        setting { $0.settings.triggers.append(trigger) }
    }

    /// Runs again at each multiple of an interval while the request is observed, if its value is stale then.
    ///
    /// An interval of zero or less turns it off. The shortest that counts is 100 milliseconds: a debug build reports one below it, see
    /// ``QueryMistake``.
    public func polling(every interval: Duration) -> some QueryRequest<Value, State> { refetch(on: .every(interval)) }
}
