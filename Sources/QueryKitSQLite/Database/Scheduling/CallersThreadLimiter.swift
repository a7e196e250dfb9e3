import Foundation
import QueryKit

/// Limits how many reads run on callers' threads at once, across all databases of the process. The limit is below the number of cores, so
/// that one thread of the cooperative pool always makes progress.
final class CallersThreadLimiter: Sendable {
    static let shared = CallersThreadLimiter(limit: ProcessInfo.processInfo.activeProcessorCount - 1)

    private let limit: Int
    private let count = Lock(0)

    init(limit: Int) { self.limit = limit }

    /// Returns whether the current thread may perform a read. If so, ``leave()`` must follow.
    ///
    /// - Parameter isolation: The caller's actor. Reads never block an actor or the main thread.
    func enter(_ isolation: (any Actor)?) -> Bool {
        guard isolation == nil, limit > 0, !Thread.isMainThread, Task.currentPriority > .background else { return false }
        return count.withLock { count in
            guard count < limit else { return false }
            count += 1
            return true
        }
    }

    func leave() { count.withLock { $0 -= 1 } }
}

/// A read on the thread of the task that needs it.
final class CallersThreadJob: Interruptible, Sendable {
    static let shared = CallersThreadJob()

    var isCancelled: Bool { Task.isCancelled }
}
