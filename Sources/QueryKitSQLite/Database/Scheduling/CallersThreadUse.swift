/// Decides how many reads run on callers' threads at once: a pure value.
///
/// The cooperative pool has as many threads as the machine has cores. Quick reads leave one of them free for other tasks. A tiny read takes
/// less time than waking another thread, so it may use the last thread too. But a task that awaits only such reads never suspends and would
/// keep the thread. So after a while, the next read on it must let other tasks run first.
struct CallersThreadUse: Sendable {
    /// Whether a read may begin, and on which condition.
    enum Admission {
        /// It may begin if it is known to be quick.
        case quick
        /// It may begin if it is known to be tiny; see ``ReadCost/isTiny(_:)``.
        case tiny
        /// Other tasks must run first. Then the read may ask again.
        case afterYield
        case refused

        /// Whether the read has begun.
        var isGranted: Bool { self == .quick || self == .tiny }
    }

    /// How long reads may use the last thread before other tasks must run, in nanoseconds: about as long as waking another thread takes.
    static let lastLimit: UInt64 = 50_000

    /// The number of quick reads at once.
    private let limit: Int
    /// Whether one more read may use the last thread.
    private let hasLast: Bool
    private var count = 0
    /// How long reads have used the last thread since other tasks ran.
    private var lastTime: UInt64 = 0

    init(limit: Int, hasLast: Bool) { (self.limit, self.hasLast) = (limit, hasLast) }

    /// Creates the value for this number of cores. With a single core, all reads use lanes.
    init(cores: Int) { self.init(limit: max(1, cores) - 1, hasLast: cores > 1) }

    /// Whether no read may ever begin.
    var isOff: Bool { limit <= 0 && !hasLast }

    /// Begins a read. If the result is granted, ``leave(after:)`` must follow; if the task lets other tasks run, ``yield()``.
    mutating func enter(acceptsLast: Bool = true) -> Admission {
        if count < limit {
            count += 1
            return .quick
        }
        guard acceptsLast, hasLast, count == limit else { return .refused }
        guard lastTime < Self.lastLimit else { return .afterYield }
        count += 1
        return .tiny
    }

    /// Call this before the task lets other tasks run.
    mutating func yield() { lastTime = 0 }

    /// Ends a read that took this many nanoseconds.
    mutating func leave(after time: UInt64) {
        if count > limit { lastTime += min(time, Self.lastLimit) }
        count -= 1
    }
}
