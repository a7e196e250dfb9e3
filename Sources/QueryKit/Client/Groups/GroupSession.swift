/// A store as a group sees it: any type of state.
struct GroupMember: Sendable {
    let id: ObjectIdentifier
    /// Subscribes to the store, which it keeps alive.
    let observe: @Sendable (_ hear: @escaping @Sendable (AnyValue, _ session: WeakOwner?) -> Void) -> QuerySubscription

    init<State>(_ store: QueryStore<State>) {
        id = ObjectIdentifier(store.core)
        observe = { hear in
            store.subscribe(
                with: QueryEventHandler { state, context in hear(AnyValue(state), context.owner) }
            )
        }
    }
}

/// One handler that observes several stores as one: it hears all their states, in the order of the list.
///
/// Calls never overlap. What changes during a call is heard in one call after it.
final class GroupSession: Sendable {
    private struct Entry: Sendable {
        /// Tells a member that left and came back from what it was before.
        let number: Int
        var state: AnyValue?
        /// The session of the state.
        var session: WeakOwner?
        var subscription: QuerySubscription?
        var isShown = false
    }

    private struct State: Sendable {
        var isOver = false
        /// The number of the latest list, what it wants, and what is shown until all of that has a state.
        var version = 0
        var wanted: [ObjectIdentifier] = []
        var shown: [ObjectIdentifier]?
        var entries: [ObjectIdentifier: Entry] = [:]
        var lastNumber = 0
        var hasNews = false
        var isDelivering = false

        mutating func beginDelivery() -> Bool {
            guard hasNews, !isDelivering else { return false }
            isDelivering = true
            return true
        }

        mutating func next() -> [AnyValue]? {
            // The stores enter a session one after the other. What belongs to two users is not shown together, so the last one is waited for.
            guard hasNews, !isOver, let shown, !shown.contains(where: { entries[$0]?.session?.isEnded == true }) else {
                isDelivering = false
                return nil
            }
            hasNews = false
            return shown.compactMap { entries[$0]?.state }
        }
    }

    private let state = Lock(State())
    private let handler: @Sendable ([AnyValue]) -> Void

    init(_ handler: @escaping @Sendable ([AnyValue]) -> Void) { self.handler = handler }

    /// Observes the stores of a list, unless a later list is known. Those that stay keep their subscription.
    func adopt(_ members: [GroupMember], version: Int) {
        let new = state.withLock { state -> [(GroupMember, Int)] in
            guard !state.isOver, version > state.version else { return [] }
            state.version = version
            state.wanted = members.map(\.id)
            var new: [(GroupMember, Int)] = []
            for member in members where state.entries[member.id] == nil {
                state.lastNumber += 1
                state.entries[member.id] = Entry(number: state.lastNumber)
                new.append((member, state.lastNumber))
            }
            return new
        }
        for (member, number) in new {
            let id = member.id
            let subscription = member.observe { [weak self] in self?.hear(id, number, $0, of: $1) }
            let isTooLate = state.withLock { state in
                guard state.entries[id]?.number == number else { return true }
                state.entries[id]?.subscription = subscription
                return false
            }
            if isTooLate { subscription.cancel() }
        }
        settle()
    }

    func end() {
        let entries = state.withLock { state in
            state.isOver = true
            defer { state.entries = [:] }
            return state.entries
        }
        for entry in entries.values { entry.subscription?.cancel() }
    }

    private func hear(_ id: ObjectIdentifier, _ number: Int, _ new: AnyValue, of session: WeakOwner?) {
        // What is replaced leaves the lock before it ends.
        let replaced = state.withLock { state -> AnyValue? in
            guard let entry = state.entries[id], entry.number == number else { return nil }
            state.entries[id]?.state = new
            state.entries[id]?.session = session
            if entry.isShown { state.hasNews = true }
            return entry.state
        }
        withExtendedLifetime(replaced) { deliver() }
    }

    /// Shows the latest list once all of it has a state, and lets go of what is not in it.
    private func settle() {
        let gone = state.withLock { state -> [Entry] in
            guard !state.isOver, state.wanted.allSatisfy({ state.entries[$0]?.state != nil }) else { return [] }
            if state.shown != state.wanted { state.hasNews = true }
            state.shown = state.wanted
            for id in state.wanted { state.entries[id]?.isShown = true }
            let kept = Set(state.wanted)
            let gone = state.entries.filter { !kept.contains($0.key) }
            for id in gone.keys { state.entries[id] = nil }
            return Array(gone.values)
        }
        for entry in gone { entry.subscription?.cancel() }
        deliver()
    }

    private func deliver() {
        guard state.withLock({ $0.beginDelivery() }) else { return }
        while let states = state.withLock({ $0.next() }) { RunScope.outside { handler(states) } }
    }
}
