/// The value of a request as a property of a view model, a reducer's state, or any other type, usable on any thread.
///
/// ```swift
/// @MainActor @Observable final class DayModel {
///     @ObservationIgnored
///     @SharedQuery(EntriesOfDay(day: .today)) var entries
///
///     var total: Int {
///         (entries ?? []).reduce(0) { $0 + $1.kilocalories }
///     }
///     var showsProgress: Bool { $entries.isLoading }
/// }
/// ```
///
/// The property reports its changes to Observation, so a view that shows `total` is updated when the entries change. Add
/// `@ObservationIgnored`, because the `@Observable` macro can't track a property with a wrapper. Observers are called on the main actor,
/// once for many changes. To receive the changes in other code, iterate over the ``QueryStore/states`` of the ``store``.
///
/// Creating a shared query starts nothing. The first read of its value or state subscribes, and the subscription lasts until the last copy
/// is released. On the main thread you read the same state that every ``QueryMirror`` of the request shows. This state changes in three
/// cases only: between two turns of the main actor (a turn is one job that the main actor executes), when you write or fetch through a
/// shared query or a mirror, and when the session ends. On other threads you read the current state of the store.
///
/// If an object has its own client, conform it to ``QueryModel``. Two shared queries are equal if their requests are equal and they have
/// the same client, so a new value does not change a reducer's state. To react to values, use Observation or the store.
///
/// If the request is known only in `init`, name the type of its state: `@SharedQuery<Trips.State> var trips: [Trip]?`, and then
/// `_trips = SharedQuery(Trips(of: person))`.
@propertyWrapper
@dynamicMemberLookup
public struct SharedQuery<State: SharedQueryParameter>: Sendable {
    private var source: SharedSource<State.State>

    /// The value to show.
    public var wrappedValue: State.State.StateValue { source.state.value }

    /// The query itself: its state, errors and flags, its store, `fetch` and `show`.
    public var projectedValue: SharedQuery {
        get { self }
        set { replace(source, with: newValue) }
    }

    /// The value, for a property of an object; see ``QueryModel``. Called by Swift.
    public static subscript<Model: AnyObject, Wrapped>(
        _enclosingInstance model: Model,
        wrapped wrapped: KeyPath<Model, Wrapped>,
        storage storage: ReferenceWritableKeyPath<Model, SharedQuery>
    ) -> State.State.StateValue { model[keyPath: storage].bound(to: model).wrappedValue }

    /// The projection, for a property of an object; see ``QueryModel``. Called by Swift.
    public static subscript<Model: AnyObject>(
        _enclosingInstance model: Model,
        projected projected: KeyPath<Model, SharedQuery>,
        storage storage: ReferenceWritableKeyPath<Model, SharedQuery>
    ) -> SharedQuery {
        get { model[keyPath: storage].bound(to: model) }
        set { model[keyPath: storage].projectedValue = newValue }
    }

    private func bound(to object: AnyObject) -> SharedQuery {
        source.bind(to: object)
        return self
    }

    private mutating func replace(_ old: SharedSource<State.State>, with new: SharedQuery) {
        self = new
        // Make readers of the old source read again.
        if old !== new.source { old.announceLater() }
    }
}

extension SharedQuery where State: QueryStateProtocol {
    /// Creates a shared query.
    ///
    /// - Parameters:
    ///   - request: The request to show.
    ///   - client: The client that owns the store. Default: the client of the ``QueryModel`` that has the property; otherwise the client
    ///     that `QueryClient.with` has set for the task, or ``QueryClient/shared``, determined when it is first needed.
    public init<Request: QueryRequest>(
        _ request: Request,
        client: QueryClient? = nil
    ) where Request.State == State, State.StateValue: ExpressibleByNilLiteral {
        source = SharedSource(request.identity, client: client) { $0.store(for: request).adapted(to: State.self) }
    }

    /// Creates a shared query that shows a default while there is no value, so that its value is not optional.
    ///
    /// ```swift
    /// @ObservationIgnored
    /// @SharedQuery(Preference(.amoled), default: false) var amoled
    /// ```
    ///
    /// Only the property has the default: the store has no value until the first result, as `$amoled.status` shows.
    public init<Request: QueryRequest>(
        _ request: Request,
        default value: Request.Value,
        client: QueryClient? = nil
    ) where State == DefaultedState<Request.State>, Request.State.StateValue: ExpressibleByNilLiteral {
        source = SharedSource(request.identity, client: client, default: value) { $0.store(for: request) }
    }

    /// Creates a shared query that shows an initial value until the first result; see ``QueryClient/store(for:initialValue:)``.
    public init<Request: QueryRequest>(
        wrappedValue initialValue: State.StateValue,
        _ request: Request,
        client: QueryClient? = nil
    ) where Request.State == State {
        source = SharedSource(request.identity, client: client) {
            $0.store(for: request, initialValue: initialValue).adapted(to: State.self)
        }
    }

    private init(_ source: SharedSource<State>) { self.source = source }

    /// The state to show.
    ///
    /// On the main thread, the state changes in three cases only: between two turns of the main actor (a turn is one job that the main
    /// actor executes), when you write or fetch through a property or a mirror, and when the session ends. On other threads, this is the
    /// current state of the store.
    public var state: State { source.state }

    /// A member of the state, such as `$entries.isLoading` or `$entries.error`.
    public subscript<Member>(dynamicMember keyPath: KeyPath<State, Member>) -> Member { source.state[keyPath: keyPath] }

    /// The store. Use it to subscribe, and for everything that the shared query does not offer. Reading it does not subscribe.
    public var store: QueryStore<State.StoreState> { source.store }

    /// The client that owns the store.
    public var client: QueryClient { source.client }

    // MARK: Fetching

    /// Runs the request, or joins the run under way, and shows the result; see ``QueryStore/fetch(using:handler:)``.
    @discardableResult
    public func fetch() async throws -> State.QueryValue {
        defer { source.catchUp() }
        return try await store.fetch()
    }

    /// Refetches the request, fresh or not, without waiting for it; see ``QueryStore/refetch()``.
    @discardableResult
    public func refetch() -> QueryRefetches {
        defer { source.catchUp() }
        return store.refetch()
    }

    /// Marks the value as out of date, and refetches it if it has observers; see ``QueryStore/invalidate()``.
    @discardableResult
    public func invalidate() -> QueryRefetches {
        defer { source.catchUp() }
        return store.invalidate()
    }

    // MARK: Writing

    /// Writes a value, and shows it immediately; see ``QueryStore/setValue(_:)``.
    public func setValue(_ value: State.QueryValue) {
        store.setValue(value)
        source.catchUp()
    }

    /// Changes the value, if there is one, and shows it immediately; see ``QueryStore/updateValue(_:)``.
    @discardableResult
    public func updateValue(_ change: (inout State.QueryValue) throws -> Void) rethrows -> Bool {
        defer { source.catchUp() }
        return try store.updateValue(change)
    }

    /// Calls a mutation on the client of this query, and waits for its result. Its layers show immediately; see
    /// ``QueryStore/mutate(with:using:)``.
    @discardableResult
    public func mutate<Arguments: Sendable, Value: Sendable>(
        _ mutation: some QueryRequest<Value, MutationState<Arguments, Value>>,
        with arguments: Arguments
    ) async throws -> Value {
        defer { source.catchUp() }
        return try await client.store(for: mutation).mutate(with: arguments) { source.catchUp() }
    }

    /// Writes a value with a mutation, without waiting for it. The layers of the mutation show immediately.
    ///
    /// Calls made this way run one after the other. A new call replaces a call that still waits, so while the user moves a slider, only the
    /// newest value waits for the call under way. A replaced call ends with a `CancellationError`.
    ///
    /// - Returns: The call. If it fails, the state of the mutation has the error, too.
    @discardableResult
    public func setValue<Value: Sendable>(
        _ value: State.QueryValue,
        via mutation: some QueryRequest<Value, MutationState<State.QueryValue, Value>>
    ) throws -> MutationCall<State.QueryValue, Value> {
        defer { source.catchUp() }
        return try client.submitNewest(mutation, with: value)
    }

    /// Like ``setValue(_:via:)``, for a binding, which can't throw.
    func write<Value: Sendable>(
        _ value: State.QueryValue,
        via mutation: some QueryRequest<Value, MutationState<State.QueryValue, Value>>
    ) {
        client.writeNewest(value, via: mutation)
        source.catchUp()
    }

    // MARK: Switching requests

    /// Shows another request of the same client from now on: `$entries.show(EntriesOfDay(day: tomorrow))`. Other copies of the property
    /// keep the old request.
    ///
    /// With ``QueryRequest/keepingPrevious()``, the first state has the previously shown value as a placeholder.
    public mutating func show<Request: QueryRequest>(
        _ request: Request
    ) where Request.State == State, State.StateValue: ExpressibleByNilLiteral {
        replace(source, with: SharedQuery(source.showing(request.identity) { $0.store(for: request).adapted(to: State.self) }))
    }

    /// Shows another request of the same client from now on, with the same default.
    public mutating func show<Request: QueryRequest>(
        _ request: Request
    ) where State == DefaultedState<Request.State>, Request.State.StateValue: ExpressibleByNilLiteral {
        replace(source, with: SharedQuery(source.showing(request.identity) { $0.store(for: request) }))
    }
}

extension SharedQuery where State: QueryStateProtocol, State.QueryValue: QueryPagesProtocol {
    /// Fetches the page after the last; see ``QueryStore/fetchNextPage()``.
    @discardableResult
    public func fetchNextPage() async throws -> State.QueryValue {
        defer { source.catchUp() }
        return try await store.fetchNextPage()
    }

    /// Fetches the page before the first; see ``QueryStore/fetchPreviousPage()``.
    @discardableResult
    public func fetchPreviousPage() async throws -> State.QueryValue {
        defer { source.catchUp() }
        return try await store.fetchPreviousPage()
    }
}

extension SharedQuery: CustomStringConvertible, CustomReflectable {
    /// The path and the status, such as `preferences/amoled (loaded)`, without the value. Reading it neither fetches nor subscribes.
    public var description: String { source.description }

    /// Shows only the description, so that a printed state stays readable and contains no value.
    public var customMirror: Mirror { Mirror(reflecting: description) }
}

extension SharedQuery: Hashable {
    public static func == (left: SharedQuery, right: SharedQuery) -> Bool {
        if left.source === right.source { return true }
        return left.source.identity == right.source.identity && left.source.hasClient(of: right.source)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(source.identity) }
}

/// The initializers that the compiler finds for `@SharedQuery<Trips>`, where `Trips` is a request. Their message says what to write.
extension SharedQuery where State: QueryRequest {
    /// Not available: write `@SharedQuery<Trips.State>` instead of `@SharedQuery<Trips>`.
    @available(*, unavailable, message: "Name the state of the request: write @SharedQuery<Trips.State> instead of @SharedQuery<Trips>")
    public init(_ request: some QueryRequest, client: QueryClient? = nil) { preconditionFailure("SharedQuery<\(State.self)>") }

    /// Not available: write `@SharedQuery<DefaultedState<Trips.State>>` instead of `@SharedQuery<Trips>`.
    @available(
        *,
        unavailable,
        message: "Name the state of the property: write @SharedQuery<DefaultedState<Trips.State>> instead of @SharedQuery<Trips>"
    )
    public init<Value>(_ request: some QueryRequest, default value: Value, client: QueryClient? = nil) {
        preconditionFailure("SharedQuery<\(State.self)>")
    }
}
