/// The store that was last used for each type of request, for requests that keep showing the previous value.
extension ClientCore {
    /// Notes that a store of a family is shown now, for requests that keep the previous value.
    func lookAt(_ store: StoreCore, _ settings: RequestSettings, of family: QueryIdentity.Family) {
        let reference = WeakOwner(store)
        // Release the replaced entry outside the lock.
        _ = state.withLock { $0.previous.updateValue((reference, settings), forKey: family) }
    }

    /// Removes all notes: a new session must not show anything of the previous one.
    func forgetLooks() {
        // Release the notes outside the lock.
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
