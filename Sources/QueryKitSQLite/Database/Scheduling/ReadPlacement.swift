#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Where a read runs, and whether its first statement may run there.
///
/// The source location doesn't identify a read, because many apps perform all reads in one line. So the first statement decides once it is
/// known. If it takes too long for the current thread, the read is moved: no row has been read yet, so its closure is called again on the
/// right lane. A closure that has worked for long before its first statement is not moved.
struct ReadPlacement {
    enum Executor {
        /// The caller's thread, for reads that take microseconds.
        case callersThread
        /// The last thread for callers, for reads that take less time than waking another thread.
        case lastThread
        /// A lane.
        case lane
        /// A lane that accepts long reads.
        case longLane

        var isCallersThread: Bool { self == .callersThread || self == .lastThread }
    }

    /// How long a closure may run before its first statement and still be called again, in nanoseconds.
    static let restartLimit: UInt64 = 5_000_000
    /// The same limit for a closure on a lane whose thread has hardly run in that time: a busy system suspends threads for seconds.
    static let stoppedRestartLimit: UInt64 = 60_000_000_000

    let executor: Executor
    /// The time limit for a read on its caller's thread, in nanoseconds.
    let limit: UInt64
    let start = monotonicNanoseconds()
    /// The CPU time of the lane's thread at the start; 0 elsewhere.
    private let workBefore: UInt64
    /// Where the read must continue; `nil` while it may stay.
    private(set) var move: ReadMove?
    /// The first statement, while it is running.
    private var first: Unmanaged<Statement>?
    private var hasBegun = false
    private var beginOfFirst: UInt64 = 0
    /// The duration of a slow first statement, which doesn't count for the source location.
    private var excused: UInt64 = 0

    init(_ executor: Executor, limit: UInt64) {
        (self.executor, self.limit) = (executor, limit)
        workBefore = executor == .lane ? Self.threadWork : 0
    }

    private static var threadWork: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Whether the closure has run so briefly before its first statement that it may be called again.
    private var mayBeginAgain: Bool {
        let spent = beginOfFirst - start
        if spent <= Self.restartLimit { return true }
        return executor == .lane && spent <= Self.stoppedRestartLimit && Self.threadWork - workBefore <= Self.restartLimit
    }

    /// Whether the next statement is the first one of the read.
    var isAtFirst: Bool { !hasBegun }

    /// Call when the first statement is requested. Its time starts here and includes preparing it.
    mutating func beginFirst() {
        hasBegun = true
        beginOfFirst = monotonicNanoseconds()
    }

    /// Call if the first statement could not be prepared.
    mutating func forgetFirst() { hasBegun = false }

    /// Call when the first statement is prepared; returns false if the read must move.
    mutating func begin(_ statement: Statement) -> Bool {
        if !allows(statement.cost), mayBeginAgain {
            move = ReadMove(isLong: statement.cost.isLong)
            return false
        }
        first = Unmanaged.passUnretained(statement)
        return true
    }

    private func allows(_ cost: ReadCost) -> Bool {
        switch executor {
        case .callersThread: cost.isQuick(limit)
        case .lastThread: cost.isTiny(limit)
        case .lane: !cost.isLong
        case .longLane: true
        }
    }

    /// Call before longer work; returns true if the read must move first.
    mutating func moveBeforeLongWork() -> Bool {
        guard executor.isCallersThread, !hasBegun, monotonicNanoseconds() - start <= Self.restartLimit else { return false }
        hasBegun = true
        move = ReadMove(isLong: false)
        return true
    }

    /// When the first step on a caller's thread gives up.
    var deadline: UInt64 { beginOfFirst + (executor == .lastThread ? min(limit, ReadCost.tiny) : limit) * 10 }

    /// Call if the first step took longer than expected, before a row was handed out.
    mutating func moveAfterTimeout(of statement: Statement) {
        statement.cost.note(monotonicNanoseconds() - beginOfFirst, limit: limit, onCallersThread: true)
        // Its end must not be recorded a second time.
        first = nil
        move = ReadMove(isLong: false)
    }

    /// Call if the read must begin again on a lane, before a row was handed out.
    mutating func moveToLane() { move = ReadMove(isLong: false) }

    /// Call when a statement ends; returns true if it turned out to be long.
    mutating func end(_ statement: Statement) -> Bool {
        guard let first, first.toOpaque() == Unmanaged.passUnretained(statement).toOpaque() else { return false }
        self.first = nil
        let time = monotonicNanoseconds() - beginOfFirst
        let wasLong = statement.cost.isLong
        statement.cost.note(read(of: time), limit: limit, onCallersThread: executor.isCallersThread)
        if time > limit { excused = time }
        return statement.cost.isLong && !wasLong
    }

    /// The duration of the read, without a first statement that is slow.
    var charge: ReadTime { read(of: monotonicNanoseconds() - start - excused) }

    private func read(of time: UInt64) -> ReadTime {
        // The thread's CPU time is queried only if it matters, because the query takes longer than many reads.
        guard executor == .lane, time >= ReadCost.long else { return ReadTime(nanoseconds: time) }
        let work = Self.threadWork - workBefore
        return ReadTime(nanoseconds: time, wasStopped: work < ReadCost.long + min(excused, work))
    }
}

/// Thrown when a read must continue on another thread.
struct ReadMove: Error {
    let isLong: Bool
}
