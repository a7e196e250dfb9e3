/// How observers, caches and callers are notified, one event after the other.
extension StoreCore {
    /// Carries out a delivery, and all that are posted during it.
    func deliver(_ first: Delivery) {
        var next: Delivery? = first
        while let delivery = next {
            RunScope.outside { callHandlers(of: delivery) }
            if let stored = delivery.stored {
                for keeper in delivery.keepers { keep(stored, keeper) }
                if let keeper = delivery.keepers.first { host.noteStoredChange(of: keeper.request) }
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
        let isShared = audience.places.count + audience.companions.count > 1
        var common = ShownState(typing: typing, box: event.state)
        if isShared { common.shared = typing.shown(event.state) }
        func shownState(to settings: RequestSettings) -> ShownState {
            let box = shown(event.state, to: settings)
            return box === event.state ? common : ShownState(typing: typing, box: box)
        }
        for case let listener? in audience.places.lazy.map(\.listener) where delivery.number > listener.since {
            listener.subscriber.receive(event, shownState(to: listener.settings), listener.settings.context)
        }
        for companion in audience.companions {
            // If a companion's handle or the state belongs to a former session, the handlers must not get the context of the current one.
            let renewed = companion.context.owner === audience.session ? companion : inPresentSession(companion)
            let settings = renewed.context.owner === audience.session ? renewed : companion
            typing.call(settings.context.settings.handlers, event, shownState(to: settings), settings.context)
        }
    }
}
