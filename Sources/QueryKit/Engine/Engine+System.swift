/// What the system reports: whether there is a network, and whether the app is active.
extension Engine {
    struct System: Sendable {
        var subscriptions: [QuerySubscription] = []
        /// The observer of the activity that the default triggers listen to.
        var activity: (any ActivityObserver)?
        var network: (any NetworkObserver)?
        /// Whether an inspector has set whether there is a network, so that reports are ignored.
        var isSimulated = false
    }

    /// Observes the system until the client ends. What it reports first is its state, and no event (R40).
    func observe(
        network: (any NetworkObserver)?,
        activity: (any ActivityObserver)?,
        refetchesOnReconnect: Bool,
        refetchesWhenActive: Bool
    ) {
        system.withLock { system in
            system.network = network
            system.activity = refetchesWhenActive ? activity : nil
        }
        var subscriptions: [QuerySubscription] = []
        if let network {
            let isOnline = network.isOnline
            enterNow { ledger in
                ledger.defaults.coversReconnect = refetchesOnReconnect
                ledger.setOnline(isOnline)
            }
            subscriptions.append(network.observe { [weak self] in self?.report(isOnline: $0) })
            // It may have changed since the first look.
            askNetwork()
        }
        if refetchesWhenActive, let activity {
            let name = QueryTrigger.appActive.name
            subscriptions.append(activity.observe { [weak self] in if $0 { self?.enterNow { $0.fireDefault(name) } } })
        }
        system.withLock { $0.subscriptions += subscriptions }
    }

    func endObservations() {
        let former = system.withLock { system in
            defer { system = System() }
            return system
        }
        for subscription in former.subscriptions { subscription.cancel() }
    }

    /// Whether the default triggers do all that a trigger of a request would do. Two values of one type count as the same.
    func coversActivity(of other: any ActivityObserver) -> Bool {
        guard let own = system.withLock({ $0.activity }), type(of: own) == type(of: other) else { return false }
        return !(type(of: other) is AnyClass) || (own as AnyObject) === (other as AnyObject)
    }

    // MARK: Network

    private func report(isOnline: Bool) {
        if !system.withLock({ $0.isSimulated }) { enterNow { $0.setOnline(isOnline) } }
    }

    private func askNetwork() {
        guard let network = system.withLock({ $0.network }) else { return }
        // It may change during the look.
        while !system.withLock({ $0.isSimulated }), network.isOnline == enter({ $0.network.isOffline }) {
            report(isOnline: network.isOnline)
        }
    }

    /// Behaves as if there were a network, or as if there were none. With `nil` the observer decides again.
    func simulate(isOnline: Bool?) {
        system.withLock { $0.isSimulated = isOnline != nil }
        if let isOnline { enterNow { $0.setOnline(isOnline) } } else { askNetwork() }
    }
}
