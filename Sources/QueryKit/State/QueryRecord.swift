import Foundation

/// The metadata of a state: its result, its activity, times and counts.
///
/// Only QueryKit changes a record. A custom state type just stores it; see ``QueryStateProtocol``.
public struct QueryRecord: Sendable {
    struct Flags: OptionSet, Hashable, Sendable {
        let rawValue: UInt16
        static let fetching = Flags(rawValue: 1)
        /// A run waits for the network.
        static let paused = Flags(rawValue: 2)
        static let invalidated = Flags(rawValue: 4)
        static let placeholder = Flags(rawValue: 8)
        /// Whether the latest result is a success or a failure. Before the first result, neither flag is set.
        static let succeeded = Flags(rawValue: 16)
        static let failed = Flags(rawValue: 32)
        /// There is a value from a run, a write or a cache. A placeholder doesn't count.
        static let hasValue = Flags(rawValue: 64)
        /// The value was yielded by a run that is still under way, so it isn't a result yet.
        static let partial = Flags(rawValue: 128)
        /// The value comes from an open stream, so it is up to date regardless of its age.
        static let live = Flags(rawValue: 256)
        /// The visible value includes layers of mutations.
        static let optimistic = Flags(rawValue: 512)
        /// The run under way fetches the page after the last one, or before the first one.
        static let nextPage = Flags(rawValue: 1_024)
        static let previousPage = Flags(rawValue: 2_048)
        /// An inspector makes the store look as if it were loading, had failed or were out of date; see ``QueryRecord/simulated``. A run, a
        /// write and a reset remove these flags.
        static let simulatedLoading = Flags(rawValue: 4_096)
        static let simulatedFailure = Flags(rawValue: 8_192)
        static let simulatedStaleness = Flags(rawValue: 16_384)
        static let simulated: Flags = [.simulatedLoading, .simulatedFailure, .simulatedStaleness]
        /// A run is under way, or an inspector makes the store look as if one were.
        static let showsFetching: Flags = [.fetching, .simulatedLoading]
        /// The flags that describe the run under way.
        static let running: Flags = [.fetching, .paused, .nextPage, .previousPage]
    }

    // Each state of each store holds a record, so the properties are in an order that leaves no padding.
    var valueTime = QueryTimestamp.none

    /// Properties that most states don't have.
    private var rare: Rare?

    /// The cause of the run, write or invalidation that led to this state.
    public internal(set) var cause = QueryCause.created

    var flags: Flags = []
    var valueCount: UInt32 = 0
    var publishCount: UInt32 = 0

    /// Properties that most states don't have. They are behind one reference, because a record is copied at each step of a run.
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

    /// The error of the latest result, if it is a failure.
    public internal(set) var error: (any Error)? {
        get { rare?.details.error }
        set { if error != nil || newValue != nil { setDetails { $0.error = newValue } } }
    }

    /// The error of the latest failed attempt of the current or last run; `nil` after a successful result.
    public var failureReason: (any Error)? { rare?.details.failureReason }

    /// How many attempts of the current or last run have failed.
    var failures: UInt32 { rare?.details.failures ?? 0 }

    /// Sets the number of failed attempts and the error of the latest one.
    mutating func setFailures(_ count: UInt32, _ reason: (any Error)?) {
        guard count > 0 || failures > 0 else { return }
        setDetails { ($0.failures, $0.failureReason) = (count, count > 0 ? reason : nil) }
    }

    /// When the latest failure occurred.
    var errorTime: QueryTimestamp { rare?.details.errorTime ?? .none }

    /// How many results have been failures.
    var errorCount: UInt32 { rare?.details.errorCount ?? 0 }

    /// Sets a failure as the latest result.
    mutating func fail(_ error: any Error, at time: QueryTimestamp) {
        setDetails {
            $0.error = error
            $0.errorCount &+= 1
            $0.errorTime = time
        }
        flags.remove(.succeeded)
        flags.insert(.failed)
    }

    /// Additional data of a special kind of state, such as the state of a mutation.
    var notes: (any StateNotes)? {
        get { rare?.details.notes }
        set { if notes != nil || newValue != nil { setDetails { $0.notes = newValue } } }
    }

    /// The number of states that the store has published, including this one.
    public internal(set) var revision: Int {
        get { Int(publishCount) }
        set { publishCount = UInt32(truncatingIfNeeded: newValue) }
    }

    /// Creates the record of a new state.
    public init() {}

    /// Whether a run is under way, as observers see it.
    var showsFetching: Bool { !flags.isDisjoint(with: .showsFetching) }

    var hasResult: Bool { !flags.isDisjoint(with: [.succeeded, .failed]) }

    /// R13: a state is fresh while its latest result is a success that is younger than `ttl` and not invalidated.
    func isStale(at now: QueryInstant, ttl: Nanoseconds) -> Bool {
        guard flags.contains(.succeeded), flags.isDisjoint(with: [.invalidated, .partial, .simulatedStaleness]) else { return true }
        if ttl == .infinity || flags.contains(.live) { return false }
        return valueTime.instant.later(by: ttl) <= now
    }

    /// Whether a value from elsewhere, such as an archive, may replace the current one: it must be newer, and it may be invalidated only if
    /// the current value is invalidated too.
    ///
    /// - Parameter date: The current wall-clock date.
    func isReplaced(by time: QueryTimestamp, isInvalidated: Bool, by date: Date) -> Bool {
        if flags.contains(.live) || isInvalidated && !flags.contains(.invalidated) { return false }
        return time.isLater(than: valueTime, by: date)
    }

    /// Whether two records look the same to a handler. Times and update counts aren't compared (R5).
    func looksLike(_ other: QueryRecord) -> Bool {
        flags.symmetricDifference(other.flags).isSubset(of: .partial) && failures == other.failures
            && (error == nil) == (other.error == nil)
            && errorCount == other.errorCount && notes === other.notes
    }

    /// Whether two records are equal in everything. Errors need no comparison, because their counts and flags change with them.
    func isKnownToEqual(_ other: QueryRecord) -> Bool {
        flags == other.flags && looksLike(other) && valueCount == other.valueCount && revision == other.revision && cause == other.cause
            && valueTime == other.valueTime && errorTime == other.errorTime
    }

    /// Whether both records share their errors and notes, or have none.
    func sharesDetails(with other: QueryRecord) -> Bool { rare === other.rare }

    func status<Value>(_ current: Value?) -> QueryStatus<Value> {
        if flags.contains(.succeeded), let current { return .result(.success(current)) }
        if let error { return .result(.failure(error)) }
        return flags.contains(.fetching) ? .loading : .idle
    }

    /// Restores this record, which is from before a run, when the run is cancelled. `record` is the record at that time: changes that the
    /// run made are undone, and other changes are kept.
    mutating func restore(over record: QueryRecord) {
        revision = record.revision
        notes = record.notes
        cause = record.cause
        let kept = Flags.running.union(.simulated).union([.invalidated, .live, .optimistic])
        flags = flags.subtracting(kept).union(record.flags.intersection(kept))
    }

    /// The record as observers see it while an inspector makes the store look different. The value is kept, unless the store looks as if it
    /// were loading.
    var simulated: QueryRecord {
        var record = self
        record.cause = .simulated
        if flags.contains(.simulatedLoading) {
            record.flags = [.fetching, .simulatedLoading]
            record.valueTime = .none
            record.setDetails { details in
                let notes = details.notes
                details = Rare.Details()
                details.notes = notes
            }
        } else if flags.contains(.simulatedFailure) {
            record.flags.remove(.succeeded)
            record.flags.insert(.failed)
            record.setDetails { details in
                details.error = InspectorFailure()
                (details.failures, details.failureReason) = (1, InspectorFailure())
            }
        } else {
            record.flags.insert(.invalidated)
        }
        return record
    }
}
