public import Foundation

/// The state of a request: a value that is there or not yet, and the record of how it came about.
///
/// ``QueryState`` is the one that almost every request uses. A type of your own keeps the four stored properties and the
/// initialiser; everything else follows from them. Each time a state is read, one is made with its initial value, and `current` and `record` are set.
public protocol QueryStateProtocol<StateValue, QueryValue>: Sendable {
    /// What ``value`` shows: usually an optional, `nil` until there is something.
    associatedtype StateValue: Sendable

    /// What a run returns.
    associatedtype QueryValue: Sendable

    /// Creates the state of a request that never ran.
    init(initialValue: StateValue)

    /// What ``QueryStateProtocol/value`` shows while ``current`` is `nil`.
    var initialValue: StateValue { get }

    /// The value to show.
    var value: StateValue { get }

    /// The latest value that was fetched, yielded, written or put there as a placeholder. QueryKit sets it.
    var current: QueryValue? { get set }

    /// Everything that is known apart from the value. QueryKit sets it.
    var record: QueryRecord { get set }

    /// Whether there is a result: none yet, the first one on its way, or here. Default: as the record says.
    ///
    /// A requirement, so that a state with a status of its own shows it everywhere, and ``isLoading`` with it.
    var status: QueryStatus<QueryValue> { get }

    /// The state that the store has, for a state that an adapter makes of it; see ``DefaultedState``. Default: the type itself.
    associatedtype StoreState: QueryStateProtocol = Self where StoreState.QueryValue == QueryValue

    /// What a binding to a property with this state has as its value: ``QueryValue`` if it always has one. Default: the state.
    associatedtype ViewValue = Self

    /// The state that an adapter shows for the state of a store.
    static func showing(_ state: StoreState, default: QueryValue?) -> Self

    /// Whether the library may start runs of requests with this state by itself. Default: `true`; a mutation runs only when it is told to.
    static var runsByItself: Bool { get }
}

extension QueryStateProtocol where StoreState == Self {
    public static func showing(_ state: Self, default: QueryValue?) -> Self { state }
}

extension QueryStateProtocol {
    public static var runsByItself: Bool { true }

    /// Whether there is a result: none yet, the first one on its way, or here.
    ///
    /// A refresh keeps the result and sets ``isFetching``. A refetch that has no value so far goes back to `.loading`.
    public var status: QueryStatus<QueryValue> { record.status(current) }

    /// Whether a run is at work, first load or refresh.
    public var isFetching: Bool { record.flags.contains(.fetching) }

    /// Whether the first result is on its way; `false` during a refresh.
    public var isLoading: Bool { status.isLoading }

    /// Whether a run waits for something that is missing. Nothing runs meanwhile, and it goes on by itself.
    public var isPaused: Bool { record.flags.contains(.paused) }

    /// What a paused run waits for; `nil` when none is paused.
    public var pauseReason: QueryPauseReason? { isPaused ? .offline : nil }

    /// Whether the value is known to be out of date, because of an invalidation that no run has answered yet.
    public var isInvalidated: Bool { record.flags.contains(.invalidated) }

    /// Whether ``QueryStateProtocol/value`` is a stand-in until the first result.
    public var isPlaceholder: Bool { record.flags.contains(.placeholder) }

    /// Whether the value is what a mutation expects it to become, laid over what the store knows.
    public var isOptimistic: Bool { record.flags.contains(.optimistic) }

    /// Whether a stream keeps the value up to date; see ``StreamRequest``.
    public var isLive: Bool { record.flags.contains(.live) }

    /// The error of the latest result, if that failed. The value of an earlier success stays.
    public var error: (any Error)? { record.error }

    /// When the value was last fetched, yielded or written.
    public var valueUpdatedAt: Date? { record.valueTime.happened ? record.valueTime.date : nil }

    /// When a run last failed.
    public var errorUpdatedAt: Date? { record.errorTime.happened ? record.errorTime.date : nil }

    /// How often the value was fetched, yielded or written.
    public var valueUpdateCount: Int { Int(record.valueCount) }

    /// How often a run failed.
    public var errorUpdateCount: Int { Int(record.errorCount) }

    /// How many attempts of the present run, or of the last one that failed, have failed.
    public var failureCount: Int { Int(record.failures) }

    /// The error of the latest attempt, also while others follow; `nil` while none has failed. ``error`` is set when no more follow.
    public var failureReason: (any Error)? { record.failureReason }
    /// The number of this state among those its store published.
    public var revision: Int { record.revision }

    /// Why the state is as it is.
    public var cause: QueryCause { record.cause }
}
