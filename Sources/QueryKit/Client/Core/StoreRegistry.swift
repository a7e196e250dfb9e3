/// The requirements of a registry for its stores.
protocol RegisteredStore: AnyObject, Sendable {
    var ticket: StoreTicket { get }
    func isIdentified(by identity: QueryIdentity) -> Bool
}

extension StoreCore: RegisteredStore {}

/// All stores of a client, indexed by identity and by pattern, in order of use, and separated into running, observed and idle ones.
///
/// A value type without a lock or a clock. A *retired* store is no longer listed, but the registry still knows it while a handle or a run
/// holds it, so that equal requests never get two stores.
struct StoreRegistry<Store: RegisteredStore> {
    enum Use: UInt8 {
        case vacant, retired, idle, observed, running
        /// Idle, and kept forever: exempt from deadlines and budgets.
        case kept
    }

    struct Slot {
        var store: (Store)?
        var hash = 0
        var expiry = QueryInstant.zero
        var generation: UInt32 = 0
        /// The run under way; 0 if there is none.
        var run: Int32 = 0
        var byteCount: Int32 = 0
        var use = Use.vacant
        var computesTags = false
        var keepsParts = false
        /// Whether the store is kept forever and so exempt from budgets.
        var isExempt = false
        /// Whether changes are pending for the store.
        var hasPendingChanges = false
        /// The latest change that concerned the store.
        var changedAt = ChangeNumber.none
        /// The instant of the slot's entry in the deadline queue, if it has one. An entry for another instant is obsolete.
        var entry = QueryInstant.never
    }

    struct WeakStore {
        weak var store: Store?
        /// The latest activity of the store since it was retired.
        var activity: StoreActivity?
    }

    var slots: [Slot] = []
    var links: [StoreLinks] = []
    private var vacant: [UInt32] = []
    /// The generation of new slots: higher than the generations of dropped slots.
    private var firstGeneration: UInt32 = 0
    /// The number of the first slot in the upper half, which is a power of two, and how many slots in the upper half are used.
    private var half: UInt32 = 8
    private var upperCount = 0
    var retired: [UInt32: WeakStore] = [:]
    private var identities = HashIndex()
    var paths = PathIndex()
    var idle = StoreList()
    var running = StoreList()
    private var observed = StoreList()
    /// Idle stores that are kept forever. Separate from the others, so that a search for releasable stores never passes them.
    private var kept = StoreList()

    /// The bytes of all values, as far as they are known.
    private(set) var byteCount = 0
    /// The number of listed stores.
    private(set) var count = 0
    /// The bytes of the stores that are kept forever, and the number of these stores.
    private var exempt = (byteCount: 0, count: 0)

    /// The bytes of the stores that count toward budgets, and the number of these stores.
    var limited: (byteCount: Int, count: Int) { (byteCount - exempt.byteCount, count - exempt.count) }

    var runningCount: Int { running.count }
    var idleCount: Int { idle.count + kept.count }

    // MARK: Slots

    /// Reserves a slot for a store that is about to be created.
    mutating func reserve() -> StoreTicket {
        if let slot = vacant.popLast() {
            if slot >= half { upperCount += 1 }
            return StoreTicket(slot: slot, generation: slots[Int(slot)].generation)
        }
        let slot = UInt32(slots.count)
        slots.appendSparingly(Slot(generation: firstGeneration))
        links.appendSparingly(StoreLinks())
        if slot >= half * 2 { (half, upperCount) = (half * 2, 0) }
        if slot >= half { upperCount += 1 }
        return StoreTicket(slot: slot, generation: firstGeneration)
    }

    /// Frees a slot whose store was deallocated or is not needed.
    mutating func release(_ ticket: StoreTicket) {
        guard isCurrent(ticket) else { return }
        let number = ticket.slot
        if slots[Int(number)].use != .vacant { identities.remove(number, hash: slots[Int(number)].hash) }
        unfile(number)
        retired[number] = nil
        slots[Int(number)] = Slot(generation: ticket.generation &+ 1)
        vacant.append(number)
        if retired.isEmpty, retired.capacity > 1_024 { retired = [:] }
        if number >= half { upperCount -= 1 }
        if upperCount == 0, half >= 1_024 { dropUpperHalf() }
    }

    /// Frees the memory of the upper half, in which no slot is used. The cost grows with the number of slots. It occurs only once, after
    /// the last of many stores has left the upper half.
    private mutating func dropUpperHalf() {
        let end = Int(half)
        // A slot that is created again must not be mistaken for one of the dropped slots.
        firstGeneration = slots[min(end, slots.count)...].reduce(firstGeneration) { max($0, $1.generation) }
        slots = Array(slots.prefix(end))
        links = Array(links.prefix(end))
        vacant = vacant.filter { $0 < half }
        half /= 2
        let free = Set(vacant)
        upperCount = (half..<UInt32(slots.count)).count { !free.contains($0) }
        if upperCount == 0, half >= 1_024 { dropUpperHalf() }
    }

    /// The number of slots.
    var capacity: Int { slots.count }

    /// - Parameters:
    ///   - hash: The hash of the store's identity.
    ///   - isExempt: Whether the store is kept forever.
    mutating func insert(
        _ store: Store,
        _ ticket: StoreTicket,
        hash: Int,
        path: QueryPath,
        expiry: QueryInstant,
        isExempt: Bool = false
    ) {
        slots[Int(ticket.slot)].hash = hash
        identities.insert(ticket.slot, hash: hash)
        slots[Int(ticket.slot)].expiry = expiry
        file(store, ticket.slot, path)
        setExempt(ticket.slot, isExempt)
        if isExempt { move(ticket.slot, to: .kept) }
    }

    /// Whether the store of a ticket is currently listed.
    func isKept(_ ticket: StoreTicket) -> Bool { isCurrent(ticket) && slots[Int(ticket.slot)].store != nil }

    func store(at slot: UInt32) -> (Store)? { slots[Int(slot)].store }

    /// The retired stores that still exist.
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

    /// Removes a slot from everything but the identities. Returns its store, to be released outside the lock.
    @discardableResult
    private mutating func unfile(_ number: UInt32) -> (Store)? {
        guard slots[Int(number)].use != .vacant, slots[Int(number)].use != .retired else { return nil }
        unlink(number)
        setExempt(number, false)
        paths.remove(number)
        byteCount -= Int(slots[Int(number)].byteCount)
        slots[Int(number)].byteCount = 0
        slots[Int(number)].entry = .never
        count -= 1
        defer { slots[Int(number)].store = nil }
        return slots[Int(number)].store
    }

    // MARK: Lookup

    /// The store with an identity, listed or retired. Counts as a use.
    ///
    /// - Parameter passed: Collects other stores that the search found, because a store must not be deallocated inside the lock.
    mutating func find(_ identity: QueryIdentity, passing passed: inout [Store]) -> Store? {
        var found: Store?
        let number = identities.find(identity.hash) { number in
            guard let store = slots[Int(number)].store ?? retired[number]?.store else { return false }
            let isMatch = store.isIdentified(by: identity)
            if isMatch { found = store } else { passed.append(store) }
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

    /// The stores with runs. The cost depends on their number, not on the number of all stores.
    func runningStores() -> [Store] { stores(in: running) }

    /// The stores with observers but without a run. The cost depends on their number.
    func observedStores() -> [Store] { stores(in: observed) }

    private func stores(in list: StoreList) -> [Store] {
        var stores: [Store] = []
        list.forEach(links) { number in
            if let store = slots[Int(number)].store { stores.append(store) }
        }
        return stores
    }

    /// The stores that match a pattern and have a run; `nil` if the search would take longer than checking all stores with runs.
    func runningStores(matching pattern: QueryPattern) -> [Store]? {
        paths.matches(pattern, within: running.count + 16)?.compactMap { number in
            slots[Int(number)].use == .running ? slots[Int(number)].store : nil
        }
    }

    // MARK: Activity

    /// The consequence of a store's activity.
    enum Effect: Equatable, Sendable {
        case nothing
        /// The store is idle: its retention begins now.
        case retain(Nanoseconds)
        /// A retired store is used again: list it.
        case revive
    }

    mutating func apply(_ activity: StoreActivity, _ ticket: StoreTicket, defaultRetention: Nanoseconds) -> Effect {
        let number = Int(ticket.slot)
        guard isCurrent(ticket), slots[number].use != .vacant else { return .nothing }
        slots[number].run = activity.run
        slots[number].computesTags = activity.computesTags
        slots[number].keepsParts = activity.keepsParts
        if slots[number].use == .retired {
            retired[ticket.slot]?.activity = activity
            return activity.isIdle && activity.isEmpty ? .nothing : .revive
        }
        let bytes = Int32(clamping: activity.byteCount)
        byteCount += Int(bytes) - Int(slots[number].byteCount)
        if slots[number].isExempt { exempt.byteCount += Int(bytes) - Int(slots[number].byteCount) }
        slots[number].byteCount = bytes
        // Only the request's own retention counts: if the default were infinite, all stores would be exempt.
        let isExempt = activity.retention == .infinity
        setExempt(ticket.slot, isExempt)
        move(ticket.slot, to: activity.isRunning ? .running : activity.isObserved ? .observed : isExempt ? .kept : .idle)
        return activity.isIdle && !isExempt ? .retain(activity.retention ?? defaultRetention) : .nothing
    }

    private mutating func setExempt(_ number: UInt32, _ isExempt: Bool) {
        guard slots[Int(number)].isExempt != isExempt else { return }
        slots[Int(number)].isExempt = isExempt
        exempt.count += isExempt ? 1 : -1
        exempt.byteCount += isExempt ? Int(slots[Int(number)].byteCount) : -Int(slots[Int(number)].byteCount)
    }

    /// Keeps an idle store until an instant. Returns the instant for a new entry in the deadline queue, if one is needed.
    mutating func retain(_ ticket: StoreTicket, until expiry: QueryInstant) -> QueryInstant? {
        guard isCurrent(ticket), slots[Int(ticket.slot)].use == .idle else { return nil }
        slots[Int(ticket.slot)].expiry = expiry
        return schedule(ticket)
    }

    /// Lists a retired store again, with the activity reported since, unless another thread has just done so.
    mutating func revive(_ store: Store, path: QueryPath, defaultRetention: Nanoseconds) -> Effect {
        guard isCurrent(store.ticket), slots[Int(store.ticket.slot)].use == .retired else { return .nothing }
        let activity = retired.removeValue(forKey: store.ticket.slot)?.activity
        file(store, store.ticket.slot, path)
        return activity.map { apply($0, store.ticket, defaultRetention: defaultRetention) } ?? .retain(defaultRetention)
    }

    /// Whether the store of this ticket is retired and may be listed again.
    func isRetired(_ ticket: StoreTicket) -> Bool { isCurrent(ticket) && slots[Int(ticket.slot)].use == .retired }

    /// Removes a slot from the list that contains it.
    private mutating func unlink(_ number: UInt32) {
        switch slots[Int(number)].use {
        case .idle: idle.remove(number, &links)
        case .kept: kept.remove(number, &links)
        case .running: running.remove(number, &links)
        case .observed: observed.remove(number, &links)
        case .vacant, .retired: break
        }
    }

    private mutating func move(_ number: UInt32, to use: Use) {
        unlink(number)
        slots[Int(number)].use = use
        switch use {
        case .idle: idle.append(number, &links)
        case .kept: kept.append(number, &links)
        case .running: running.append(number, &links)
        case .observed: observed.append(number, &links)
        case .vacant, .retired: break
        }
    }

    /// Retires a store that is empty and unused. It is listed again if a handle uses it.
    mutating func retire(_ ticket: StoreTicket) -> Store? {
        guard isCurrent(ticket), let store = unfile(ticket.slot) else { return nil }
        slots[Int(ticket.slot)].use = .retired
        retired[ticket.slot] = WeakStore(store: store)
        return store
    }

    /// Removes all stores, and returns them.
    mutating func removeAll() -> [Store] {
        let stores = slots.compactMap(\.store)
        let generations = slots.map(\.generation)
        self = StoreRegistry<Store>()
        // The tickets of stores that are still held elsewhere must become invalid.
        slots = generations.map { Slot(generation: $0 &+ 1) }
        links = slots.map { _ in StoreLinks() }
        vacant = (0..<UInt32(slots.count)).reversed()
        while half * 2 < slots.count { half *= 2 }
        return stores
    }
}
