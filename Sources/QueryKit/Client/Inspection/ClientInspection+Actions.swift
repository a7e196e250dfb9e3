/// The actions of an inspector on a client.
extension ClientInspection {
    /// Carries out an action. Returns the number of affected stores. For an action on the network or the clock it returns 1, or 0 if the
    /// client has no network observer or no manual clock.
    ///
    /// Call it outside of the client's handlers and runs: advancing the clock calls the app's code on this thread.
    @discardableResult
    package func perform(_ action: InspectionAction) -> Int {
        guard let client else { return 0 }
        switch action {
        case .invalidate(let target):
            return carryOut(on: target, client, { $0.invalidate($1) }, { $0.invalidate() })
        case .refetch(let target):
            return carryOut(on: target, client, { $0.refetch($1) }, { $0.refresh(.manual) })
        case .reset(let target):
            return carryOut(on: target, client, { $0.reset($1) }, { $0.reset() })
        case .remove(let target):
            return carryOut(on: target, client, { $0.remove($1) }, { client.core.remove($0) })
        case .cancel(let target):
            return carryOut(on: target, client, { $0.cancel($1) }, { $0.cancel() })
        case .simulate(let simulation, let id):
            return store(id)?.simulate(simulation) == true ? 1 : 0
        case .restore(let id):
            return store(id)?.endSimulation() == true ? 1 : 0
        case .setNetwork(let isAvailable):
            client.core.network?.simulate(isOnline: isAvailable)
            return client.core.network == nil ? 0 : 1
        case .advanceClock(let duration):
            guard let clock = client.core.clock as? ManualClock, duration > .zero else { return 0 }
            clock.advance(by: duration)
            return 1
        }
    }

    private func carryOut(
        on target: InspectionAction.Target,
        _ client: QueryClient,
        _ onMatches: (QueryClient, QueryPattern) -> Void,
        _ onStore: (StoreCore) -> Void
    ) -> Int {
        switch target {
        case .pattern(let pattern):
            let count = client.core.stores(matching: pattern).count
            onMatches(client, pattern)
            return count
        case .store(let id):
            guard let store = store(id) else { return 0 }
            onStore(store)
            return 1
        }
    }
}
