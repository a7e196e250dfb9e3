/// The tallies of a client, one for each prefix, in bounded memory: a pure value that its ``ClientMonitor`` keeps under a lock.
struct PrefixTallies: Sendable {
    /// How many prefixes are told apart. What comes later is counted together, as other.
    static let prefixLimit = 32

    /// A store, by its place in the client's list; the generation tells it from earlier ones in the same place.
    struct Source: Hashable, Sendable {
        let slot: UInt32
        let generation: UInt32
    }

    /// Which tally a slot counts for.
    private struct Entry {
        var generation: UInt16 = 0
        /// One higher than the number of the tally; zero for none.
        var tally: UInt16 = 0
    }

    private var entries: [Entry] = []
    private var numbers: [String: Int] = [:]
    /// By the number of the tally; `nil` for the one that counts all other prefixes.
    private(set) var prefixes: [String?] = []
    private(set) var tallies: [RunTally] = []
    private var memory: AlertRule
    /// The number of listeners to events. It is here so that code that counts reads it under the same lock.
    var listenerCount = 0
    /// What came and went since the last examination.
    private var changes: [AlertChange] = []
    private(set) var runCount = 0
    private(set) var running = 0
    private(set) var peak = 0

    init(_ thresholds: AlertThresholds) {
        memory = AlertRule(.byteCount, above: thresholds.byteCount.map { Double($0) })
    }

    /// The number of the tally for a store; `nil` for one that was not enlisted.
    func tally(of source: Source) -> Int? {
        let slot = Int(source.slot)
        guard slot < entries.count, entries[slot].tally > 0, entries[slot].generation == UInt16(truncatingIfNeeded: source.generation)
        else { return nil }
        return Int(entries[slot].tally) - 1
    }

    /// Finds the tally of a store for good: `new` becomes that of a prefix which has none, `other` the one for prefixes beyond the limit.
    mutating func enlist(_ source: Source, prefix: String, new: RunTally, other: RunTally) -> Int {
        let number = numbers[prefix] ?? add(prefix, new, other: other)
        let slot = Int(source.slot)
        while entries.count <= slot { entries.append(Entry()) }
        entries[slot] = Entry(generation: UInt16(truncatingIfNeeded: source.generation), tally: UInt16(number + 1))
        return number
    }

    private mutating func add(_ prefix: String, _ new: RunTally, other: RunTally) -> Int {
        let isTold = numbers.count < Self.prefixLimit
        if !isTold, let number = prefixes.firstIndex(of: nil) { return number }
        prefixes.append(isTold ? prefix : nil)
        tallies.append(isTold ? new : other)
        if isTold { numbers[prefix] = tallies.count - 1 }
        return tallies.count - 1
    }

    // MARK: Counting

    /// Answers with the number of the run among all of the client.
    mutating func noteStart(_ tally: Int) -> Int {
        runCount += 1
        running += 1
        peak = max(peak, running)
        tallies[tally].noteStart()
        return runCount
    }

    /// Answers whether an examination is due.
    mutating func noteEnd(_ tally: Int, _ end: RunTally.End, nanoseconds: Int64) -> Bool {
        running -= 1
        return follow(tallies[tally].noteEnd(end, nanoseconds: nanoseconds), tally)
    }

    mutating func noteFailedAttempt(_ tally: Int) { tallies[tally].noteFailedAttempt() }

    /// Answers whether an examination is due.
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

    /// Judges what is not judged with each note, and hands out all that came and went since the last time.
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
