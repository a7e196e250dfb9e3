extension QueryRequest {
    /// Asks for a run whenever a trigger fires, as long as somebody observes and the value is stale.
    public func refetch(on trigger: QueryTrigger) -> some QueryRequest<Value, State> {
        setting { $0.settings.triggers.append(trigger) }
    }

    /// Runs again at each multiple of an interval while somebody observes, if the value is stale then.
    public func polling(every interval: Duration) -> some QueryRequest<Value, State> { refetch(on: .every(interval)) }
}
