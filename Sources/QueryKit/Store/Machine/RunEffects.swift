/// Which stores an invalidation runs again: the active ones, all of them, or none.
public enum QueryRefetch: Hashable, Sendable {
    /// Those that somebody observes or waits for. The others run when somebody comes.
    case active
    /// Those that nobody observes or waits for.
    case inactive

    /// All that are enabled, also those nobody looks at.
    case all

    /// None: the stores are only marked.
    case none
}

/// Who started a run; it decides the default of retries.
enum RunOrigin: Hashable, Sendable {
    /// Somebody asked for a result and waits for it.
    case caller
    /// The library, for a subscription, an invalidation or a write.
    case library
}

/// What a run is to bring. Only requests with pages know more than one answer.
enum RunAim: Hashable, Sendable {
    /// All that the request stands for.
    case everything
    /// The page after the last, or before the first.
    case next, previous
    /// One page, by its id.
    indirect case page(QueryIdentity)

    /// Why a run with this aim begins when a caller asks for it.
    var cause: QueryCause {
        switch self {
        case .everything: .manual
        case .next: .nextPage
        case .previous: .previousPage
        case .page: .page
        }
    }
}

/// A run to begin.
struct RunStart: Hashable, Sendable {
    let number: Int32
    let cause: QueryCause
    let origin: RunOrigin
    var aim = RunAim.everything
    /// Whether it is one caller's own, apart from the store's run.
    var isPrivate = false
    var isMutation = false
    /// Whether it began without the network that it needs, and says so.
    var isPaused = false

    static func ofPrivateCaller(_ number: Int32) -> RunStart {
        RunStart(number: number, cause: .manual, origin: .caller, isPrivate: true)
    }

    static func ofCall(_ number: Int32) -> RunStart {
        RunStart(number: number, cause: .manual, origin: .caller, isPrivate: true, isMutation: true)
    }

    /// The same, with a number that no run has: what it says is ignored and reported.
    var overtaken: RunStart { RunStart(number: 0, cause: cause, origin: origin) }
}

/// What a run brings: a value, an error, or nothing if it was cancelled.
typealias RunResult = Result<AnyValue, any Error>?

/// How a run ended, as far as the machine needs to know.
enum RunOutcome: Sendable {
    case success
    case failure(any Error)
    case cancelled

    var error: (any Error)? {
        if case .failure(let error) = self { error } else { nil }
    }
}

extension RunMachine {
    /// What is to be done after an event, in this order: value, publish, cancel, start, settle, next.
    struct Effects: Equatable, Sendable {
        enum Value: Equatable, Sendable {
            /// The value stays.
            case keep
            /// The value that came with the event becomes the current one.
            case accept
            /// Value and record go back to what they were before the run.
            case restore
            /// The value goes; the state is as at the beginning.
            case clear
            /// The value stays, and other layers lie over it.
            case relayer
        }

        enum Settlement: Equatable, Sendable {
            case nobody
            /// The waiters of a run get its result.
            case waiters(of: Int32)
            /// All waiters, also those for the next run, get a CancellationError.
            case everyone
        }

        /// The run whose task is to be cancelled.
        var cancels: Int32?
        /// The run that has begun, and needs a task: the machine's run.
        var starts: Int32?
        /// The run that the caller now waits for.
        var joined: Int32?
        /// That run brings something else: when it has ended, the caller has to ask again.
        var mustAskAgain = false
        /// A stream's run has brought its first value: nobody has to wait for the run to end.
        var isLive = false
        var value = Value.keep
        /// What a cancelled run restores is from now on the present state.
        var rebases = false
        var settles = Settlement.nobody
        /// The event came from a run that has no say any more.
        var isIgnored = false
        /// A run ended with the event.
        var endedRun = false
        /// The run brought only a part of the value.
        var isPart = false
        /// Whether a run is to begin once the rest is published: ``RunMachine/next``.
        var hasNext = false
        /// Whether that run begins in the same step, so that no state between the two is published.
        var isSeamless = false
    }
}
