import Foundation
import QueryKit

/// How many reads run on callers' threads at once, in all databases of the process: fewer than there are cores, so that one thread of the cooperative
/// pool always goes on.
final class CallersThreads: Sendable {
    static let shared = CallersThreads(limit: ProcessInfo.processInfo.activeProcessorCount - 1)

    private let limit: Int
    private let count = Lock(0)

    init(limit: Int) { self.limit = limit }

    /// Whether the present thread may do a read; then ``leave()`` has to follow.
    ///
    /// - Parameter isolation: The actor of whoever reads. No actor waits for a read, and neither does the main thread, whoever uses it.
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

/// A read on the thread of the task that wants it.
final class CallersWork: Interruptible, Sendable {
    static let shared = CallersWork()

    var isCancelled: Bool { Task.isCancelled }
}
