extension QueryRequest {
    /// Also notifies observers when an Equatable value is replaced by an equal one. Without it, observers aren't notified, and only the
    /// times of the state change.
    public func notifyEqual(_ notifies: Bool = true) -> some QueryRequest<Value, State> {
        setting { $0.settings.notifiesEqual = notifies }
    }
}
