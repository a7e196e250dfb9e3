/// How observers, caches and callers hear of what happened, one event after the other.
extension StoreCore {
    /// Carries out a delivery, and those that come meanwhile.
    func deliver(_ first: Delivery) {
        var next: Delivery? = first
        while let delivery = next {
            RunScope.outside { callHandlers(of: delivery) }
            if let stored = delivery.stored {
                for keeper in delivery.keepers { keep(stored, keeper) }
                if let keeper = delivery.keepers.first { host.noteStoredChange(of: keeper.request) }
            }
            // The line is handed on before the callers go on: they would only meet this thread at the store's lock.
            let (following, actions) = contents.withLock { $0.nextDelivery() }
            delivery.endTurn()
            perform(actions)
            next = following
        }
    }

    /// Calls all who have not heard the delivery in joining, and the handlers that requests brought along.
    private func callHandlers(of delivery: Delivery) {
        let audience = delivery.takeAudience()
        let event = delivery.event
        if event.changes.isEmpty { return }
        // A state that several handlers see is made once.
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
            // The handle of the companion may be of a former session, and the state may be by now: then neither hears of the present one.
            let renewed = companion.context.owner === audience.session ? companion : inPresentSession(companion)
            let settings = renewed.context.owner === audience.session ? renewed : companion
            typing.call(settings.context.settings.handlers, event, shownState(to: settings), settings.context)
        }
    }
}
