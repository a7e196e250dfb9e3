extension QueryRequest {
    /// Notifies also when an Equatable value is replaced by an equal one. Default without it: only the times move.
    public func notifyEqual(_ notifies: Bool = true) -> some QueryRequest<Value, State> {
        setting { $0.settings.notifiesEqual = notifies }
    }
}
