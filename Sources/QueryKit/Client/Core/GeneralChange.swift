/// A change that concerns every store of a client, such as a log-out.
///
/// Entering it costs two bits per store: no store is looked up, and nothing is filed for it. Each store takes the change when it is used or
/// when a ``StoreWalk`` comes to it.
struct GeneralChange {
    let change: StoreChange
    /// The slots whose stores existed when the change was entered.
    private(set) var members: SlotSet
    /// Those that have not taken it yet.
    private var waiting: SlotSet

    /// - Parameter slotCount: The number of slots that are in use, or were.
    init(_ change: StoreChange, slotCount: Int) {
        self.change = change
        members = SlotSet(below: slotCount)
        waiting = members
    }

    /// Whether the change concerns retired stores too: they are empty, but belong to a session.
    var concernsRetired: Bool { if case .renewed = change.kind { true } else { false } }

    func waits(for slot: UInt32, isRetired: Bool) -> Bool { waiting.contains(slot) && (concernsRetired || !isRetired) }

    /// Whether the store at the slot has to take the change; from now on it has taken it.
    mutating func take(_ slot: UInt32, isRetired: Bool) -> Bool { waiting.remove(slot) && (concernsRetired || !isRetired) }

    /// The slot gets a store that is made or listed again after the change.
    mutating func leaveOut(_ slot: UInt32) {
        _ = members.remove(slot)
        _ = waiting.remove(slot)
    }
}

/// A set of slots, one bit each.
struct SlotSet {
    private var words: [UInt64]
    let slotCount: Int

    /// All slots below a number.
    init(below slotCount: Int) {
        words = Array(repeating: .max, count: (slotCount + 63) / 64)
        self.slotCount = slotCount
    }

    func contains(_ slot: UInt32) -> Bool {
        slot < slotCount && words[Int(slot / 64)] & (1 << UInt64(slot % 64)) != 0
    }

    /// Removes a slot, and returns whether it was there.
    mutating func remove(_ slot: UInt32) -> Bool {
        guard contains(slot) else { return false }
        words[Int(slot / 64)] &= ~(1 << UInt64(slot % 64))
        return true
    }
}

/// The stores of a client one after another, some hundreds at a time, so that the client's lock is held for microseconds however many there are.
///
/// Each store is there once. Stores that are made or removed during the walk may be missing.
struct StoreWalk: Sequence, IteratorProtocol, Sendable {
    private static var chunk: Int { 512 }

    private let core: ClientCore
    /// Only the stores that this change concerns; `nil` for all.
    private let change: ChangeNumber?
    private let end: Int
    private var slot: UInt32 = 0
    private var stores: ArraySlice<StoreCore> = []

    init(_ core: ClientCore, change: ChangeNumber? = nil) {
        self.core = core
        self.change = change
        end = core.state.withLock { $0.registry.capacity }
    }

    mutating func next() -> StoreCore? {
        while stores.isEmpty {
            guard slot < end else { return nil }
            let slots = slot..<UInt32(Swift.min(Int(slot) + Self.chunk, end))
            stores = core.stores(in: slots, of: change)[...]
            slot = slots.upperBound
        }
        return stores.popFirst()
    }
}

extension ClientCore {
    /// Enters a change that concerns every store, in one step like others. The caller has to visit them.
    ///
    /// - Parameter body: What belongs to the same step.
    func enterForAll(_ kind: StoreChange.Kind, _ pattern: PatternChange? = nil, with body: () -> Void = {}) -> ChangeNumber {
        state.withLock { state in
            let number = state.nextChange()
            // Before the body: whoever sees what that changed must find that there is news, and then waits here for the rest.
            changeGauge.set(number.number)
            if let pattern { patterns.tell(pattern, number) }
            body()
            state.generalChanges.append(GeneralChange(StoreChange(number: number, kind: kind), slotCount: state.registry.capacity))
            if case .invalidated = kind { state.lastGeneralInvalidation = number }
            return number
        }
    }

    /// Calls `action` for every store that a general change concerns, as ``visit(_:_:later:finally:)`` does.
    func visit(
        _ change: ChangeNumber,
        _ action: @escaping @Sendable (StoreCore) -> Void,
        later: (@Sendable (StoreCore) -> Void)? = nil,
        finally: @escaping @Sendable () -> Void = {}
    ) {
        visit(StoreWalk(self, change: change), action, later: later) { [weak self] in
            self?.state.withLock { state in state.generalChanges.removeAll { $0.change.number == change } }
            finally()
        }
    }

    /// The stores at some slots, all or only those that a general change concerns.
    fileprivate func stores(in slots: Range<UInt32>, of change: ChangeNumber?) -> [StoreCore] {
        state.withLock { state in
            let slots = slots.prefix { $0 < state.registry.capacity }
            guard let change else { return slots.compactMap { state.registry.store(at: $0) } }
            guard let general = state.generalChanges.first(where: { $0.change.number == change }) else { return [] }
            return slots.filter(general.members.contains).compactMap {
                general.concernsRetired ? state.registry.heldStore(at: $0) : state.registry.store(at: $0)
            }
        }
    }
}

extension ClientCore.State {
    /// A slot for a store that no change so far concerns.
    mutating func reserve() -> StoreTicket {
        let ticket = registry.reserve()
        for index in generalChanges.indices { generalChanges[index].leaveOut(ticket.slot) }
        return ticket
    }

    /// Lists a retired store again. Earlier changes that leave retired stores out don't concern it.
    mutating func revive(_ store: StoreCore, path: QueryPath, defaultRetention: Nanoseconds) {
        if registry.isRetired(store.ticket) {
            for index in generalChanges.indices where !generalChanges[index].concernsRetired {
                generalChanges[index].leaveOut(store.ticket.slot)
            }
        }
        if case .retain(let retention) = registry.revive(store, path: path, defaultRetention: defaultRetention) {
            idled.append((store.ticket, retention))
        }
    }
}
