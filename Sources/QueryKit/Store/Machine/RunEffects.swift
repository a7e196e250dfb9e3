/// Which stores an invalidation refetches: active ones, inactive ones, all of them, or none.
public enum QueryRefetch: Hashable, Sendable {
    /// Stores that have observers or waiting callers. The others refetch when an observer or caller arrives.
    case active
    /// Stores that have no observers and no waiting callers.
    case inactive

    /// All stores that are enabled, with or without observers.
    case all

    /// No stores. They are only marked as invalidated.
    case none
}

/// Who started a run. It determines the default number of retries.
enum RunOrigin: Hashable, Sendable {
    /// A caller that waits for the result.
    case caller
    /// The library, for a subscription, an invalidation or a write.
    case library
}

/// What a run fetches. Only requests with pages use more than one aim.
enum RunAim: Hashable, Sendable {
    /// The whole value of the request.
    case everything
    /// The page after the last one, or before the first one.
    case next, previous
    /// One page, by its id.
    indirect case page(QueryIdentity)

    /// The cause of a run with this aim that a caller starts.
    var cause: QueryCause {
        switch self {
        case .everything: .manual
        case .next: .nextPage
        case .previous: .previousPage
        case .page: .page
        }
    }
}

/// The parameters of a run to start.
struct RunStart: Hashable, Sendable {
    let number: Int32
    let cause: QueryCause
    let origin: RunOrigin
    var aim = RunAim.everything
    /// Whether it is the private run of one caller, separate from the store's shared run.
    var isPrivate = false
    var isMutation = false
    /// Whether it starts paused, because the network that it needs is missing.
    var isPaused = false

    static func ofPrivateCaller(_ number: Int32) -> RunStart {
        RunStart(number: number, cause: .manual, origin: .caller, isPrivate: true)
    }

    static func ofCall(_ number: Int32, _ cause: QueryCause) -> RunStart {
        RunStart(number: number, cause: cause, origin: .caller, isPrivate: true, isMutation: true)
    }

    /// These parameters with a number that no run has, so that values of the run are ignored, and reported as dropped.
    var overtaken: RunStart { RunStart(number: 0, cause: cause, origin: origin) }
}

/// The result of a run: a value, an error, or `nil` if it was cancelled.
typealias RunResult = Result<AnyValue, any Error>?

/// How a run ended, without the value, which the machine doesn't need.
enum RunOutcome: Sendable {
    case success
    case failure(any Error)
    case cancelled

    var error: (any Error)? {
        if case .failure(let error) = self { error } else { nil }
    }
}

extension RunMachine {
    /// The effects of an event, which are carried out in this order: value, publish, cancel, start, settle, next.
    struct Effects: Equatable, Sendable {
        enum Value: Equatable, Sendable {
            /// The value is kept.
            case keep
            /// The value of the event becomes the current one.
            case accept
            /// Value and record from before the run are restored.
            case restore
            /// The value is removed, and the state becomes the initial one.
            case clear
            /// The base value is kept, and its layers have changed.
            case relayer
        }

        enum Settlement: Equatable, Sendable {
            case none
            /// The waiters of a run get its result.
            case waiters(of: Int32)
            /// All waiters, including those for the next run, get a `CancellationError`.
            case everyone
        }

        /// The run whose task must be cancelled.
        var cancels: Int32?
        /// The run that has begun and needs a task. It is the machine's run.
        var starts: Int32?
        /// The run that the caller now waits for.
        var joined: Int32?
        /// That run has another aim, so the caller has to ask again when it has ended.
        var mustFetchAgain = false
        /// The run of a stream has brought its first value, so callers don't have to wait for its end.
        var isLive = false
        var value = Value.keep
        /// If the run is cancelled later, it restores the current state instead of that from before its start.
        var rebases = false
        var settles = Settlement.none
        /// The event came from a run that no longer counts, so it was ignored.
        var isIgnored = false
        /// The event ended a run.
        var endedRun = false
        /// The run brought only some pages of the value.
        var isPart = false
        /// Whether a run has to begin after the rest is published; see ``RunMachine/next``.
        var hasNext = false
        /// Whether that run begins in the same step, so that no state between the two is published.
        var isSeamless = false
    }
}
