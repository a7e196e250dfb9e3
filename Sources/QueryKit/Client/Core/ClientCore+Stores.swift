/// How stores are found and made.
extension ClientCore {
    func find(_ identity: QueryIdentity) -> StoreCore? {
        var passed: [StoreCore] = []
        return state.withLock { $0.registry.find(identity, passing: &passed) }
    }

    /// Finds a store, or files the one that `make` returns. If two threads make one at the same time, the first to file it wins.
    ///
    /// No change up to the number that `make` gets concerns the store.
    func find(_ identity: QueryIdentity, orMake make: (StoreTicket, ChangeNumber) -> StoreCore) -> (store: StoreCore, isNew: Bool) {
        var passed: [StoreCore] = []
        var isRetired = false
        let known = state.withLock { state -> StoreCore? in
            let store = state.registry.find(identity, passing: &passed)
            if let store { isRetired = state.registry.isRetired(store.ticket) }
            return store
        }
        guard let known else { return file(identity, make) }
        return (handOut(known, isRetired: isRetired), false)
    }

    /// Lists a store that was let go: patterns have to reach a store that is handed out.
    @inline(__always)
    private func handOut(_ store: StoreCore, isRetired: Bool) -> StoreCore {
        if isRetired {
            list(store)
            attend()
        }
        return store
    }

    @inline(never)
    private func file(_ identity: QueryIdentity, _ make: (StoreTicket, ChangeNumber) -> StoreCore) -> (store: StoreCore, isNew: Bool) {
        let (ticket, number) = state.withLock { ($0.reserve(), $0.lastChange) }
        let made = make(ticket, number)
        let path = made.path
        let retention = made.context.retention
        let expiry = clock.now.advanced(by: retention ?? configuration.retention)
        let isExempt = retention.map { Nanoseconds($0) } == .infinity
        var passed: [StoreCore] = []
        var isRetired = false
        let (other, mustTrim) = state.withLock { state -> (StoreCore?, Bool) in
            if let other = state.registry.find(identity, passing: &passed) {
                state.registry.release(ticket)
                isRetired = state.registry.isRetired(other.ticket)
                return (other, false)
            }
            state.registry.insert(made, ticket, hash: identity.hash, path: path, expiry: expiry, isExempt: isExempt)
            if let deadline = state.registry.schedule(ticket) { state.retentions.insert(ticket, at: deadline) }
            return (nil, isOverBudget(state))
        }
        if let other { return (handOut(other, isRetired: isRetired), false) }
        arm()
        if mustTrim { trim() }
        return (made, true)
    }

    func stores(matching pattern: QueryPattern) -> [StoreCore] {
        pattern == .all ? Array(StoreWalk(self)) : state.withLock { $0.registry.stores(matching: pattern) }
    }

    /// The stores at work that a pattern matches.
    func runningStores(matching pattern: QueryPattern) -> [StoreCore] {
        if pattern == .all { return state.withLock { $0.registry.runningStores() } }
        // By pattern if that is less work, else by looking at each store at work.
        let (few, running) = state.withLock { state -> ([StoreCore]?, [StoreCore]) in
            if let few = state.registry.runningStores(matching: pattern) { return (few, []) }
            return (nil, state.registry.runningStores())
        }
        return few ?? running.filter { pattern.matches($0.path) }
    }

    var storeCount: Int { state.withLock { $0.registry.count } }
    var runningCount: Int { state.withLock { $0.registry.runningCount } }
    var byteCount: Int { state.withLock { $0.registry.byteCount } }
    /// Entries in the deadline queue, for tests that count.
    var deadlineCount: Int { state.withLock { $0.deadlineCount } }
}
