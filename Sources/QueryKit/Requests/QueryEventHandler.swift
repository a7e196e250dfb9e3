/// Closures that a store calls when its state changes, a run begins or ends, or a result arrives. All of them are optional.
///
/// The calls of one subscription are in order and never overlap. No lock is held during a call, so a handler may fetch, write, subscribe,
/// or cancel its own subscription. A slow handler delays the other handlers of its store.
///
/// ```swift
/// let subscription = store.subscribe(
///     with: QueryEventHandler { state, context in
///         show(state.value)
///     }
/// )
/// ```
public struct QueryEventHandler<State: QueryStateProtocol>: Sendable {
    /// The state changed. Also called once at the start, with the current state.
    public typealias StateChange = @Sendable (State, QueryContext) -> Void

    /// A run began or ended.
    public typealias FetchingChange = @Sendable (QueryContext) -> Void

    /// A run has ended with a result, or a result was written.
    public typealias ResultReceipt = @Sendable (Result<State.QueryValue, any Error>, QueryContext) -> Void

    let onStateChanged: StateChange?
    let onFetchingStarted: FetchingChange?
    let onFetchingEnded: FetchingChange?
    let onResultReceived: ResultReceipt?

    /// Creates a handler; a single trailing closure is `onStateChanged`.
    public init(
        onStateChanged: StateChange? = nil,
        onFetchingStarted: FetchingChange? = nil,
        onFetchingEnded: FetchingChange? = nil,
        onResultReceived: ResultReceipt? = nil
    ) {
        self.onStateChanged = onStateChanged
        self.onFetchingStarted = onFetchingStarted
        self.onFetchingEnded = onFetchingEnded
        self.onResultReceived = onResultReceived
    }
}
