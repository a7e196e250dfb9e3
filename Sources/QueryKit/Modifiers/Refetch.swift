extension QueryRequest {
    /// Requests a run each time a trigger fires, if the request is observed and its value is stale.
    public func refetch(on trigger: QueryTrigger) -> some QueryRequest<Value, State> {
        setting { $0.settings.triggers.append(trigger) }
    }

    /// Refetches at regular intervals while the request is observed, if its value is stale at that time.
    ///
    /// An interval of zero or less turns polling off. The minimum is 100 milliseconds: a debug build reports a shorter interval, see
    /// ``QueryMistake``.
    public func polling(every interval: Duration) -> some QueryRequest<Value, State> { refetch(on: .every(interval)) }
}
