import QueryKit

/// The latest events of one client, ready to be sent, and what they say about its stores.
final class EventLog: Sendable {
    /// How many events are kept.
    static let limit = 10_000

    struct Entry: Sendable {
        let store: Int?
        /// The members of the event, without its number.
        let members: [UInt8]
        /// The cause and the start time of the run, for an event that begins one.
        let start: (cause: QueryCause, instant: QueryInstant)?
    }

    /// Why and when a run began, and when the change that caused it happened, if that is known.
    struct Reason: Hashable, Sendable {
        let cause: QueryCause
        let startedAt: QueryInstant
        let changedAt: QueryInstant?
    }

    /// An entry with its number among all events of the log, starting with 0.
    struct Numbered: Sendable {
        let number: Int
        let entry: Entry

        var json: JSON { .written(Array("{\"n\":\(number),".utf8) + entry.members.dropFirst()) }
    }

    fileprivate struct State {
        var entries: [Entry] = []
        /// The number of entries at the beginning that count as removed.
        var removed = 0
        var nextNumber = 0
        var counts: [Int: StoreCounts] = [:]
        /// When the latest changes happened, by the numbers of their origins.
        var changes: [Int: QueryInstant] = [:]
        /// The stores whose counts have changed since they were last asked for.
        var changed: Set<Int> = []
    }

    private let limit: Int
    private let time: SessionTime
    private let showsValues: Bool
    private let state = Lock(State())

    init(limit: Int = limit, _ time: SessionTime, showsValues: Bool = false) {
        self.limit = limit
        self.time = time
        self.showsValues = showsValues
    }

    func receive(_ event: QueryEvent) {
        // Described outside the lock, because the elements of a path are values of the app.
        let entry = Entry(
            store: event.store,
            members: JSON.event(event, time, showsValues: showsValues).bytes,
            start: event.kind == .runStarted ? (event.cause, event.instant) : nil
        )
        // Released outside the lock.
        let former = state.withLock { state in
            state.add(entry, limit: limit)
            state.count(event)
            state.noteChange(event, limit: limit)
            return state.compact(limit: limit)
        }
        withExtendedLifetime(former) {}
    }

    /// The numbers of the entries that are kept.
    var numbers: Range<Int> { state.withLock { $0.numbers } }

    /// The entries from a number on, at most `limit` of them.
    func entries(from number: Int, limit: Int) -> [Numbered] {
        state.withLock { state in
            let numbers = state.numbers
            let first = max(number, numbers.lowerBound)
            guard first < numbers.upperBound else { return [] }
            return (first..<min(first + min(limit, numbers.count), numbers.upperBound)).map { state.numbered($0) }
        }
    }

    /// The latest entries of a store, at most `limit` of them, in their order.
    func entries(of store: Int, limit: Int) -> [Numbered] {
        let (numbers, kept) = state.withLock { ($0.numbers, Array($0.entries[$0.removed...])) }
        var found: [Numbered] = []
        for (number, entry) in zip(numbers, kept).reversed() where entry.store == store {
            found.append(Numbered(number: number, entry: entry))
            if found.count == limit { break }
        }
        return found.reversed()
    }

    /// Why the latest run of a store began; `nil` if the log contains the beginning of none of its runs.
    func reason(of store: Int) -> Reason? {
        state.withLock { state in
            guard let start = state.entries[state.removed...].last(where: { $0.store == store && $0.start != nil })?.start else {
                return nil
            }
            let changedAt = start.cause.origin.flatMap { state.changes[$0.number] }
            return Reason(cause: start.cause, startedAt: start.instant, changedAt: changedAt)
        }
    }

    func counts(of store: Int) -> StoreCounts? { state.withLock { $0.counts[store] } }

    /// The stores whose counts have changed since the last call.
    func takeChanged() -> Set<Int> {
        state.withLock { state in
            defer { state.changed = [] }
            return state.changed
        }
    }

    /// Removes the counts of stores that don't exist any more.
    func forget(_ stores: some Sequence<Int>) {
        state.withLock { state in
            for store in stores { state.counts[store] = nil }
        }
    }
}

extension EventLog.State {
    fileprivate var numbers: Range<Int> { (nextNumber - entries.count + removed)..<nextNumber }

    fileprivate func numbered(_ number: Int) -> EventLog.Numbered {
        EventLog.Numbered(number: number, entry: entries[number - nextNumber + entries.count])
    }

    fileprivate mutating func add(_ entry: EventLog.Entry, limit: Int) {
        entries.append(entry)
        nextNumber += 1
        if entries.count - removed > limit { removed += 1 }
    }

    fileprivate mutating func count(_ event: QueryEvent) {
        guard let store = event.store else { return }
        if event.kind == .hit {
            counts[store, default: StoreCounts()].hits += 1
        } else if let duration = event.duration {
            counts[store, default: StoreCounts()].lastDuration = duration
        } else {
            return
        }
        changed.insert(store)
    }

    /// Origins have increasing numbers, so the oldest are found without a list.
    fileprivate mutating func noteChange(_ event: QueryEvent, limit: Int) {
        guard event.kind == .changed || event.kind == .mutationStarted, let number = event.origin?.number else { return }
        changes[number] = event.instant
        if changes.count > limit * 2 { changes = changes.filter { $0.key > number - limit } }
    }

    /// Moves the remaining entries forward once as many entries are removed as are kept, so that the cost per event is constant. Returns
    /// the old array.
    fileprivate mutating func compact(limit: Int) -> [EventLog.Entry] {
        guard removed >= max(limit, 1) else { return [] }
        let former = entries
        entries = Array(entries[removed...])
        removed = 0
        return former
    }
}
