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
    /// For what waits for nobody's lock.
    let impatience = Impatience()
    /// How many virtual-machine steps SQLite makes between two questions.
    static let interval: Int32 = 2_000

    var isRaised: Bool { work?.isCancelled ?? false }
}

/// Work that is given up as soon as it would have to wait.
final class Impatience: Interruptible {
    var isCancelled: Bool { true }
}
