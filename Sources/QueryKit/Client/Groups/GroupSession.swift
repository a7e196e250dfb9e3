import Dispatch

/// A store as a group sees it: any type of state.
struct GroupMember: Sendable {
    let core: StoreCore
    let id: ObjectIdentifier
    /// What the handle that was given shows of a state of the store.
    let shown: @Sendable (StateBox) -> AnyValue
    /// Subscribes to the store, which it keeps alive.
    let observe: @Sendable (_ hear: @escaping @Sendable (_ session: WeakOwner?) -> Void) -> QuerySubscription

    init<State>(_ store: QueryStore<State>) {
        core = store.core
        id = ObjectIdentifier(store.core)
        shown = { AnyValue(store.state(of: $0)) }
        observe = { hear in
            store.subscribe(with: QueryEventHandler { _, context in hear(context.owner) })
        }
    }
}

/// One handler that observes several stores as one: it hears all their states of one moment, in the order of the list.
///
/// Calls never overlap. What changes during a call is heard in one call after it.
final class GroupSession: Sendable {
    private struct Entry: Sendable {
        /// Tells a member that left and came back from what it was before.
        let number: Int
        let member: GroupMember
        /// Whether the member has told its state.
        var isKnown = false
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
        /// What the handler has heard of the list that is shown.
        var heard: [StateBox]?

        mutating func beginDelivery() -> Bool {
            guard hasNews, !isDelivering else { return false }
            isDelivering = true
            return true
        }

        mutating func next() -> [GroupMember]? {
            // The stores enter a session one after the other. What belongs to two users is not shown together, so the last one is waited for.
            guard hasNews, !isOver, let shown, !shown.contains(where: { entries[$0]?.session?.isEnded == true }) else {
                isDelivering = false
                return nil
            }
            hasNews = false
            return shown.compactMap { entries[$0]?.member }
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
                state.entries[member.id] = Entry(number: state.lastNumber, member: member)
                new.append((member, state.lastNumber))
            }
            return new
        }
        for (member, number) in new {
            let id = member.id
            let subscription = member.observe { [weak self] in self?.hear(id, number, of: $0) }
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

    private func hear(_ id: ObjectIdentifier, _ number: Int, of session: WeakOwner?) {
        state.withLock { state in
            guard let entry = state.entries[id], entry.number == number else { return }
            state.entries[id]?.isKnown = true
            state.entries[id]?.session = session
            if entry.isShown { state.hasNews = true }
        }
        deliver()
    }

    /// Shows the latest list once all of it has a state, and lets go of what is not in it.
    private func settle() {
        let gone = state.withLock { state -> [Entry] in
            guard !state.isOver, state.wanted.allSatisfy({ state.entries[$0]?.isKnown == true }) else { return [] }
            if state.shown != state.wanted { (state.hasNews, state.heard) = (true, nil) }
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
        while let members = state.withLock({ $0.next() }) {
            guard let boxes = StateBox.atOneMoment(of: members.map(\.core)) else { return deliverLater(members) }
            // The members tell of one change one after the other, and all of it is heard with the first.
            let former = state.withLock { state -> [StateBox]? in
                defer { state.heard = boxes }
                return state.heard
            }
            if let former, former.count == boxes.count, zip(former, boxes).allSatisfy({ $0 === $1 }) { continue }
            let states = zip(members, boxes).map { $0.shown($1) }
            RunScope.outside { handler(states) }
        }
    }

    /// Goes on once the change of several stores that is half done is complete.
    private func deliverLater(_ members: [GroupMember]) {
        state.withLock { ($0.hasNews, $0.isDelivering) = (true, false) }
        guard let host = members.lazy.map(\.core.host).first(where: { $0.jointChanges == nil }) ?? members.first?.core.host else { return }
        // Counted, so that a client is settled only after it.
        let token = host.work.begin()
        host.whenWhole {
            self.deliver()
            token.end()
        }
    }
}

extension StateBox {
    /// The states of some stores at one moment. A change of several stores that is half done is waited for, as long as a short one takes.
    static func now(of stores: [StoreCore]) -> [StateBox] {
        let deadline = DispatchTime.now() + .milliseconds(50)
        while true {
            if let boxes = atOneMoment(of: stores) { return boxes }
            guard let host = stores.lazy.map(\.host).first(where: { $0.jointChanges == nil }) else { continue }
            let isWhole = DispatchSemaphore(value: 0)
            // A batch of this task goes on only after this call.
            if ChangeBatch.current(of: host) == nil {
                host.whenWhole { isWhole.signal() }
                if isWhole.wait(timeout: deadline) == .success { continue }
            }
            return stores.map(\.box)
        }
    }

    /// The states of some stores at one moment: nothing that changes several of them at once is half there. `nil` while such a change is half done.
    fileprivate static func atOneMoment(of stores: [StoreCore]) -> [StateBox]? {
        var hosts: [any StoreHost] = []
        for store in stores where !hosts.contains(where: { $0 === store.host }) { hosts.append(store.host) }
        while true {
            let before = hosts.map(\.jointChanges)
            if before.contains(nil) { return nil }
            let boxes = stores.map(\.box)
            if hosts.map(\.jointChanges) == before { return boxes }
        }
    }
}
