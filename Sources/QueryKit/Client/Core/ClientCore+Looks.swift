/// Which store of each type of request was used last, for requests that keep showing its value.
extension ClientCore {
    /// Notes which store of a family is looked at now, for requests that keep what was shown before.
    func lookAt(_ store: StoreCore, _ settings: RequestSettings, of family: QueryIdentity.Family) {
        let reference = WeakOwner(store)
        // What is replaced is released outside the lock.
        _ = state.withLock { $0.previous.updateValue((reference, settings), forKey: family) }
    }

    /// Forgets what was looked at: a new session keeps nothing that the one before showed.
    func forgetLooks() {
        // What is forgotten leaves the lock before it ends.
        _ = state.withLock { state in
            defer { state.previous = [:] }
            return state.previous
        }
    }

    func lookedAt(_ family: QueryIdentity.Family) -> (store: StoreCore, settings: RequestSettings)? {
        guard let (reference, settings) = state.withLock({ $0.previous[family] }) else { return nil }
        return (reference.object as? StoreCore).map { ($0, settings) }
    }
}
