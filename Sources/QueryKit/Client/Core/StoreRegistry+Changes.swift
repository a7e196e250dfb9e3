/// Pending changes of stores, and their deadlines.
extension StoreRegistry {
    /// Enters a change that the store must take.
    mutating func note(_ number: ChangeNumber, at slot: UInt32, isInvalidation: Bool) {
        slots[Int(slot)].hasPendingChanges = true
        if isInvalidation { slots[Int(slot)].changedAt = number }
    }

    /// Whether changes are pending for the store. Marks them as taken.
    mutating func takesPendingChanges(_ ticket: StoreTicket) -> Bool {
        guard isCurrent(ticket), slots[Int(ticket.slot)].hasPendingChanges else { return false }
        slots[Int(ticket.slot)].hasPendingChanges = false
        return true
    }

    func hasPendingChanges(_ ticket: StoreTicket) -> Bool { isCurrent(ticket) && slots[Int(ticket.slot)].hasPendingChanges }

    func hasChanged(_ ticket: StoreTicket, since number: ChangeNumber) -> Bool {
        // For a store that no longer exists, assume a change.
        guard isCurrent(ticket) else { return true }
        return slots[Int(ticket.slot)].changedAt > number
    }

    /// The run under way in a slot; 0 if there is none.
    func run(at slot: UInt32) -> Int32 { slots[Int(slot)].run }

    func keepsParts(at slot: UInt32) -> Bool { slots[Int(slot)].keepsParts }

    /// The slots of stores with runs whose tags are known only when the run has ended.
    func slotsComputingTags() -> [UInt32] {
        var found: [UInt32] = []
        running.forEach(links) { if slots[Int($0)].computesTags { found.append($0) } }
        return found
    }

    func slots(matching pattern: QueryPattern) -> [UInt32] { paths.matches(pattern) }

    /// The store at a slot, listed or retired.
    func heldStore(at slot: UInt32) -> Store? { slots[Int(slot)].store ?? retired[slot]?.store }

    // MARK: Deadlines

    /// The instant at which to insert the slot into the deadline queue; `nil` if the queue has an early enough entry, which is renewed when
    /// due.
    mutating func schedule(_ ticket: StoreTicket) -> QueryInstant? {
        let number = Int(ticket.slot)
        guard isCurrent(ticket), slots[number].expiry < slots[number].entry else { return nil }
        slots[number].entry = slots[number].expiry
        return slots[number].expiry
    }

    /// Whether the deadline queue has a valid entry for the slot.
    func isScheduled(_ ticket: StoreTicket) -> Bool {
        isCurrent(ticket) && slots[Int(ticket.slot)].entry != .never
    }

    /// What to do with a slot whose entry in the deadline queue is due.
    enum Verdict {
        /// Nothing: the store is in use or no longer exists.
        case nothing
        /// Examine it again at that instant.
        case later(QueryInstant)
        /// Retire the store.
        case expired(Store)
    }

    mutating func examine(_ ticket: StoreTicket, entry: QueryInstant, now: QueryInstant) -> Verdict {
        let number = Int(ticket.slot)
        guard isCurrent(ticket), slots[number].entry == entry else { return .nothing }
        slots[number].entry = .never
        guard slots[number].use == .idle, let store = slots[number].store else { return .nothing }
        if slots[number].expiry <= now { return .expired(store) }
        slots[number].entry = slots[number].expiry
        return .later(slots[number].expiry)
    }

    /// The idle stores that exceed a budget, the least recently used first. Stores that are kept forever are excluded and don't count.
    func surplus(storeLimit: Int, byteLimit: Int) -> [Store] {
        var number = idle.oldest
        var (bytes, stores) = limited
        var surplus: [Store] = []
        while stores > storeLimit || bytes > byteLimit, number != StoreLinks.none {
            if let store = slots[Int(number)].store { surplus.append(store) }
            stores -= 1
            bytes -= Int(slots[Int(number)].byteCount)
            number = links[Int(number)].next
        }
        return surplus
    }
}
