/// What a registry needs to know of a store.
protocol RegisteredStore: AnyObject, Sendable {
    var ticket: StoreTicket { get }
    var identity: QueryIdentity { get }
    func isIdentified(by identity: QueryIdentity) -> Bool
}

extension StoreCore: RegisteredStore {}

/// All stores of a client: found by identity and by pattern, ordered by use, told apart as running, observed and idle.
///
/// A value without a lock or a clock. A store that is *retired* is no longer kept here, but as long as somebody else holds it the
/// registry still knows it, so that equal requests never get two stores.
struct StoreRegistry<Store: RegisteredStore> {
    enum Use: UInt8 {
        case vacant, retired, idle, observed, running
    }

    private struct Slot {
        var store: (Store)?
        var hash = 0
        var expiry = QueryInstant.zero
        var generation: UInt32 = 0
        /// The sequence of the latest activity that was heard of.
        var sequence: UInt32 = 0
        var byteCount: Int32 = 0
        var use = Use.vacant
        /// The instant of the slot's entry in the deadline queue, if it has one; an entry for another instant is obsolete.
        var entry = QueryInstant.never
    }

    private struct WeakStore {
        weak var store: (Store)?
    }

    private var slots: [Slot] = []
    private var links: [StoreLinks] = []
    private var vacant: [UInt32] = []
    private var retired: [UInt32: WeakStore] = [:]
    private var identities = HashIndex()
    private var paths = PathIndex()
    private var idle = StoreList()
    private var running = StoreList()

    /// The bytes of all values, as far as they can be told.
    private(set) var byteCount = 0
    /// How many stores are kept.
    private(set) var count = 0

    var runningCount: Int { running.count }
    var idleCount: Int { idle.count }

    // MARK: Slots

    /// Sets a slot aside for a store that is about to be made.
    mutating func reserve() -> StoreTicket {
        if let slot = vacant.popLast() { return StoreTicket(slot: slot, generation: slots[Int(slot)].generation) }
        slots.append(Slot())
        links.append(StoreLinks())
        return StoreTicket(slot: UInt32(slots.count - 1), generation: 0)
    }

    /// Gives a slot back: its store is gone, or was never needed.
    mutating func release(_ ticket: StoreTicket) {
        guard isCurrent(ticket) else { return }
        let number = ticket.slot
        if slots[Int(number)].use != .vacant { identities.remove(number, hash: slots[Int(number)].hash) }
        unfile(number)
        retired[number] = nil
        slots[Int(number)] = Slot(generation: ticket.generation &+ 1)
        vacant.append(number)
    }

    mutating func insert(_ store: Store, _ ticket: StoreTicket, path: QueryPath, expiry: QueryInstant) {
        let hash = store.identity.hash
        slots[Int(ticket.slot)].hash = hash
        identities.insert(ticket.slot, hash: hash)
        slots[Int(ticket.slot)].expiry = expiry
        file(store, ticket.slot, path)
    }

    /// Whether a ticket's store is filed here and now.
    func isKept(_ ticket: StoreTicket) -> Bool { isCurrent(ticket) && slots[Int(ticket.slot)].store != nil }

    func store(at slot: UInt32) -> (Store)? { slots[Int(slot)].store }

    /// The stores that are no longer kept and that somebody still holds.
    func retiredStores() -> [Store] { retired.values.compactMap(\.store) }

    func isCurrent(_ ticket: StoreTicket) -> Bool {
        ticket.slot < slots.count && slots[Int(ticket.slot)].generation == ticket.generation
    }

    private mutating func file(_ store: Store, _ number: UInt32, _ path: QueryPath) {
        slots[Int(number)].store = store
        slots[Int(number)].use = .idle
        paths.insert(number, at: path)
        idle.append(number, &links)
        count += 1
    }

    /// Takes a slot out of everything but the identities; answers with the store, to be let go outside the lock.
    @discardableResult
    private mutating func unfile(_ number: UInt32) -> (Store)? {
        switch slots[Int(number)].use {
        case .vacant, .retired: return nil
        case .idle: idle.remove(number, &links)
        case .running: running.remove(number, &links)
        case .observed: break
        }
        paths.remove(number)
        byteCount -= Int(slots[Int(number)].byteCount)
        slots[Int(number)].byteCount = 0
        slots[Int(number)].entry = .never
        count -= 1
        defer { slots[Int(number)].store = nil }
        return slots[Int(number)].store
    }

    // MARK: Finding

    /// What a search came upon. The references that it took on the way are handed out, because a store must not end inside the lock.
    struct Found: Sendable {
        var store: (Store)?
        var passed: [Store] = []
    }

    /// The store with an identity, whether it is kept or only still known. Counts as a use.
    mutating func find(_ identity: QueryIdentity) -> Found {
        var found = Found()
        let number = identities.find(identity.hash) { number in
            guard let store = slots[Int(number)].store ?? retired[number]?.store else { return false }
            let isMatch = store.isIdentified(by: identity)
            if isMatch { found.store = store } else { found.passed.append(store) }
            return isMatch
        }
        if let number, slots[Int(number)].use == .idle, idle.newest != number {
            idle.remove(number, &links)
            idle.append(number, &links)
        }
        return found
    }

    func stores(matching pattern: QueryPattern) -> [Store] {
        paths.matches(pattern).compactMap { slots[Int($0)].store }
    }

    /// The stores at work; the fewer there are the cheaper this is, however many are kept.
    func runningStores() -> [Store] {
        var stores: [Store] = []
        running.forEach(links) { number in
            if let store = slots[Int(number)].store { stores.append(store) }
        }
        return stores
    }

    /// The stores at work that a pattern matches; `nil` if it would take longer to find them than to look at all that are at work.
    func runningStores(matching pattern: QueryPattern) -> [Store]? {
        paths.matches(pattern, within: running.count + 16)?.compactMap { number in
            slots[Int(number)].use == .running ? slots[Int(number)].store : nil
        }
    }

    // MARK: Use

    /// What follows from an activity.
    enum Effect: Sendable {
        case nothing
        /// The slot wants to be looked at then.
        case schedule(QueryInstant)
        /// Somebody who held on to a retired store uses it again: it is to be taken back, and the activity heard once more.
        case revive(Store)
    }

    mutating func apply(
        _ activity: StoreActivity,
        _ ticket: StoreTicket,
        now: QueryInstant,
        defaultRetention: Duration
    ) -> Effect {
        let number = Int(ticket.slot)
        guard isCurrent(ticket), slots[number].use != .vacant else { return .nothing }
        // Two threads may report in either order; the store numbered what they saw.
        guard Int32(bitPattern: activity.sequence &- slots[number].sequence) > 0 else { return .nothing }
        if slots[number].use == .retired {
            guard !activity.isIdle || !activity.isEmpty, let store = retired[ticket.slot]?.store else {
                // An older one that is heard later must not take the store back: nothing would let it go again.
                slots[number].sequence = activity.sequence
                return .nothing
            }
            return .revive(store)
        }
        slots[number].sequence = activity.sequence
        let bytes = Int32(clamping: activity.byteCount)
        byteCount += Int(bytes) - Int(slots[number].byteCount)
        slots[number].byteCount = bytes
        move(ticket.slot, to: activity.isRunning ? .running : activity.isObserved ? .observed : .idle)
        guard activity.isIdle else { return .nothing }
        slots[number].expiry = now.advanced(by: activity.retention ?? defaultRetention)
        return schedule(ticket).map { .schedule($0) } ?? .nothing
    }

    /// The sequence of the latest activity that was heard of, for tests that wait for one.
    func lastHeard(of ticket: StoreTicket) -> UInt32? {
        isCurrent(ticket) ? slots[Int(ticket.slot)].sequence : nil
    }

    /// Takes a retired store back, unless somebody else just did.
    mutating func revive(_ store: Store, path: QueryPath) {
        guard isCurrent(store.ticket), slots[Int(store.ticket.slot)].use == .retired else { return }
        retired[store.ticket.slot] = nil
        file(store, store.ticket.slot, path)
    }

    private mutating func move(_ number: UInt32, to use: Use) {
        switch slots[Int(number)].use {
        case .idle: idle.remove(number, &links)
        case .running: running.remove(number, &links)
        case .vacant, .retired, .observed: break
        }
        slots[Int(number)].use = use
        switch use {
        case .idle: idle.append(number, &links)
        case .running: running.append(number, &links)
        case .vacant, .retired, .observed: break
        }
    }

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

    /// The idle stores that are too many for a budget, those used longest ago first.
    func surplus(storeLimit: Int, byteLimit: Int) -> [Store] {
        var number = idle.oldest
        var stores = count
        var bytes = byteCount
        var surplus: [Store] = []
        while stores > storeLimit || bytes > byteLimit, number != StoreLinks.none {
            if let store = slots[Int(number)].store { surplus.append(store) }
            stores -= 1
            bytes -= Int(slots[Int(number)].byteCount)
            number = links[Int(number)].next
        }
        return surplus
    }

    /// Lets go of a store that was empty and unused at one of its moments, unless it was heard of since; answers with it so that
    /// the last reference falls outside the lock.
    ///
    /// That it is unused may be news: a handler that clears the client is called before the client hears of the end of a run.
    mutating func retire(_ ticket: StoreTicket, asOf moment: UInt32) -> (Store)? {
        guard isCurrent(ticket), let store = unfile(ticket.slot, asOf: moment) else { return nil }
        slots[Int(ticket.slot)].use = .retired
        retired[ticket.slot] = WeakStore(store: store)
        return store
    }

    private mutating func unfile(_ number: UInt32, asOf moment: UInt32) -> (Store)? {
        guard Int32(bitPattern: moment &- slots[Int(number)].sequence) >= 0 else { return nil }
        guard let store = unfile(number) else { return nil }
        slots[Int(number)].sequence = moment
        return store
    }

    /// Forgets everything; answers with all stores.
    mutating func removeAll() -> [Store] {
        let stores = slots.compactMap(\.store)
        let generations = slots.map(\.generation)
        self = StoreRegistry<Store>()
        // The tickets of stores that live on elsewhere must mean nothing here.
        slots = generations.map { Slot(generation: $0 &+ 1) }
        links = slots.map { _ in StoreLinks() }
        vacant = (0..<UInt32(slots.count)).reversed()
        return stores
    }
}
