#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Where a read runs, and whether its first statement may run there.
///
/// A place in the source says little about a read: many apps have one line that reads everything. So the first statement decides once it is known. If it
/// takes too long for the place, the read is moved: nothing has been read yet, and its closure begins again on the right lane. A closure that has worked
/// for long before its first statement stays where it is.
struct ReadPace {
    enum Place {
        /// The thread of whoever reads, for what takes microseconds.
        case callersThread
        /// A lane.
        case lane
        /// A lane that is open to long reads.
        case longLane
    }

    /// How many nanoseconds a closure may spend before its first statement and still be begun again.
    static let patience: UInt64 = 5_000_000
    /// The same for a closure on a lane that has hardly worked in that time: a busy system stops threads for seconds.
    static let patienceOfWaiting: UInt64 = 60_000_000_000

    let place: Place
    /// How many nanoseconds a read may take on its caller's thread.
    let limit: UInt64
    let start = monotonicNanoseconds()
    /// For a lane, how long its thread had worked by then.
    private let workBefore: UInt64
    /// Where the read has to go on; `nil` while it may stay.
    private(set) var move: ReadMove?
    /// The first statement, from its begin to its end.
    private var first: Unmanaged<Statement>?
    private var hasBegun = false
    private var beginOfFirst: UInt64 = 0
    /// The time of the first statement, if it is longer than the place that reads should be blamed for.
    private var excused: UInt64 = 0

    init(_ place: Place, limit: UInt64) {
        (self.place, self.limit) = (place, limit)
        workBefore = place == .lane ? Self.threadWork : 0
    }

    private static var threadWork: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Whether the closure has spent so little before its first statement that it may begin again.
    private var mayBeginAgain: Bool {
        let spent = beginOfFirst - start
        if spent <= Self.patience { return true }
        return place == .lane && spent <= Self.patienceOfWaiting && Self.threadWork - workBefore <= Self.patience
    }

    /// Whether a statement is the first of the read.
    var isAtFirst: Bool { !hasBegun }

    /// The first statement is asked for. Its time counts from here on, with what it takes to prepare it.
    mutating func beginFirst() {
        hasBegun = true
        beginOfFirst = monotonicNanoseconds()
    }

    /// The first statement could not be prepared.
    mutating func forgetFirst() { hasBegun = false }

    /// The first statement is prepared; false if the read has to move.
    mutating func begin(_ statement: Statement) -> Bool {
        if !allows(statement.cost), mayBeginAgain {
            move = ReadMove(isLong: statement.cost.isLong)
            return false
        }
        first = Unmanaged.passUnretained(statement)
        return true
    }

    private func allows(_ cost: ReadCost) -> Bool {
        switch place {
        case .callersThread: cost.isQuick(limit)
        case .lane: !cost.isLong
        case .longLane: true
        }
    }

    /// Something longer is about to follow; true if the work has to move for it.
    mutating func leave() -> Bool {
        guard place == .callersThread, !hasBegun, monotonicNanoseconds() - start <= Self.patience else { return false }
        hasBegun = true
        move = ReadMove(isLong: false)
        return true
    }

    /// When the first step on a caller's thread gives up.
    var deadline: UInt64 { beginOfFirst + limit * 10 }

    /// The first step took longer than expected, and no row was handed out.
    mutating func giveUp(_ statement: Statement) {
        statement.cost.note(monotonicNanoseconds() - beginOfFirst, limit: limit, onCallersThread: true)
        move = ReadMove(isLong: false)
    }

    /// A statement ends; true if it turned out to be long.
    mutating func end(_ statement: Statement) -> Bool {
        guard let first, first.toOpaque() == Unmanaged.passUnretained(statement).toOpaque() else { return false }
        self.first = nil
        let time = monotonicNanoseconds() - beginOfFirst
        let wasLong = statement.cost.isLong
        statement.cost.note(read(of: time), limit: limit, onCallersThread: place == .callersThread)
        if time > limit { excused = time }
        return statement.cost.isLong && !wasLong
    }

    /// How long the read took, without a first statement that is known to be slow by itself.
    var charge: ReadTime { read(of: monotonicNanoseconds() - start - excused) }

    private func read(of time: UInt64) -> ReadTime {
        // What a thread works is asked only where it matters, because that takes longer than many reads.
        guard place == .lane, time >= ReadCost.long else { return ReadTime(nanoseconds: time) }
        let work = Self.threadWork - workBefore
        return ReadTime(nanoseconds: time, wasStopped: work < ReadCost.long + min(excused, work))
    }
}

/// Thrown when a read has to go on elsewhere.
struct ReadMove: Error {
    let isLong: Bool
}
