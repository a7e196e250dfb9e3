extension QueryRequest {
    /// Requests a run each time a trigger fires while the request is observed and its value is stale.
    public func refetch(on trigger: QueryTrigger) -> some QueryRequest<Value, State> {
        setting { $0.settings.triggers.append(trigger) }
    }

    /// Runs again at each multiple of an interval while the request is observed, if its value is stale then.
    public func polling(every interval: Duration) -> some QueryRequest<Value, State> { refetch(on: .every(interval)) }
}
