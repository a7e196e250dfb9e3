/// Finds and creates stores.
extension ClientCore {
    func find(_ identity: QueryIdentity) -> StoreCore? {
        var passed: [StoreCore] = []
        return state.withLock { $0.registry.find(identity, passing: &passed) }
    }

    /// Finds a store, or registers the one that `make` creates. If two threads create one at the same time, the first to register it wins.
    ///
    /// Changes up to the number that `make` receives do not concern the store.
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

    /// Lists a retired store again, because patterns must reach every store that has a handle.
    @inline(__always)
    private func handOut(_ store: StoreCore, isRetired: Bool) -> StoreCore {
        if isRetired {
            list(store)
            carryOutUpdates()
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

    /// The stores with runs that a pattern matches.
    func runningStores(matching pattern: QueryPattern) -> [StoreCore] {
        if pattern == .all { return state.withLock { $0.registry.runningStores() } }
        // Searches by pattern if that is less work, otherwise checks each store with a run.
        let (few, running) = state.withLock { state -> ([StoreCore]?, [StoreCore]) in
            if let few = state.registry.runningStores(matching: pattern) { return (few, []) }
            return (nil, state.registry.runningStores())
        }
        return few ?? running.filter { pattern.matches($0.path) }
    }

    var storeCount: Int { state.withLock { $0.registry.count } }
    var runningCount: Int { state.withLock { $0.registry.runningCount } }
    var byteCount: Int { state.withLock { $0.registry.byteCount } }
    /// The number of entries in the deadline queue, for tests.
    var deadlineCount: Int { state.withLock { $0.deadlineCount } }
}
