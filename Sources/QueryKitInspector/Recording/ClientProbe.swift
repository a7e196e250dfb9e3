import Foundation
import QueryKit

/// The recording of one client. Only the actor that owns the recording uses it.
final class ClientProbe {
    let id: Int
    let name: String
    let inspection: ClientInspection
    let hasManualClock: Bool
    let time: SessionTime
    let log: EventLog
    /// The wall-clock date at time zero of the session.
    let zero: Date
    private weak var client: QueryClient?
    private var recording: (recorder: EventRecorder, subscription: QuerySubscription)?

    private var fingerprints: [Int: Int] = [:]
    /// The stores, by id, as they were at the last ``poll()``.
    private(set) var rows: [Int: StoreRow] = [:]
    /// When to look at the stores again.
    private var nextPoll = ContinuousClock.now
    /// The stores that pages have shown last, the latest at the end, with their latest values if these may be shown.
    private static let rememberedLimit = 20
    private var remembered: [(id: Int, current: InspectedValue?, previous: InspectedValue?)] = []
    /// The stores for which pages have simulated a state. A run may already have ended some of these simulations; ending one again has no
    /// effect.
    private var simulatedStores: Set<Int> = []
    private var simulatesNetwork = false
    private var hasStopped = false

    /// The latest messages of each kind, up to a limit. Each message shows the whole state, so a page can do without older ones.
    private(set) var metrics = Series(limit: 600)
    private(set) var mutations = Series(limit: 1)
    private(set) var surroundings = Series(limit: 1)
    /// How many events the client has lost because the recording was too slow.
    private(set) var lost = 0
    private var lostBefore = 0

    init(_ client: QueryClient, id: Int, name: String, showsValues: Bool = false) {
        self.id = id
        self.name = name
        self.client = client
        inspection = ClientInspection(client, showsValues: showsValues)
        let clock = client.context.clock
        hasManualClock = clock is ManualClock
        time = SessionTime(start: clock.now)
        zero = clock.date
        log = EventLog(time, showsValues: showsValues)
    }

    /// Whether the client was deallocated.
    var isGone: Bool { inspection.isGone }

    var summary: JSON {
        [
            "id": .integer(id), "name": .text(name), "gone": .flag(isGone), "manualClock": .flag(hasManualClock),
            "now": time.json(inspection.now),
        ]
    }

    func attach() {
        guard recording == nil, let client else { return }
        lostBefore = client.droppedEventCount - lost
        recording = client.record(limit: EventLog.limit)
        nextPoll = .now
    }

    /// Ends listening. The next ``attach()`` begins with a full comparison of the stores.
    func detach() {
        takeEvents()
        recording?.subscription.cancel()
        recording = nil
        (metrics, mutations, surroundings) = (Series(limit: 600), Series(limit: 1), Series(limit: 1))
        remembered = []
    }

    /// Takes what has happened since the last call.
    func takeEvents() {
        guard let recorder = recording?.recorder else { return }
        for event in recorder.take() { log.receive(event) }
    }

    // MARK: Stores

    /// What has changed between two looks at the stores.
    struct Difference {
        var changed: Set<Int> = []
        var removed: [Int] = []
    }

    /// Compares the stores with their state at the last comparison. Does so at most five times a second, unless it is forced.
    func poll(isForced: Bool = false) -> Difference {
        let start = ContinuousClock.now
        takeEvents()
        // The last known stores of a client that was deallocated stay visible.
        guard isForced || start >= nextPoll, !isGone else { return Difference() }
        var difference = Difference()
        let marks = inspection.marks()
        var current: [Int: Int] = [:]
        current.reserveCapacity(marks.count)
        for mark in marks {
            current[mark.id] = mark.fingerprint
            if fingerprints[mark.id] != mark.fingerprint { difference.changed.insert(mark.id) }
        }
        difference.removed = fingerprints.keys.filter { current[$0] == nil }.sorted()
        for id in difference.removed { rows[id] = nil }
        log.forget(difference.removed)
        fingerprints = current
        if !difference.changed.isEmpty {
            for row in inspection.rows(difference.changed.sorted()) { rows[row.id] = row }
        }
        let counted = log.takeChanged()
        difference.changed.formUnion(counted)
        difference.changed.formIntersection(rows.keys)
        // The last events of a store can arrive after it was removed.
        log.forget(counted.subtracting(difference.changed))
        nextPoll = start.advanced(by: .milliseconds(200))
        return difference
    }

    func json(_ row: StoreRow) -> JSON { .row(row, log.counts(of: row.id), time) }

    /// Everything about one store, for a page that shows it; `nil` if it doesn't exist.
    func details(of id: Int, showsValues: Bool) -> JSON? {
        takeEvents()
        guard let details = inspection.details(id, includingValue: showsValues, limit: 100_000) else { return nil }
        let previous = previous(before: details.value, of: id)
        remembered.removeAll { $0.id == id }
        remembered.append((id, details.value, previous))
        if remembered.count > Self.rememberedLimit { remembered.removeFirst() }
        let events = log.entries(of: id, limit: 500)
        return json(details, showsValues: showsValues, previous: previous, history: .list(events.map(\.json)))
    }

    /// Everything about one store, for an exported file, which already contains the events; `nil` if the store doesn't exist.
    func exportedDetails(of id: Int, showsValues: Bool) -> JSON? {
        guard let details = inspection.details(id, includingValue: showsValues, limit: 100_000) else { return nil }
        return json(details, showsValues: showsValues, previous: previous(before: details.value, of: id), history: .null)
    }

    /// The stores that a file describes completely: those that pages have shown last, then observed ones, then others.
    func exportedStores(limit: Int) -> [Int] {
        let shown = remembered.map(\.id).filter { rows[$0] != nil }
        let others = rows.values.filter { !shown.contains($0.id) }
            .sorted { ($0.subscribers > 0 ? 0 : 1, $0.id) < ($1.subscribers > 0 ? 0 : 1, $1.id) }
        return Array((shown.reversed() + others.map(\.id)).prefix(limit))
    }

    private func json(_ details: StoreDetails, showsValues: Bool, previous: InspectedValue?, history: JSON) -> JSON {
        let id = details.row.id
        return .details(
            details,
            log.counts(of: id),
            time,
            showsValues: showsValues,
            previous: previous,
            history: history,
            why: log.reason(of: id).map { .reason($0, time, showsValues: showsValues) }
        )
    }

    /// The value of a store before the current one; `nil` if no page has shown it.
    private func previous(before value: InspectedValue?, of id: Int) -> InspectedValue? {
        guard let former = remembered.first(where: { $0.id == id }) else { return nil }
        return former.current == value ? former.previous : former.current
    }

    // MARK: Actions

    /// Carries out an action of a page. Returns the number of stores that it affects; `nil` if the inspector has stopped.
    func perform(_ action: InspectionAction) -> Int? {
        guard !hasStopped else { return nil }
        let count = inspection.perform(action)
        switch action {
        case .simulate(_, let store): simulatedStores.insert(store)
        case .restore(let store): simulatedStores.remove(store)
        case .setNetwork(let isAvailable): simulatesNetwork = isAvailable != nil
        case .invalidate, .refetch, .reset, .remove, .cancel, .advanceClock: break
        }
        return count
    }

    /// Ends what pages of this inspector have simulated, because no page is left that could end it.
    func stop() {
        detach()
        hasStopped = true
        for store in simulatedStores { inspection.perform(.restore(store: store)) }
        if simulatesNetwork { inspection.perform(.setNetwork(available: nil)) }
        (simulatedStores, simulatesNetwork) = ([], false)
    }

    // MARK: The rest

    func sampleMetrics() {
        guard let client else { return }
        let members = JSON.metrics(client.metrics, client.alerts)
        metrics.append([.init(name: "t", value: time.json(inspection.now))] + members)
        lost = max(client.droppedEventCount - lostBefore, 0)
    }

    func sampleMutations(showsValues: Bool, journal: JournalState) {
        let rows = inspection.mutations(includingArguments: showsValues, limit: 1_000)
        mutations.appendIfChanged(JSON.mutations(rows, journal: journal, zero: zero, showsValues: showsValues))
    }

    func sampleSurroundings(showsValues: Bool) {
        guard let current = inspection.surroundings() else { return }
        surroundings.appendIfChanged(JSON.surroundings(current, time, showsValues: showsValues))
    }
}

/// The latest of a series of messages, numbered from 0.
struct Series {
    let limit: Int
    private var messages: [[JSON.Member]] = []
    private(set) var count = 0

    init(limit: Int) { self.limit = limit }

    var last: [JSON.Member]? { messages.last }

    var all: [[JSON.Member]] { messages }

    mutating func append(_ message: [JSON.Member]) {
        messages.append(message)
        count += 1
        if messages.count > limit { messages.removeFirst() }
    }

    mutating func appendIfChanged(_ message: [JSON.Member]) {
        if message != last { append(message) }
    }

    /// The messages from a number on that are still there.
    func from(_ number: Int) -> ArraySlice<[JSON.Member]> { messages.suffix(max(count - number, 0)) }
}
