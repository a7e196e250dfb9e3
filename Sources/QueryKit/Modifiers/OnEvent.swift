extension QueryRequest {
    /// Calls a handler for each event of the request's store. The handler is not an observer: it starts no run and does not extend the
    /// store's retention.
    public func onEvent(_ handler: QueryEventHandler<State>) -> some QueryRequest<Value, State> {
        setting { $0.settings.handlers.append(handler) }
    }
}
