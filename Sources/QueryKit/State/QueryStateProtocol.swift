public import Foundation

/// The state of a request: its value, if there is one yet, and a record of its metadata.
///
/// Almost every request uses ``QueryState``. A custom type provides `initialValue`, `value`, `current`, `record` and the initializer;
/// everything else has a default implementation. States aren't stored. Each time you read a state, QueryKit creates it with the initial
/// value, and then sets `current` and `record`.
public protocol QueryStateProtocol<StateValue, QueryValue>: SharedQueryParameter where State == Self {
    /// The type of ``value``: usually an optional, which is `nil` until there is a value.
    associatedtype StateValue: Sendable

    /// The type of value that a run returns.
    associatedtype QueryValue: Sendable

    /// Creates the state of a request that has never run.
    init(initialValue: StateValue)

    /// The ``QueryStateProtocol/value`` while ``current`` is `nil`.
    var initialValue: StateValue { get }

    /// The value to show.
    var value: StateValue { get }

    /// The latest value that was fetched, yielded or written, or a placeholder. QueryKit sets it.
    var current: QueryValue? { get set }

    /// The metadata of the state. QueryKit sets it.
    var record: QueryRecord { get set }

    /// Whether there is a result, or the first result is being fetched, or neither. Default: derived from ``record``.
    ///
    /// The protocol requires this property, so that a custom status is used everywhere, including in ``isLoading``.
    var status: QueryStatus<QueryValue> { get }

    /// The type of the store's state. It differs from this type if an adapter derives this type from it; see ``DefaultedState``. Default:
    /// this type.
    associatedtype StoreState: QueryStateProtocol = Self where StoreState.QueryValue == QueryValue

    /// The type of a `@State.Query` property that shows this state. By default, it is the state itself. For a property with a default
    /// value, it is ``QueryValue``.
    associatedtype ViewValue = Self

    /// Creates the state that an adapter shows for the state of a store.
    static func showing(_ state: StoreState, default: QueryValue?) -> Self

    /// Whether the library may start runs of requests with this state on its own. Default: `true`. A mutation runs only when the app calls
    /// it.
    static var runsByItself: Bool { get }
}

/// What you may write between the angle brackets of ``SharedQuery``: the state of a request.
///
/// Requests conform too, so that the compiler's message about `@SharedQuery<Trips>` says what to write: `@SharedQuery<Trips.State>`.
public protocol SharedQueryParameter: Sendable {
    /// The state that the property shows.
    associatedtype State: QueryStateProtocol
}

extension QueryStateProtocol where StoreState == Self {
    public static func showing(_ state: Self, default: QueryValue?) -> Self { state }
}

extension QueryStateProtocol {
    public static var runsByItself: Bool { true }

    /// Whether there is a result, or the first result is being fetched, or neither.
    ///
    /// A refetch keeps the result and sets ``isFetching``. Without a value, for example after a failure, the status becomes `.loading`
    /// again.
    public var status: QueryStatus<QueryValue> { record.status(current) }

    /// Whether a run is fetching, for the first time or again.
    public var isFetching: Bool { record.flags.contains(.fetching) }

    /// Whether the first result is being fetched; `false` during a refetch.
    public var isLoading: Bool { status.isLoading }

    /// Whether a result is shown while a run fetches another one; `false` while the first result is being fetched.
    ///
    /// Use it to show a small spinner beside the content, and ``isLoading`` to show a spinner instead of the content.
    public var isRefreshing: Bool { isFetching && !isLoading }

    /// Whether a run is paused because something is missing; see ``pauseReason``. The run continues automatically.
    public var isPaused: Bool { record.flags.contains(.paused) }

    /// What a paused run waits for; `nil` if no run is paused.
    public var pauseReason: QueryPauseReason? { isPaused ? .offline : nil }

    /// Whether the value is known to be out of date, because it was invalidated and hasn't been fetched since.
    public var isInvalidated: Bool { record.flags.contains(.invalidated) }

    /// Whether ``QueryStateProtocol/value`` is a placeholder, shown until the first result.
    public var isPlaceholder: Bool { record.flags.contains(.placeholder) }

    /// Whether the value includes optimistic changes of mutations.
    public var isOptimistic: Bool { record.flags.contains(.optimistic) }

    /// Whether a stream keeps the value up to date; see ``StreamRequest``.
    public var isLive: Bool { record.flags.contains(.live) }

    /// The error of the latest result, if it is a failure. The value of an earlier success is kept.
    public var error: (any Error)? { record.error }

    /// When the value was last fetched, yielded or written; `nil` if it never was.
    public var valueUpdatedAt: Date? { record.valueTime.happened ? record.valueTime.date : nil }

    /// When a run last failed; `nil` if none has.
    public var errorUpdatedAt: Date? { record.errorTime.happened ? record.errorTime.date : nil }

    /// How many times the value was fetched, yielded or written.
    public var valueUpdateCount: Int { Int(record.valueCount) }

    /// How many runs have failed.
    public var errorUpdateCount: Int { Int(record.errorCount) }

    /// How many attempts of the current run, or of the last failed one, have failed.
    public var failureCount: Int { Int(record.failures) }

    /// The error of the latest failed attempt, even if another attempt follows; `nil` while none has failed. In contrast, ``error`` is set
    /// when the run ends.
    public var failureReason: (any Error)? { record.failureReason }

    /// The number of this state among all states that its store has published.
    public var revision: Int { record.revision }

    /// The cause of the run, write or invalidation that led to this state.
    public var cause: QueryCause { record.cause }
}
