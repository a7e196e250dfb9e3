import Foundation

/// Everything that a client knows, as one value behind one lock. Events are methods that change it and add effects, which the engine
/// carries out after it has released the lock. The ledger waits for nothing, starts nothing, and calls no code of the app.
struct Ledger {
    /// The time of the event, which the engine has read from the client's clock.
    var time = QueryTimestamp.none
    var change = ChangeNumber.none.next
    /// What the engine takes after each event.
    var effects: [Effect] = []
    var trash = Trash()

    var tables = Tables()
    /// Incremented when the tables are exchanged. Entries of former tables are not listed any more.
    var epoch: UInt32 = 1
    /// The entries that are observed, running, or beneath a layer.
    var live: [Entry] = []

    /// The work that can go on without the clock, the network or the app. A settled client has none.
    private(set) var work = 0
    private var settlers: [Signal] = []

    var deadlines = DeadlineQueue<Deadline>()
    /// The number of deadlines at which those that don't count any more are dropped.
    var deadlineLimit = 64
    var timer = QueryInstant.never
    var openRound: Round?
    /// Large changes whose runs and states are still due, and how many entries of the first one have followed.
    var followers: [Following] = []
    var followed = 0
    /// The entries that publish at the end of a batch; `nil` outside of one.
    var heldBack: [Entry]?
    /// Changed entries that a turn of the main actor will show.
    var mainTurn: [Entry] = []

    /// The refetches to which the runs of the present event belong; and the entries whose refetches may have ended in it.
    var refetches: Refetches?
    var reviewed: [Entry] = []

    var calls: [UInt64: CallEntry] = [:]
    var scopes: [String: Queue] = [:]
    var lastCall: UInt64 = 0
    var journal = JournalQueue()
    var resumption: Resumption?
    /// Whether leases are extended at a deadline.
    var extendsLeases = false
    /// The calls of this session that have ended and stay in the journal, by their ids.
    var kept: [UUID: CallEntry] = [:]
    var network = Network()
    var defaults = DefaultTriggers()
    /// Invalidations that repeat themselves.
    var standing: [ActiveTriggers] = []
    var limits = Limits()
    /// The places under the limits of runs.
    var places = Places()
    /// Less than the limits, while memory is being released.
    var goal: Extent?
    /// Whether an effect continues to release entries.
    var isTrimming = false

    var now: QueryInstant { time.instant }

    /// What the client keeps when nothing is said.
    struct Limits: Sendable {
        var retention = Nanoseconds(.seconds(300))
        var entries = Int.max
        var bytes = Int.max
        /// How long the results of a round wait for the others.
        var round = Nanoseconds(.milliseconds(250))
        /// How many failures set a durable call aside.
        var failures = 8
        var runs: [Runs] = []

        /// How many runs of matching requests make an attempt at the same time.
        struct Runs: Sendable {
            let pattern: QueryPattern
            let count: Int
        }

        /// How many entries of a large change follow in one step.
        var part = 128
    }

    enum Deadline: Sendable {
        case attempt(Run, Int)
        case timeout(Run, Int)
        case retention(Entry)
        case round(Round)
        case call(CallEntry, Int)
        case callTimeout(CallEntry, Int)
        case lease
        case resumption
        case network(Int)
        case polling(Entry, Int)
        case pause(ActiveTriggers)
        case defaultPause
    }

    // MARK: Work

    mutating func beginWork() { work += 1 }

    mutating func endWork() {
        work -= 1
        assert(work >= 0, "More work has ended than begun")
    }

    /// Adds a wait for the end of all work.
    mutating func settled(_ signal: Signal, _ continuation: UnsafeContinuation<Bool, Never>? = nil) {
        if begin(signal, continuation) { settlers.append(signal) }
    }

    /// A wait is cancelled, perhaps before it has begun.
    mutating func leave(_ signal: Signal) {
        settlers.removeAll { $0 === signal }
        if self[signal].continuation == nil { self[signal].isOver = true } else { end(signal, hasEnded: false) }
    }

    /// The last step of each event: ends the waits for refetches that have ended, and for the end of all work.
    mutating func conclude() {
        startGranted()
        trim()
        endWatches()
        if work == 0 { endSettling() }
    }

    mutating func endSettling() {
        if settlers.isEmpty { return }
        for signal in settlers { end(signal) }
        settlers = []
    }
}

/// What the ledger has given up. It is released outside the lock, because a deinit may be code of the app.
struct Trash: Sendable {
    private var objects: [any AnyObject & Sendable] = []
    private var values: [AnyValue] = []
    private var errors: [any Error] = []

    var isEmpty: Bool { objects.isEmpty && values.isEmpty && errors.isEmpty }

    mutating func add(_ object: (any AnyObject & Sendable)?) {
        guard let object else { return }
        // Most events give up a few objects. Growing step by step would cost more than they do.
        if objects.isEmpty { objects.reserveCapacity(6) }
        objects.append(object)
    }

    mutating func add(_ value: AnyValue?) { if let value { values.append(value) } }

    mutating func add(_ result: Result<AnyValue, any Error>?) {
        switch result {
        case .success(let value): values.append(value)
        case .failure(let error): errors.append(error)
        case nil: break
        }
    }

    mutating func add(_ objects: some Sequence<some AnyObject & Sendable>) { for object in objects { self.objects.append(object) } }
}

// MARK: Tables

/// The entries and their indexes. Exchanged as a whole when a session ends, so nothing has to touch the entries that are not in use.
final class Tables: Guarded<Tables.Content>, @unchecked Sendable {
    struct Content: ~Copyable {
        var identities: [Int: Entry] = [:]
        var slots: [Entry?] = []
        var vacant: [UInt32] = []
        var paths = PathIndex()
        /// Entries by what their values were read from, and by tag.
        var reads = RegionIndex()
        var tags = RegionIndex()
        var count = 0
        var byteCount = 0
        /// What counts toward the budgets.
        var claimed = Ledger.Extent()
        /// The entries that may be released, the least recently used one first.
        var unused = StoreList()
        var links: [StoreLinks] = []
    }

    init() { super.init(Content()) }
}

extension Ledger {

    func isListed(_ entry: Entry) -> Bool { self[entry].epoch == epoch }

    /// The latest entry with a hash. The engine compares the requests of its chain outside the lock.
    func head(_ hash: Int) -> Entry? { self[tables].identities[hash] }

    /// Lists a new entry, unless another one with the same hash was listed since the engine has looked.
    mutating func insert(_ entry: Entry) -> Bool {
        guard head(entry.hash) === entry.sibling else { return false }
        list(entry)
        retain(entry)
        return true
    }

    mutating func list(_ entry: Entry) {
        let slot: UInt32
        if let vacant = self[tables].vacant.popLast() {
            slot = vacant
            self[tables].slots[Int(slot)] = entry
        } else {
            slot = UInt32(self[tables].slots.count)
            self[tables].slots.append(entry)
            self[tables].links.append(StoreLinks())
        }
        self[entry].slot = slot
        self[entry].epoch = epoch
        self[entry].claim = .none
        if head(entry.hash).map({ !chain(from: $0, contains: entry) }) ?? true { self[tables].identities[entry.hash] = entry }
        self[tables].paths.insert(slot, at: entry.path)
        self[tables].count += 1
        self[tables].byteCount += self[entry].byteCount
    }

    private func chain(from head: Entry, contains wanted: Entry) -> Bool {
        var next: Entry? = head
        while let entry = next {
            if entry === wanted { return true }
            next = entry.sibling
        }
        return false
    }

    /// Forgets an entry that nothing uses.
    mutating func unlist(_ entry: Entry) {
        assert(!self[entry].isInUse, "An entry in use is unlisted")
        let slot = self[entry].slot
        setClaim(entry, .none)
        removeFromChain(entry)
        // Its elements are those of the entry, which ends outside the lock.
        self[tables].paths.remove(slot)
        self[tables].reads.remove(slot: slot)
        self[tables].tags.remove(slot: slot)
        self[tables].slots[Int(slot)] = nil
        self[tables].vacant.append(slot)
        self[tables].count -= 1
        self[tables].byteCount -= self[entry].byteCount
        self[entry].epoch = 0
        forget(entry)
        trash.add(entry)
    }

    /// A chain never changes, because it is searched outside the lock. So an entry in its middle stays, and is found not to be listed.
    private mutating func removeFromChain(_ entry: Entry) {
        guard self[tables].identities[entry.hash] === entry else { return }
        var next = entry.sibling
        while let sibling = next, !isListed(sibling) { next = sibling.sibling }
        self[tables].identities[entry.hash] = next
    }

    func entry(at slot: UInt32) -> Entry? { self[tables].slots[Int(slot)] }

    func matches(_ pattern: QueryPattern) -> [Entry] { self[tables].paths.matches(pattern).compactMap { entry(at: $0) } }
}
