/// Notifies a store when a value that it depends on changes. Lives as long as that store, with or without observers.
final class DependencyLink<State: QueryStateProtocol>: Sendable {
    /// The last value of the other store.
    private struct Seen: Sendable {
        let value: State.QueryValue
        let count: UInt32
        let time: QueryTimestamp
        let session: WeakOwner?
        /// Whether the value has been removed since.
        var isGone = false

        func isSame(as other: Seen) -> Bool {
            // Values that can't be compared are distinguished by when they were set.
            value is any Equatable ? areKnownToBeEqual(value, other.value) : count == other.count && time == other.time
        }
    }

    private let owner: WeakOwner
    private let seen = Lock<Seen?>(nil)

    private init(_ store: StoreCore) { owner = WeakOwner(store) }

    /// Links a store to another one that it depends on, unless they are already linked.
    static func tie(_ store: StoreCore, to other: QueryStore<State>) {
        store.link(to: other.identity) {
            let link = DependencyLink(store)
            let handler = QueryEventHandler<State> { state, context in link.receive(state, in: context.owner) }
            // Not an observer: a link that only remembers the other value must not keep it fetched.
            return QuerySubscription(StoreSubscriptionToken(other.core, other.attach(handler, isObserver: false)))
        }
    }

    /// Calls for successive states never overlap, so the values can be compared outside the lock.
    private func receive(_ state: State, in session: WeakOwner?) {
        // A store that an inspector makes look different has the same value.
        guard state.record.flags.isDisjoint(with: .simulated), let store = owner.object as? StoreCore else { return }
        guard state.record.flags.contains(.hasValue), let value = state.current else {
            return seen.withLock { $0?.isGone = true }
        }
        let new = Seen(value: value, count: state.record.valueCount, time: state.record.valueTime, session: session)
        let last = seen.withLock { seen in
            defer { seen = new }
            return seen
        }
        // The first value of a session is not a change: the end of the previous session has emptied the store.
        let cause = QueryCause.dependency.from(state.record.cause.origin)
        guard let last, last.session === session else { return store.refreshIfStale(cause) }
        if !last.isSame(as: new) {
            store.invalidate(cause, refetch: .active)
        } else if last.isGone {
            store.refreshIfStale(cause)
        }
    }
}
