/// Work that can be cancelled.
protocol Interruptible: AnyObject {
    /// Read on the thread that does the work; may be set on any thread.
    var isCancelled: Bool { get }
}

/// Interrupts the running statement when its work is cancelled or its deadline has passed.
///
/// SQLite polls this at intervals while a statement runs. `sqlite3_interrupt` could be called from another thread, but might interrupt the
/// next statement, which belongs to other work.
final class Interruption {
    /// The current work; `nil` for work that can't be cancelled.
    var work: (any Interruptible)?
    /// When the current step must give up, on the monotonic clock; 0 for never. A step with a deadline doesn't wait for locks either.
    var deadline: UInt64 = 0
    /// Whether a step was stopped at its deadline, or because another process holds a lock.
    private(set) var isOverdue = false
    /// The work to set for calls that must not wait for locks.
    let noWaiting = NoWaiting()
    /// The number of virtual-machine steps between two polls.
    static let interval: Int32 = 2_000

    var isRaised: Bool {
        if deadline != 0, monotonicNanoseconds() > deadline {
            isOverdue = true
            return true
        }
        return work?.isCancelled ?? false
    }

    /// Whether the step may wait for the lock of another process.
    var allowsWait: Bool {
        if deadline != 0 { isOverdue = true }
        return deadline == 0 && !isRaised
    }

    /// Begins a step with a deadline.
    func begin(deadline: UInt64) { (self.deadline, isOverdue) = (deadline, false) }
}

/// Work that gives up instead of waiting for a lock.
final class NoWaiting: Interruptible {
    var isCancelled: Bool { true }
}
