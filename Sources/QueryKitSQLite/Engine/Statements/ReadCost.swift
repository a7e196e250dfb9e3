import QueryKit

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// How long a read took.
struct ReadTime: Sendable {
    let nanoseconds: UInt64
    /// Whether its thread was stopped for most of that time, so that it says little.
    var wasStopped = false
}

/// How long a statement, or a place in the source that reads, took lately.
///
/// A longer time counts at once, a shorter one by an eighth of the difference. A read that exceeds the limit on its caller's thread has to prove itself
/// on a lane first: 16 quick reads in a row, and twice as many after each further failure. Every 32 quick reads in a row on callers' threads forgive one
/// failure, because the system sometimes stops a thread in the middle of a quick read, and some commits wait for the disk. For the same reason whether it
/// counts as long is decided by the first time, and changed only by two in a row that say otherwise; by eight where the thread was stopped.
struct ReadCost: Sendable {
    /// The time, in nanoseconds, from which a read counts as long: it waits behind others and leaves a connection free for them.
    static let long: UInt64 = 5_000_000

    /// The time in nanoseconds; 0 while nothing is known.
    private(set) var nanoseconds: UInt64 = 0
    private var failures: UInt8 = 0
    /// How many quick reads on a lane are still to come before the next one on a caller's thread.
    private var probation: UInt32 = 0
    /// How many quick reads on callers' threads have passed since the latest failure was forgiven.
    private var successes: UInt8 = 0

    /// Whether the next read may run on its caller's thread, where that is allowed for so many nanoseconds.
    func isQuick(_ limit: UInt64) -> Bool { nanoseconds != 0 && nanoseconds <= limit && probation == 0 }

    /// Whether it waits behind short ones.
    private(set) var isLong = false
    /// How much the latest times said otherwise. A thread that was stopped says a quarter of what another does.
    private var doubts: UInt8 = 0
    private static let enoughDoubts: UInt8 = 8

    /// Notes how long a read took, on its caller's thread or on a lane.
    mutating func note(_ time: UInt64, limit: UInt64, onCallersThread isInline: Bool) {
        note(ReadTime(nanoseconds: time), limit: limit, onCallersThread: isInline)
    }

    mutating func note(_ read: ReadTime, limit: UInt64, onCallersThread isInline: Bool) {
        let time = max(1, read.nanoseconds)
        let isFirst = nanoseconds == 0
        nanoseconds = max(time, nanoseconds - (nanoseconds &- min(time, nanoseconds)) / 8)
        let wasLong = time >= Self.long
        if wasLong != isLong { doubts += read.wasStopped ? 1 : isFirst ? Self.enoughDoubts : Self.enoughDoubts / 2 } else { doubts = 0 }
        if doubts >= Self.enoughDoubts { (isLong, doubts) = (wasLong, 0) }
        if time > limit {
            successes = 0
            if isInline { failures = min(failures + 1, 10) }
            probation = failures == 0 ? 0 : 8 << UInt32(failures)
        } else if isInline {
            successes = (successes + 1) % 32
            if successes == 0, failures > 0 { failures -= 1 }
        } else if probation > 0 {
            probation -= 1
        }
    }
}

/// A place in the source that reads.
struct ReadSite: Hashable, Sendable {
    let number: UInt

    init(_ file: StaticString, _ line: UInt) {
        // The compiler keeps one copy of the text per module at least, and a line is no pointer: two places are hardly ever equal.
        let text = file.hasPointerRepresentation ? UInt(bitPattern: file.utf8Start) : 0
        number = (text &+ line) &* 0x9e37_79b9_7f4a_7c15
    }
}

/// What is known about the places that read: the latest ones, in a table of fixed size. A place that is pushed out by another is measured again.
struct ReadCosts {
    private var places: [(site: UInt, cost: ReadCost)] = Array(repeating: (0, ReadCost()), count: 256)

    subscript(site: ReadSite) -> ReadCost {
        get {
            let place = places[Self.index(of: site)]
            return place.site == site.number ? place.cost : ReadCost()
        }
        set { places[Self.index(of: site)] = (site.number, newValue) }
    }

    private static func index(of site: ReadSite) -> Int { Int(site.number >> (UInt.bitWidth - 8)) }
}

/// The statements of a database that were long on some connection, so that the others needn't find out by themselves.
final class LongStatements: Sendable {
    /// More than these are forgotten together, and measured again.
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

/// The monotonic time, at the price of some instructions: a clock of the standard library costs hundreds.
func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
