import Dispatch

/// A store as a group sees it, regardless of the type of its state.
struct GroupMember: Sendable {
    let core: StoreCore
    let id: ObjectIdentifier
    /// Returns what the handle shows for a state of the store.
    let shown: @Sendable (StateBox) -> AnyValue
    /// Subscribes to the store, and keeps it alive.
    let observe: @Sendable (_ onChange: @escaping @Sendable (_ session: WeakOwner?) -> Void) -> QuerySubscription

    init<State>(_ store: QueryStore<State>) {
        core = store.core
        id = ObjectIdentifier(store.core)
        shown = { AnyValue(store.state(of: $0)) }
        observe = { onChange in
            store.subscribe(with: QueryEventHandler { _, context in onChange(context.owner) })
        }
    }
}

/// Observes several stores with one handler. The handler receives all their states as of one moment, in the order of the list.
///
/// Calls never overlap. All changes during a call are delivered in one call after it.
final class GroupSession: Sendable {
    private struct MemberState: Sendable {
        /// Distinguishes this member from an earlier member that had the same store and has left the list.
        let number: Int
        let member: GroupMember
        /// Whether the member has reported its state.
        var isKnown = false
        /// The session of the reported state.
        var session: WeakOwner?
        var subscription: QuerySubscription?
        var isShown = false
    }

    private struct State: Sendable {
        var isOver = false
        /// The number of the latest list, its members, and the members that are shown until all members of the latest list have a state.
        var version = 0
        var wanted: [ObjectIdentifier] = []
        var shown: [ObjectIdentifier]?
        var memberStates: [ObjectIdentifier: MemberState] = [:]
        var lastNumber = 0
        var hasChanged = false
        var isDelivering = false
        /// The states that the handler last received for the list that is shown.
        var delivered: [StateBox]?

        mutating func beginDelivery() -> Bool {
            guard hasChanged, !isDelivering else { return false }
            isDelivering = true
            return true
        }

        mutating func next() -> [GroupMember]? {
            // Stores enter a session one after the other. Wait for the last one, because the data of two users must not be shown together.
            guard hasChanged, !isOver, let shown, !shown.contains(where: { memberStates[$0]?.session?.isEnded == true }) else {
                isDelivering = false
                return nil
            }
            hasChanged = false
            return shown.compactMap { memberStates[$0]?.member }
        }
    }

    private let state = Lock(State())
    private let handler: @Sendable ([AnyValue]) -> Void

    init(_ handler: @escaping @Sendable ([AnyValue]) -> Void) { self.handler = handler }

    /// Observes the stores of a list, unless a later list is known. Stores in both lists keep their subscription.
    func adopt(_ members: [GroupMember], version: Int) {
        let new = state.withLock { state -> [(GroupMember, Int)] in
            guard !state.isOver, version > state.version else { return [] }
            state.version = version
            state.wanted = members.map(\.id)
            var new: [(GroupMember, Int)] = []
            for member in members where state.memberStates[member.id] == nil {
                state.lastNumber += 1
                state.memberStates[member.id] = MemberState(number: state.lastNumber, member: member)
                new.append((member, state.lastNumber))
            }
            return new
        }
        // The first values appear together, too, even if the first store has its value before the last one is subscribed to.
        let clients = hosts(of: new.map(\.0.core))
        for host in clients { host.rounds.beginSubscribing() }
        for (member, number) in new {
            let id = member.id
            let subscription = member.observe { [weak self] in self?.noteChange(id, number, of: $0) }
            let isTooLate = state.withLock { state in
                guard state.memberStates[id]?.number == number else { return true }
                state.memberStates[id]?.subscription = subscription
                return false
            }
            if isTooLate { subscription.cancel() }
        }
        for host in clients { host.rounds.endSubscribing(host) }
        settle()
    }

    func end() {
        let memberStates = state.withLock { state in
            state.isOver = true
            defer { state.memberStates = [:] }
            return state.memberStates
        }
        for memberState in memberStates.values { memberState.subscription?.cancel() }
    }

    private func noteChange(_ id: ObjectIdentifier, _ number: Int, of session: WeakOwner?) {
        state.withLock { state in
            guard let memberState = state.memberStates[id], memberState.number == number else { return }
            state.memberStates[id]?.isKnown = true
            state.memberStates[id]?.session = session
            if memberState.isShown { state.hasChanged = true }
        }
        deliver()
    }

    /// Shows the latest list once all of its stores have a state, and releases the stores that are not in it.
    private func settle() {
        let gone = state.withLock { state -> [MemberState] in
            guard !state.isOver, state.wanted.allSatisfy({ state.memberStates[$0]?.isKnown == true }) else { return [] }
            if state.shown != state.wanted { (state.hasChanged, state.delivered) = (true, nil) }
            state.shown = state.wanted
            for id in state.wanted { state.memberStates[id]?.isShown = true }
            let kept = Set(state.wanted)
            let gone = state.memberStates.filter { !kept.contains($0.key) }
            for id in gone.keys { state.memberStates[id] = nil }
            return Array(gone.values)
        }
        for memberState in gone { memberState.subscription?.cancel() }
        deliver()
    }

    private func deliver() {
        guard state.withLock({ $0.beginDelivery() }) else { return }
        while let members = state.withLock({ $0.next() }) {
            guard let boxes = StateBox.atOneMoment(of: members.map(\.core)) else { return deliverLater(members) }
            // If one change concerns several members, they report it one after the other, but the first report already delivers the whole
            // change.
            let former = state.withLock { state -> [StateBox]? in
                defer { state.delivered = boxes }
                return state.delivered
            }
            if let former, former.count == boxes.count, zip(former, boxes).allSatisfy({ $0 === $1 }) { continue }
            let states = zip(members, boxes).map { $0.shown($1) }
            RunScope.outside { handler(states) }
        }
    }

    /// Delivers once the current change of several stores is complete.
    private func deliverLater(_ members: [GroupMember]) {
        state.withLock { ($0.hasChanged, $0.isDelivering) = (true, false) }
        guard let host = members.lazy.map(\.core.host).first(where: { $0.jointChanges == nil }) ?? members.first?.core.host else { return }
        // Counts as work, so that `settled()` waits for the delivery.
        let token = host.work.begin()
        host.whenWhole {
            self.deliver()
            token.end()
        }
    }
}

/// The clients of some stores, each once.
private func hosts(of stores: [StoreCore]) -> [any StoreHost] {
    var hosts: [any StoreHost] = []
    for store in stores where !hosts.contains(where: { $0 === store.host }) { hosts.append(store.host) }
    return hosts
}

extension StateBox {
    /// The states of some stores at one moment. Waits up to 50 ms for a change of several stores to be complete.
    static func now(of stores: [StoreCore]) -> [StateBox] {
        let deadline = DispatchTime.now() + .milliseconds(50)
        while true {
            if let boxes = atOneMoment(of: stores) { return boxes }
            guard let host = stores.lazy.map(\.host).first(where: { $0.jointChanges == nil }) else { continue }
            let isWhole = DispatchSemaphore(value: 0)
            // A batch of this task continues only after this call, so don't wait for it.
            if ChangeBatch.current(of: host) == nil {
                host.whenWhole { isWhole.signal() }
                if isWhole.wait(timeout: deadline) == .success { continue }
            }
            return stores.map(\.box)
        }
    }

    /// The states of some stores at one moment; `nil` while a change of several stores is only partly done.
    fileprivate static func atOneMoment(of stores: [StoreCore]) -> [StateBox]? {
        let clients = hosts(of: stores)
        while true {
            let before = clients.map(\.jointChanges)
            if before.contains(nil) { return nil }
            let boxes = stores.map(\.box)
            if clients.map(\.jointChanges) == before { return boxes }
        }
    }
}
