import Foundation
import QueryKit

/// Limits how many reads run on callers' threads at once, across all databases of the process.
final class CallersThreadLimiter: Sendable {
    static let shared = CallersThreadLimiter(cores: ProcessInfo.processInfo.activeProcessorCount)

    private let state: Lock<CallersThreadUse>
    private let isOff: Bool

    private init(_ use: CallersThreadUse) {
        state = Lock(use)
        isOff = use.isOff
    }

    convenience init(cores: Int) { self.init(CallersThreadUse(cores: cores)) }

    /// Creates a limiter for this many reads, none of them on the last thread.
    convenience init(limit: Int) { self.init(CallersThreadUse(limit: limit, hasLast: false)) }

    /// Returns which reads the current thread may perform; `nil` for none. Otherwise ``leave()`` must follow.
    ///
    /// - Parameters:
    ///   - isolation: The caller's actor. Reads never block an actor or the main thread.
    ///   - acceptsLast: Whether the work may be a tiny read.
    func enter(_ isolation: (any Actor)?, acceptsLast: Bool) -> CallersThreadUse.Budget? {
        guard isolation == nil, !isOff, !Thread.isMainThread, Task.currentPriority > .background else { return nil }
        return state.withLock { $0.enter(acceptsLast: acceptsLast) }
    }

    func leave() { state.withLock { $0.leave() } }
}

/// Decides how many reads run on callers' threads at once: a pure value.
///
/// Quick reads leave one thread of the cooperative pool free. A tiny read takes less time than waking another thread, so it may use the
/// last thread too. But a task that awaits only such reads never suspends, so regularly one of them is refused: it uses a lane, and other
/// tasks get the thread.
struct CallersThreadUse: Sendable {
    /// Which reads a thread may perform.
    enum Budget {
        /// Reads that are known to be quick.
        case quick
        /// Only reads that are known to be tiny; see ``ReadCost/isTiny(_:)``.
        case tiny
    }

    /// The number of reads on the last thread before one is refused.
    static let lastLimit = 128

    /// The number of quick reads at once.
    private let limit: Int
    /// Whether one more read may use the last thread.
    private let hasLast: Bool
    private var count = 0
    /// The number of reads on the last thread since one was refused.
    private var lastCount = 0

    init(limit: Int, hasLast: Bool) { (self.limit, self.hasLast) = (limit, hasLast) }

    /// Creates the value for this number of cores, which is also the number of threads of the cooperative pool. With a single core, all reads
    /// use lanes.
    init(cores: Int) { self.init(limit: max(1, cores) - 1, hasLast: cores > 1) }

    /// Whether no read may ever begin.
    var isOff: Bool { limit <= 0 && !hasLast }

    /// Begins a read. Returns what it may be; `nil` if it must use a lane.
    mutating func enter(acceptsLast: Bool = true) -> Budget? {
        if count < limit {
            count += 1
            return .quick
        }
        guard acceptsLast, hasLast, count == limit else { return nil }
        guard lastCount < Self.lastLimit else {
            lastCount = 0
            return nil
        }
        lastCount += 1
        count += 1
        return .tiny
    }

    mutating func leave() { count -= 1 }
}

/// A read on the thread of the task that needs it.
final class CallersThreadJob: Interruptible, Sendable {
    static let shared = CallersThreadJob()

    var isCancelled: Bool { Task.isCancelled }
}
