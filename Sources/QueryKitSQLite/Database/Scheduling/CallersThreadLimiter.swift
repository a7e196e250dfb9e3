import Foundation
import QueryKit

/// Limits how many reads run on callers' threads at once, across all databases of the process.
final class CallersThreadLimiter: Sendable {
    static let shared = CallersThreadLimiter(cores: ProcessInfo.processInfo.activeProcessorCount)

    private let state: Lock<CallersThreadUse>
    /// Whether no read may ever begin, for example because there is only one core.
    let isOff: Bool

    private init(_ use: CallersThreadUse) {
        state = Lock(use)
        isOff = use.isOff
    }

    convenience init(cores: Int) { self.init(CallersThreadUse(cores: cores)) }

    /// Creates a limiter for this many reads, none of them on the last thread.
    convenience init(limit: Int) { self.init(CallersThreadUse(limit: limit, hasLast: false)) }

    /// Begins a read on the current thread. If the result is granted, ``leave(after:)`` must follow.
    ///
    /// - Parameters:
    ///   - isolation: The caller's actor. Reads never block an actor or the main thread. `nil` also for work that an actor may do.
    ///   - acceptsLast: Whether the work may be a tiny read.
    func enter(_ isolation: (any Actor)?, acceptsLast: Bool) -> CallersThreadUse.Admission {
        guard isolation == nil, !isOff, !CurrentThread.isMain, Task.currentPriority > .background else { return .refused }
        return state.withLock { $0.enter(acceptsLast: acceptsLast) }
    }

    /// Call this before the task lets other tasks run.
    func yield() { state.withLock { $0.yield() } }

    /// Ends a read that took this many nanoseconds.
    func leave(after time: UInt64) { state.withLock { $0.leave(after: time) } }
}

/// A read on the thread of the task that needs it.
final class CallersThreadJob: Interruptible, Sendable {
    static let shared = CallersThreadJob()

    var isCancelled: Bool { Task.isCancelled }
}
