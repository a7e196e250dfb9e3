/// Tells a store when a value changes that its own depends on. Lives as long as that store, with or without observers.
final class DependencyLink<State: QueryStateProtocol>: Sendable {
    /// The value of the other store that was there last.
    private struct Seen: Sendable {
        let value: State.QueryValue
        let count: UInt32
        let time: QueryTimestamp
        let session: WeakOwner?
        /// Whether it is gone meanwhile.
        var isGone = false

        func isSame(as other: Seen) -> Bool {
            // Values that can not be compared are told apart by when they came.
            value is any Equatable ? areKnownToBeEqual(value, other.value) : count == other.count && time == other.time
        }
    }

    private let owner: WeakOwner
    private let seen = Lock<Seen?>(nil)

    private init(_ store: StoreCore) { owner = WeakOwner(store) }

    /// Ties a store to another one on which it depends, unless it is.
    static func tie(_ store: StoreCore, to other: QueryStore<State>) {
        store.link(to: other.identity) {
            let link = DependencyLink(store)
            let handler = QueryEventHandler<State> { state, context in link.hear(state, in: context.owner) }
            // No observer: who only remembers a value does not keep the other one fetched.
            return QuerySubscription(StoreSubscriptionToken(other.core, other.attach(handler, isObserver: false)))
        }
    }

    /// Called for one state after the other, so that what was seen can be compared with the lock open.
    private func hear(_ state: State, in session: WeakOwner?) {
        guard let store = owner.object as? StoreCore else { return }
        guard state.record.flags.contains(.hasValue), let value = state.current else {
            return seen.withLock { $0?.isGone = true }
        }
        let new = Seen(value: value, count: state.record.valueCount, time: state.record.valueTime, session: session)
        let last = seen.withLock { seen in
            defer { seen = new }
            return seen
        }
        // The first value of a session changes nothing: the end of the one before has emptied the store.
        guard let last, last.session === session else { return store.pull(.dependency) }
        if !last.isSame(as: new) {
            store.invalidate(.dependency, refetch: .active)
        } else if last.isGone {
            store.pull(.dependency)
        }
    }
}
