/// Changes that wait for stores, and what their deadlines say.
extension StoreRegistry {
    /// Enters a change of one store, which has to take it.
    mutating func note(_ number: ChangeNumber, at slot: UInt32, isInvalidation: Bool) {
        slots[Int(slot)].hasNews = true
        if isInvalidation { slots[Int(slot)].changedAt = number }
    }

    /// Whether changes wait for the store; asking for them takes them.
    mutating func takesNews(_ ticket: StoreTicket) -> Bool {
        guard isCurrent(ticket), slots[Int(ticket.slot)].hasNews else { return false }
        slots[Int(ticket.slot)].hasNews = false
        return true
    }

    func hasNews(_ ticket: StoreTicket) -> Bool { isCurrent(ticket) && slots[Int(ticket.slot)].hasNews }

    func hasChanged(_ ticket: StoreTicket, since number: ChangeNumber) -> Bool {
        // A store that is gone can't tell what has changed since.
        guard isCurrent(ticket) else { return true }
        return slots[Int(ticket.slot)].changedAt > number
    }

    /// The run under way in a slot; 0 for none.
    func run(at slot: UInt32) -> Int32 { slots[Int(slot)].run }

    func keepsParts(at slot: UInt32) -> Bool { slots[Int(slot)].keepsParts }

    /// The slots at work whose tags will be known only when their runs have ended.
    func slotsComputingTags() -> [UInt32] {
        var found: [UInt32] = []
        running.forEach(links) { if slots[Int($0)].computesTags { found.append($0) } }
        return found
    }

    func slots(matching pattern: QueryPattern) -> [UInt32] { paths.matches(pattern) }

    /// The store at a slot, kept or retired.
    func heldStore(at slot: UInt32) -> Store? { slots[Int(slot)].store ?? retired[slot]?.store }

    // MARK: Deadlines

    /// The instant for the slot's entry in the deadline queue, unless it has one: an entry that comes too early is renewed then.
    mutating func schedule(_ ticket: StoreTicket) -> QueryInstant? {
        let number = Int(ticket.slot)
        guard isCurrent(ticket), slots[number].expiry < slots[number].entry else { return nil }
        slots[number].entry = slots[number].expiry
        return slots[number].expiry
    }

    /// Whether the deadline queue has an entry for the slot that still means something.
    func isScheduled(_ ticket: StoreTicket) -> Bool {
        isCurrent(ticket) && slots[Int(ticket.slot)].entry != .never
    }

    /// What is to be done about a slot whose entry in the deadline queue has come.
    enum Verdict {
        /// Nothing: it is in use, or no longer there.
        case nothing
        /// To be looked at again.
        case later(QueryInstant)
        /// To be retired.
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

    /// The idle stores that are too many for a budget, those used longest ago first. Stores that are kept for ever are none of them, and don't
    /// count.
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
