/// How observers, caches and callers are notified, one event after the other.
extension StoreCore {
    /// Carries out a delivery, and all that are posted during it.
    func deliver(_ first: Delivery) {
        var next: Delivery? = first
        while let delivery = next {
            RunScope.outside { callHandlers(of: delivery) }
            if let stored = delivery.stored {
                for cacheSettings in delivery.allCacheSettings { keep(stored, cacheSettings) }
                if let cacheSettings = delivery.allCacheSettings.first { host.noteStoredChange(of: cacheSettings.request) }
            }
            // The next delivery is taken before the callers are resumed, because they would contend with this thread for the store's lock.
            let (following, actions) = contents.withLock { $0.nextDelivery() }
            delivery.endTurn()
            perform(actions)
            next = following
        }
    }

    /// Calls the listeners that haven't received the delivery while joining, and the handlers of requests.
    private func callHandlers(of delivery: Delivery) {
        let audience = delivery.takeAudience()
        let event = delivery.event
        if event.changes.isEmpty { return }
        // A state that several handlers get is created once.
        let isShared = audience.registrations.count + audience.handlerSettings.count > 1
        var common = ShownState(typing: typing, box: event.state)
        if isShared { common.shared = typing.shown(event.state) }
        func shownState(to settings: RequestSettings) -> ShownState {
            let box = shown(event.state, to: settings)
            return box === event.state ? common : ShownState(typing: typing, box: box)
        }
        for case let listener? in audience.registrations.lazy.map(\.listener) where delivery.number > listener.since {
            listener.subscriber.receive(event, shownState(to: listener.settings), listener.settings.context)
        }
        for given in audience.handlerSettings {
            // If the handle or the state belongs to an earlier session, the handlers must not get the context of the current one.
            let renewed = given.context.owner === audience.session ? given : inPresentSession(given)
            let settings = renewed.context.owner === audience.session ? renewed : given
            typing.call(settings.context.settings.handlers, event, shownState(to: settings), settings.context)
        }
    }
}
