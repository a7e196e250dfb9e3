extension QueryRequest {
    /// Also notifies observers when an Equatable value is replaced by an equal one. Default without it: only the times change.
    public func notifyEqual(_ notifies: Bool = true) -> some QueryRequest<Value, State> {
        setting { $0.settings.notifiesEqual = notifies }
    }
}
