/// A change that concerns every store of a client, such as a logout.
///
/// Entering it costs two bits per store, without looking up any store. Each store takes the change when it is used or when a ``StoreWalk``
/// reaches it.
struct GeneralChange {
    let change: StoreChange
    /// The slots whose stores existed when the change was entered.
    private(set) var members: SlotSet
    /// The members that have not taken the change yet.
    private var waiting: SlotSet

    /// - Parameter slotCount: The number of slots that are in use, or were.
    init(_ change: StoreChange, slotCount: Int) {
        self.change = change
        members = SlotSet(below: slotCount)
        waiting = members
    }

    /// Whether the change concerns retired stores, too: they are empty, but belong to a session.
    var concernsRetired: Bool { if case .renewed = change.kind { true } else { false } }

    func waits(for slot: UInt32, isRetired: Bool) -> Bool { waiting.contains(slot) && (concernsRetired || !isRetired) }

    /// Marks the change as taken by the store at a slot. Returns whether the store must apply it.
    mutating func take(_ slot: UInt32, isRetired: Bool) -> Bool { waiting.remove(slot) && (concernsRetired || !isRetired) }

    /// Excludes the slot of a store that is created or listed again after the change.
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

    /// Removes a slot. Returns whether the set contained it.
    mutating func remove(_ slot: UInt32) -> Bool {
        guard contains(slot) else { return false }
        words[Int(slot / 64)] &= ~(1 << UInt64(slot % 64))
        return true
    }
}

/// Iterates over the stores of a client in chunks of some hundreds, so that each chunk holds the client's lock only for microseconds.
///
/// Each store appears once. Stores that are created or removed during the walk may be missing.
struct StoreWalk: Sequence, IteratorProtocol, Sendable {
    private static var chunk: Int { 512 }

    private let core: ClientCore
    /// The change whose members are visited; `nil` for all stores.
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
    /// Enters a change that concerns every store, in one step like other changes. The caller must visit the stores.
    ///
    /// - Parameter body: Work that belongs to the same step.
    func enterForAll(_ kind: StoreChange.Kind, _ pattern: PatternChange? = nil, with body: () -> Void = {}) -> ChangeNumber {
        state.withLock { state in
            let number = state.nextChange()
            // Set the gauge before `body`: a reader that sees the effects of `body` must see that there is a change. It then waits at this
            // lock for the rest.
            changeGauge.set(number.number)
            if let pattern { patterns.notify(pattern, number) }
            body()
            state.generalChanges.append(GeneralChange(StoreChange(number: number, kind: kind), slotCount: state.registry.capacity))
            if case .invalidated = kind { state.lastGeneralInvalidation = number }
            return number
        }
    }

    /// Calls `action` for every store that a general change concerns, like ``visit(_:_:later:finally:)``.
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

    /// The stores at some slots: all of them, or only those that a general change concerns.
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
    /// Reserves a slot for a store. The changes that were entered so far don't concern this store.
    mutating func reserve() -> StoreTicket {
        let ticket = registry.reserve()
        for index in generalChanges.indices { generalChanges[index].leaveOut(ticket.slot) }
        return ticket
    }

    /// Lists a retired store again. Earlier changes that exclude retired stores don't concern it.
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
