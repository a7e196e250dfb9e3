// For timespec: its header belongs to this module too, and which of the two declarations a file sees depends on what is compiled beside it.
import CSQLite
import QueryKit

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The duration of a read.
struct ReadTime: Sendable {
    let nanoseconds: UInt64
    /// Whether the thread was suspended by the system for most of that time, so that the duration says little about the read.
    var wasStopped = false
}

/// The recent duration of a statement, or of the reads at a source location.
///
/// A longer duration replaces the value immediately; a shorter one reduces it by an eighth of the difference. After a read has exceeded the
/// limit on its caller's thread (a failure), reads must run on a lane until 16 reads in a row were quick. Each further failure doubles this
/// number.
///
/// A quick read may exceed the limit because the system has suspended its thread, or because a commit has waited for the disk. So every 32
/// quick reads in a row on callers' threads cancel one failure: one in the past or, if there is none, one in the future. A future failure
/// is not cancelled if it is long, or if it follows another failure closely: then the pages may have left memory.
///
/// Because the system may suspend a thread, the first duration decides whether a read counts as long, and only two contrary durations in a
/// row change that, or eight if the thread was suspended.
struct ReadCost: Sendable {
    /// The duration, in nanoseconds, from which a read counts as long: it waits behind other reads and leaves a connection free for them.
    static let long: UInt64 = 5_000_000
    /// The duration, in nanoseconds, up to which a read counts as tiny: waking another thread takes as long.
    static let tiny: UInt64 = 25_000
    /// The number of tiny durations that are required for ``isTiny(_:)``, and the number that a longer one on a caller's thread cancels.
    static let tinyCounts: (required: UInt8, cancelled: UInt8) = (32, 4)
    /// The maximum number of future failures that are cancelled.
    static let creditLimit: Int8 = 4
    /// The number of quick reads on callers' threads between two failures that are both cancelled.
    static let distance: UInt8 = 4

    /// The duration in nanoseconds; 0 if unknown.
    private(set) var nanoseconds: UInt64 = 0
    /// The number of failures that aren't cancelled. A negative number is a credit for future failures.
    private var failures: Int8 = 0
    /// The number of quick reads on a lane that are required before the next read on a caller's thread.
    private var probation: UInt32 = 0
    /// The number of quick reads in a row on callers' threads, since the latest one that cancelled a failure.
    private var successes: UInt8 = 0
    /// The number of quick reads on callers' threads since the latest failure, up to ``distance``.
    private var distance: UInt8 = 0
    /// The number of tiny durations that aren't cancelled, up to twice the required number.
    private var tinyReads: UInt8 = 0

    /// Whether the next read may run on its caller's thread, given this limit in nanoseconds.
    func isQuick(_ limit: UInt64) -> Bool { nanoseconds != 0 && nanoseconds <= limit && probation == 0 }

    /// Whether the latest reads were tiny with few exceptions, so that the next one may run on the last thread of the pool.
    func isTiny(_ limit: UInt64) -> Bool { tinyReads >= Self.tinyCounts.required && isQuick(limit) }

    /// Whether the read counts as long and waits behind short ones.
    private(set) var isLong = false
    /// How strongly the latest durations contradict ``isLong``. A duration during which the thread was suspended has a quarter of the
    /// weight of another one.
    private var contradictions: UInt8 = 0
    private static let contradictionLimit: UInt8 = 8

    /// Records the duration of a read, on its caller's thread or on a lane.
    mutating func note(_ time: UInt64, limit: UInt64, onCallersThread isInline: Bool) {
        note(ReadTime(nanoseconds: time), limit: limit, onCallersThread: isInline)
    }

    mutating func note(_ read: ReadTime, limit: UInt64, onCallersThread isInline: Bool) {
        let time = max(1, read.nanoseconds)
        let isFirst = nanoseconds == 0
        if time <= Self.tiny {
            tinyReads = min(tinyReads + 1, 2 * Self.tinyCounts.required)
        } else if isInline {
            // A read on a lane cancels nothing: the thread has just been woken, so a tiny read may take longer there.
            tinyReads -= min(tinyReads, Self.tinyCounts.cancelled)
        }
        if time > limit, isInline, isForgiven(time) { return }
        nanoseconds = max(time, nanoseconds - (nanoseconds &- min(time, nanoseconds)) / 8)
        let wasLong = time >= Self.long
        if wasLong != isLong {
            contradictions += read.wasStopped ? 1 : isFirst ? Self.contradictionLimit : Self.contradictionLimit / 2
        } else {
            contradictions = 0
        }
        if contradictions >= Self.contradictionLimit { (isLong, contradictions) = (wasLong, 0) }
        if time > limit {
            (successes, distance, tinyReads) = (0, 0, 0)
            if isInline { failures = min(max(failures, 0) + 1, 10) }
            probation = failures <= 0 ? 0 : 8 << UInt32(failures)
        } else if isInline {
            distance = min(distance + 1, Self.distance)
            successes = (successes + 1) % 32
            if successes == 0 { failures = max(failures - 1, -Self.creditLimit) }
        } else if probation > 0 {
            probation -= 1
        }
    }

    /// Whether a failure is covered by the credit, which it then uses.
    private mutating func isForgiven(_ time: UInt64) -> Bool {
        guard failures < 0, time < Self.long, distance == Self.distance else { return false }
        failures += 1
        (successes, distance) = (0, 0)
        return true
    }
}

/// A source location that reads.
struct ReadSite: Hashable, Sendable {
    let number: UInt

    init(_ file: StaticString, _ line: UInt) {
        // The compiler keeps at least one copy of the text per module, and a line number is small, so two locations hardly ever have the
        // same number.
        let text = file.hasPointerRepresentation ? UInt(bitPattern: file.utf8Start) : 0
        number = (text &+ line) &* 0x9e37_79b9_7f4a_7c15
    }
}

/// The costs of recent source locations, in a table of fixed size. A location that another one has replaced is measured again.
struct ReadCosts {
    private var entries: [(site: UInt, cost: ReadCost)] = Array(repeating: (0, ReadCost()), count: 256)

    subscript(site: ReadSite) -> ReadCost {
        get {
            let entry = entries[Self.index(of: site)]
            return entry.site == site.number ? entry.cost : ReadCost()
        }
        set { entries[Self.index(of: site)] = (site.number, newValue) }
    }

    private static func index(of site: ReadSite) -> Int { Int(site.number >> (UInt.bitWidth - 8)) }
}

/// The statements that were long on some connection of a database, so that the other connections don't have to measure them.
final class LongStatements: Sendable {
    /// The maximum number of texts. Beyond it, all are removed and measured again.
    private static let limit = 256

    private let texts = Lock<Set<String>>([])

    func contains(_ text: String) -> Bool { texts.withLock { $0.contains(text) } }

    func insert(_ text: String) {
        texts.withLock { texts in
            if texts.count >= Self.limit { texts = [] }
            texts.insert(text)
        }
    }
}

/// The monotonic time. It costs a few instructions, while a clock of the standard library costs hundreds.
func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
