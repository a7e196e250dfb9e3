/// The tallies of a client, one for each prefix, in bounded memory. A pure value that ``ClientMonitor`` guards with a lock.
struct PrefixTallies: Sendable {
    /// The maximum number of prefixes. Further prefixes are counted together, as "other".
    static let prefixLimit = 32

    /// Identifies a store by its slot in the registry. The generation distinguishes it from earlier stores in the same slot.
    struct Source: Hashable, Sendable {
        let slot: UInt32
        let generation: UInt32
    }

    /// The tally of the store in a slot.
    private struct StoreTally {
        var generation: UInt16 = 0
        /// The number of the tally plus one; zero for none.
        var tally: UInt16 = 0
    }

    private var storeTallies: [StoreTally] = []
    private var numbers: [String: Int] = [:]
    /// The prefixes by the number of their tally; `nil` for the tally that counts all other prefixes.
    private(set) var prefixes: [String?] = []
    private(set) var tallies: [RunTally] = []
    private var memory: AlertRule
    /// The listeners to events, stored here so that counting code reads them under the same lock; `nil` if there are none.
    var listeners: EventListeners?
    /// The alerts raised and cleared since the last examination.
    private var changes: [AlertChange] = []
    private(set) var runCount = 0
    private(set) var running = 0
    private(set) var peak = 0

    init(_ thresholds: AlertThresholds) {
        memory = AlertRule(.byteCount, above: thresholds.byteCount.map { Double($0) })
    }

    /// The number of the tally for a store; `nil` if the store is not enlisted.
    func tally(of source: Source) -> Int? {
        let slot = Int(source.slot)
        guard slot < storeTallies.count, storeTallies[slot].tally > 0,
            storeTallies[slot].generation == UInt16(truncatingIfNeeded: source.generation)
        else { return nil }
        return Int(storeTallies[slot].tally) - 1
    }

    /// Assigns a tally to a store permanently. If the prefix has no tally yet, `new` becomes its tally. All prefixes beyond the limit share
    /// one tally, which is `other` at first.
    mutating func enlist(_ source: Source, prefix: String, new: RunTally, other: RunTally) -> Int {
        let number = numbers[prefix] ?? add(prefix, new, other: other)
        let slot = Int(source.slot)
        while storeTallies.count <= slot { storeTallies.append(StoreTally()) }
        storeTallies[slot] = StoreTally(generation: UInt16(truncatingIfNeeded: source.generation), tally: UInt16(number + 1))
        return number
    }

    private mutating func add(_ prefix: String, _ new: RunTally, other: RunTally) -> Int {
        let isSeparate = numbers.count < Self.prefixLimit
        if !isSeparate, let number = prefixes.firstIndex(of: nil) { return number }
        prefixes.append(isSeparate ? prefix : nil)
        tallies.append(isSeparate ? new : other)
        if isSeparate { numbers[prefix] = tallies.count - 1 }
        return tallies.count - 1
    }

    // MARK: Counting

    /// Counts the start of a run. Returns the number of the run among all runs of the client.
    mutating func noteStart(_ tally: Int) -> Int {
        runCount += 1
        running += 1
        peak = max(peak, running)
        tallies[tally].noteStart()
        return runCount
    }

    /// Counts the end of a run. Returns whether an examination is due.
    mutating func noteEnd(_ tally: Int, _ end: RunTally.End, nanoseconds: Int64) -> Bool {
        running -= 1
        return follow(tallies[tally].noteEnd(end, nanoseconds: nanoseconds), tally)
    }

    mutating func noteFailedAttempt(_ tally: Int) { tallies[tally].noteFailedAttempt() }

    /// Counts a lookup. Returns whether an examination is due.
    mutating func noteLookup(_ tally: Int, isHit: Bool) -> Bool { follow(tallies[tally].noteLookup(isHit: isHit), tally) }

    // MARK: Alerts

    private mutating func follow(_ consequence: RunTally.Consequence, _ tally: Int) -> Bool {
        switch consequence {
        case .nothing: return false
        case .failuresChanged: note(tallies[tally].failureRule, of: tally)
        case .missesChanged: note(tallies[tally].missRule, of: tally)
        case .examination: break
        }
        return true
    }

    private mutating func note(_ rule: AlertRule, of tally: Int) {
        changes.append(AlertChange(rule, prefix: name(of: tally)))
    }

    /// Evaluates the rules that are not evaluated each time something is counted. Returns all alerts raised and cleared since the last
    /// examination.
    mutating func examine(_ tally: Int?, byteCount: Int) -> [AlertChange] {
        for tally in tally.map({ $0..<($0 + 1) }) ?? tallies.indices {
            if let rule = tallies[tally].examine() { note(rule, of: tally) }
        }
        if memory.judge(Double(byteCount)) { changes.append(AlertChange(memory, prefix: nil)) }
        defer { changes = [] }
        return changes
    }

    /// The alerts that are raised, by prefix and kind.
    var alerts: [QueryAlert] {
        var alerts = tallies.indices.flatMap { tally in tallies[tally].raised.map { $0.alert(for: name(of: tally)) } }
        if memory.isRaised { alerts.append(memory.alert(for: nil)) }
        return alerts.sorted { ($0.prefix ?? "", $0.kind.rawValue) < ($1.prefix ?? "", $1.kind.rawValue) }
    }

    private func name(of tally: Int) -> String { prefixes[tally] ?? QueryMetrics.otherName }
}
