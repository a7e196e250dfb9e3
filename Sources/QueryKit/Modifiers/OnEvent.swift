extension QueryRequest {
    /// Calls a handler for changes of the request's store without observing it: the handler starts no run and does not extend retention.
    public func onEvent(_ handler: QueryEventHandler<State>) -> some QueryRequest<Value, State> {
        setting { $0.settings.handlers.append(handler) }
    }
}
