extension QueryRequest {
    /// Tells a handler of what happens to the request's store, without observing it: no run starts, and retention goes on.
    public func onEvent(_ handler: QueryEventHandler<State>) -> some QueryRequest<Value, State> {
        setting { $0.settings.handlers.append(handler) }
    }
}
