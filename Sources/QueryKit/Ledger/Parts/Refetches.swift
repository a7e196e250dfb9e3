/// What follows from a change or a refetch: the entries whose runs are still to end, and the failures so far.
final class Refetches: Guarded<Refetches.Content>, @unchecked Sendable {
    struct Content: ~Copyable {
        var open: Set<Entry> = []
        /// Parts of the change that are still to be followed.
        var parts = 0
        var failures: [Failure] = []
        var waiting: [Waiting] = []
    }

    struct Failure: Sendable {
        let path: QueryPath
        let error: any Error
    }

    /// A wait for the end.
    struct Waiting: Sendable {
        let signal: Signal
        /// The run or the call whose code waits, and the entries for which it does.
        let reader: Scope?
        var awaited: Set<Entry>
    }

    init() { super.init(Content()) }
}

/// An entry whose run concerns a list of refetches.
struct Watch: Sendable {
    let list: Refetches
    /// The latest run that began too early.
    let after: Int32
    var outcome: Outcome?

    enum Outcome: Sendable {
        case done
        case failed(any Error)
    }
}
