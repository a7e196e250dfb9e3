/// The stores that depend on the value of another store. When that value changes, they are notified together, as one change (R29).
///
/// Exists as long as one of these stores exists, with or without observers.
final class Dependents<State: QueryStateProtocol>: Sendable {
    /// A value of the other store.
    private struct Seen: Sendable {
        let value: State.QueryValue
        let count: UInt32
        let time: QueryTimestamp
        let session: WeakOwner?
        /// Whether the value has been removed since then.
        var isGone = false

        func isSame(as other: Seen) -> Bool {
            // Values that can't be compared are distinguished by when they were set.
            value is any Equatable ? areKnownToBeEqual(value, other.value) : count == other.count && time == other.time
        }
    }

    private struct Member: Sendable {
        let store: WeakOwner
        /// The revision of the other store's state when the member was added. Earlier states don't concern the member.
        var revision = Int.min
        var hasSeenValue = false

        var core: StoreCore? { store.object as? StoreCore }
    }

    private struct Content: Sendable {
        var members: [Int: Member] = [:]
        var nextID = 0
        var isOver = false
        var subscription: QuerySubscription?
        /// The last value that was delivered.
        var seen: Seen?
    }

    private let core: WeakOwner
    private let content = Lock(Content())

    private init(_ core: ClientCore) { self.core = WeakOwner(core) }

    /// Makes a store depend on another one, unless it does already.
    static func add(_ store: StoreCore, of other: QueryStore<State>, in core: ClientCore) {
        store.link(to: other.identity) {
            while true {
                let dependents = core.dependents.withLock { all -> Dependents in
                    let key = ObjectIdentifier(other.core)
                    if let known = all[key] as? Dependents, !known.isOver { return known }
                    let new = Dependents(core)
                    all[key] = new
                    return new
                }
                if let subscription = dependents.add(store, of: other) { return subscription }
            }
        }
    }

    private var isOver: Bool { content.withLock { $0.isOver } }

    // MARK: Members

    /// Returns `nil` if the last member has just been removed.
    private func add(_ store: StoreCore, of other: QueryStore<State>) -> QuerySubscription? {
        let added = content.withLock { content -> (id: Int, isFirst: Bool)? in
            if content.isOver { return nil }
            content.nextID += 1
            content.members[content.nextID] = Member(store: WeakOwner(store))
            return (content.nextID, content.nextID == 1)
        }
        guard let (id, isFirst) = added else { return nil }
        if isFirst { begin(other) }
        // Read the state only now: if it had been read before the member was added, a change in between would be missed.
        let record = other.core.record
        let seesValue = content.withLock { content in
            guard var member = content.members[id] else { return false }
            let seesValue = record.flags.contains(.hasValue) && !member.hasSeenValue
            member.revision = max(member.revision, record.revision)
            member.hasSeenValue = member.hasSeenValue || seesValue
            content.members[id] = member
            return seesValue
        }
        if seesValue { store.refreshIfStale(.dependency) }
        return QuerySubscription { [self] in remove(id, of: ObjectIdentifier(other.core)) }
    }

    private func begin(_ other: QueryStore<State>) {
        let handler = QueryEventHandler<State> { [self] state, context in receive(state, in: context.owner) }
        // Not an observer: a listener that only remembers the other value must not keep it fetched.
        let subscription = QuerySubscription(StoreSubscriptionToken(other.core, other.attach(handler, isObserver: false)))
        let isTooLate = content.withLock { content in
            if !content.isOver { content.subscription = subscription }
            return content.isOver
        }
        if isTooLate { subscription.cancel() }
    }

    private func remove(_ id: Int, of other: ObjectIdentifier) {
        let (subscription, isOver) = content.withLock { content -> (QuerySubscription?, Bool) in
            content.members[id] = nil
            content.isOver = content.members.isEmpty
            return (content.isOver ? content.subscription.take() : nil, content.isOver)
        }
        if isOver {
            (core.object as? ClientCore)?.dependents.withLock { all in
                if all[other] === self { all[other] = nil }
            }
        }
        subscription?.cancel()
    }

    // MARK: Changes

    /// Calls for successive states never overlap, so the values can be compared outside the lock.
    private func receive(_ state: State, in session: WeakOwner?) {
        // If an inspector makes the other store look different, its value has not changed.
        guard state.record.flags.isDisjoint(with: .simulated) else { return }
        guard state.record.flags.contains(.hasValue), let value = state.current else {
            return content.withLock { $0.seen?.isGone = true }
        }
        let new = Seen(value: value, count: state.record.valueCount, time: state.record.valueTime, session: session)
        let (last, members) = content.withLock { content in
            defer {
                content.seen = new
                for id in content.members.keys { content.members[id]?.hasSeenValue = true }
            }
            return (content.seen, content.members.sorted { $0.key < $1.key }.map(\.value).filter { $0.revision < state.record.revision })
        }
        // The first value of a session is not a change: the end of the previous session has emptied the store.
        let isFirst = last.map { $0.session !== session } ?? false
        let isChanged = last.map { !$0.isSame(as: new) } ?? true
        let known = members.filter(\.hasSeenValue)
        let cause = QueryCause.dependency.from(state.record.cause.origin)
        if isChanged, !isFirst { (core.object as? ClientCore)?.invalidate(known.compactMap(\.core), cause) }
        let isNews = isFirst || !isChanged && last?.isGone == true
        for member in members where isNews || !member.hasSeenValue { member.core?.refreshIfStale(cause) }
    }
}
