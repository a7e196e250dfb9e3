import Foundation

/// What a state knows apart from its value: result, work, times and counts.
///
/// QueryKit alone changes it. A state type of your own stores one and forgets about it; see ``QueryStateProtocol``.
public struct QueryRecord: Sendable {
    struct Flags: OptionSet, Hashable, Sendable {
        let rawValue: UInt16
        static let fetching = Flags(rawValue: 1)
        /// A run waits for the network.
        static let paused = Flags(rawValue: 2)
        static let invalidated = Flags(rawValue: 4)
        static let placeholder = Flags(rawValue: 8)
        /// The latest result is a success, or a failure; neither before the first.
        static let succeeded = Flags(rawValue: 16)
        static let failed = Flags(rawValue: 32)
        /// There is a value from a run, a write or a cache; a placeholder does not count.
        static let hasValue = Flags(rawValue: 64)
        /// The value was yielded by a run that goes on, so it is no result yet.
        static let partial = Flags(rawValue: 128)
        /// The value comes from a stream that goes on, so it is up to date however old it is.
        static let live = Flags(rawValue: 256)
        /// The value that shows is one of a mutation, laid over the store's own.
        static let optimistic = Flags(rawValue: 512)
        /// The run at work brings the page after the last, or before the first.
        static let nextPage = Flags(rawValue: 1_024)
        static let previousPage = Flags(rawValue: 2_048)
        /// What only the run under way has set.
        static let running: Flags = [.fetching, .paused, .nextPage, .previousPage]
    }

    // The order of the properties leaves no gaps: each state of each store holds a record.
    var valueTime = QueryTimestamp.none

    /// What most states are without.
    private var rare: Rare?

    /// Why the state is as it is: the cause of the run, write or invalidation that led to it.
    public internal(set) var cause = QueryCause.created

    var flags: Flags = []
    var valueCount: UInt32 = 0
    var publishCount: UInt32 = 0

    /// What most states are without, behind one reference: a record is copied at each step of a run.
    private final class Rare: Sendable {
        struct Details: Sendable {
            var error: (any Error)?
            var failureReason: (any Error)?
            var errorTime = QueryTimestamp.none
            var errorCount: UInt32 = 0
            var failures: UInt32 = 0
            var notes: (any StateNotes)?

            var isEmpty: Bool { error == nil && failureReason == nil && errorCount == 0 && failures == 0 && notes == nil }
        }

        let details: Details

        init(_ details: Details) { self.details = details }
    }

    private mutating func setDetails(_ change: (inout Rare.Details) -> Void) {
        var details = rare?.details ?? Rare.Details()
        change(&details)
        rare = details.isEmpty ? nil : Rare(details)
    }

    /// The error of the latest result, if that failed.
    public internal(set) var error: (any Error)? {
        get { rare?.details.error }
        set { if error != nil || newValue != nil { setDetails { $0.error = newValue } } }
    }

    /// The error of the latest attempt that failed, of the present run or of the last one; `nil` once a result succeeds.
    public var failureReason: (any Error)? { rare?.details.failureReason }

    /// How many attempts of the present run, or of the last one, have failed.
    var failures: UInt32 { rare?.details.failures ?? 0 }

    /// Remembers how many attempts have failed, and why the latest did.
    mutating func setFailures(_ count: UInt32, _ reason: (any Error)?) {
        guard count > 0 || failures > 0 else { return }
        setDetails { ($0.failures, $0.failureReason) = (count, count > 0 ? reason : nil) }
    }

    /// When the latest result came that was a failure.
    var errorTime: QueryTimestamp { rare?.details.errorTime ?? .none }

    /// How many results were failures.
    var errorCount: UInt32 { rare?.details.errorCount ?? 0 }

    /// Shows a result that is a failure.
    mutating func fail(_ error: any Error, at time: QueryTimestamp) {
        setDetails {
            $0.error = error
            $0.errorCount &+= 1
            $0.errorTime = time
        }
        flags.remove(.succeeded)
        flags.insert(.failed)
    }

    /// What a kind of state of its own remembers.
    var notes: (any StateNotes)? {
        get { rare?.details.notes }
        set { if notes != nil || newValue != nil { setDetails { $0.notes = newValue } } }
    }

    /// The number of this state among those its store published; one higher than the one before.
    public internal(set) var revision: Int {
        get { Int(publishCount) }
        set { publishCount = UInt32(truncatingIfNeeded: newValue) }
    }

    /// Creates the record of a state to which nothing has happened.
    public init() {}

    var hasResult: Bool { !flags.isDisjoint(with: [.succeeded, .failed]) }

    /// R13: fresh while there is a successful result which is younger than `ttl` and not invalidated.
    func isStale(at now: QueryInstant, ttl: Nanoseconds) -> Bool {
        guard flags.contains(.succeeded), flags.isDisjoint(with: [.invalidated, .partial]) else { return true }
        if ttl == .infinity || flags.contains(.live) { return false }
        return valueTime.instant.later(by: ttl) <= now
    }

    /// Whether a value from elsewhere may take the place of the one there is: it is newer, and not known to be out of date while that is not.
    ///
    /// - Parameter date: What the wall clock shows now.
    func isReplaced(by time: QueryTimestamp, isInvalidated: Bool, by date: Date) -> Bool {
        if flags.contains(.live) || isInvalidated && !flags.contains(.invalidated) { return false }
        return time.isLater(than: valueTime, by: date)
    }

    /// Whether a handler would see a difference, apart from the value: times and update counts are none (R5).
    func looksLike(_ other: QueryRecord) -> Bool {
        flags.symmetricDifference(other.flags).isSubset(of: .partial) && failures == other.failures
            && (error == nil) == (other.error == nil)
            && errorCount == other.errorCount && notes === other.notes
    }

    /// Whether nothing is different at all: an error comes and goes with its count and its flag.
    func isKnownToEqual(_ other: QueryRecord) -> Bool {
        flags == other.flags && looksLike(other) && valueCount == other.valueCount && revision == other.revision && cause == other.cause
            && valueTime == other.valueTime && errorTime == other.errorTime
    }

    /// Whether both hold the same errors and notes, or none.
    func sharesDetails(with other: QueryRecord) -> Bool { rare === other.rare }

    func status<Value>(_ current: Value?) -> QueryStatus<Value> {
        if flags.contains(.succeeded), let current { return .result(.success(current)) }
        if let error { return .result(.failure(error)) }
        return flags.contains(.fetching) ? .loading : .idle
    }

    /// Takes the place of a record that a cancelled run leaves: what the run did is undone, what others did stays.
    mutating func restore(over record: QueryRecord) {
        revision = record.revision
        notes = record.notes
        cause = record.cause
        let kept = Flags.running.union([.invalidated, .live, .optimistic])
        flags = flags.subtracting(kept).union(record.flags.intersection(kept))
    }
}
