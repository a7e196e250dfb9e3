/// Work that somebody may not want any more.
protocol Interruptible: AnyObject {
    /// Asked on the thread that does the work; raised on any.
    var isCancelled: Bool { get }
}

/// Stops the statement that runs, when whoever wants it has gone.
///
/// SQLite asks now and then while a statement runs. `sqlite3_interrupt` would do it from outside, and could hit the next statement, of somebody else.
final class Interruption {
    /// Whose work runs; `nil` for work that goes on to its end.
    var work: (any Interruptible)?
    /// When the step that runs has to give up, by the monotonic clock; 0 for never. It doesn't wait for locks either.
    var deadline: UInt64 = 0
    /// Whether a step was stopped at its deadline, or for the lock of another process.
    private(set) var isOverdue = false
    /// For what waits for nobody's lock.
    let impatience = Impatience()
    /// How many virtual-machine steps SQLite makes between two questions.
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

    /// Begins a step that gives up after a time.
    func begin(deadline: UInt64) { (self.deadline, isOverdue) = (deadline, false) }
}

/// Work that is given up as soon as it would have to wait.
final class Impatience: Interruptible {
    var isCancelled: Bool { true }
}
