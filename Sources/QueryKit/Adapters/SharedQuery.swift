/// The value of a request as a property: of a view model, a reducer's state, or anything else, on any thread.
///
/// ```swift
/// @MainActor @Observable final class DayModel {
///     @ObservationIgnored @SharedQuery(EntriesOfDay(day: .today)) var entries
///
///     var total: Int { (entries ?? []).reduce(0) { $0 + $1.kilocalories } }
///     var showsProgress: Bool { $entries.isLoading }
/// }
/// ```
///
/// Reading it is observed, so a view that shows `total` is redrawn when the entries change; the macro's own tracking must be off for the
/// property, which `@ObservationIgnored` says. Observers hear on the main actor, once for many changes. To follow the changes elsewhere, iterate
/// over the ``QueryStore/states`` of its ``store``.
///
/// Making one costs nothing and starts nothing. The first reading of value or state subscribes, and the subscription lives as long as the last
/// copy. On the main thread you read the state of this turn of the main actor, the same as every ``QueryMirror`` of the request shows: it changes
/// between two turns, or when you write or fetch through a shared query or a mirror. On other threads you read the store's state of the moment.
///
/// Two are equal if they are of equal requests and of the same client: a reducer's state does not differ because a value came. Those who watch the
/// value use Observation, or a store.
@propertyWrapper
@dynamicMemberLookup
public struct SharedQuery<State: QueryStateProtocol>: Sendable {
    private var source: SharedSource<State>

    /// Creates a shared query.
    ///
    /// - Parameters:
    ///   - request: What to show.
    ///   - client: The client that owns the store. Default: the client that `QueryClient.with` has set for the task, else
    ///     ``QueryClient/shared``, read when it is first needed.
    public init<Request: QueryRequest>(
        _ request: Request,
        client: QueryClient? = nil
    ) where Request.State == State, State.StateValue: ExpressibleByNilLiteral {
        source = SharedSource(request.identity, client: client) { $0.store(for: request) }
    }

    /// Creates a shared query that shows a value of its own until the first result; see ``QueryClient/store(for:initialValue:)``.
    public init<Request: QueryRequest>(
        wrappedValue initialValue: State.StateValue,
        _ request: Request,
        client: QueryClient? = nil
    ) where Request.State == State {
        source = SharedSource(request.identity, client: client) { $0.store(for: request, initialValue: initialValue) }
    }

    /// The value to show.
    public var wrappedValue: State.StateValue { source.state.value }

    /// The query itself: its state, errors and flags, its store, `fetch` and `show`.
    public var projectedValue: SharedQuery {
        get { self }
        set { replace(source, with: newValue) }
    }

    /// The state to show: on the main thread that of this turn of the main actor, elsewhere that of the store at this moment.
    public var state: State { source.state }

    /// A member of the state, such as `$entries.isLoading` or `$entries.error`.
    public subscript<Member>(dynamicMember keyPath: KeyPath<State, Member>) -> Member { source.state[keyPath: keyPath] }

    /// The store, to write, to invalidate, or to subscribe. Reading it subscribes nothing.
    public var store: QueryStore<State> { source.store }

    /// Runs the request, or joins the run under way, and shows the result; see ``QueryStore/fetch(using:handler:)``.
    @discardableResult
    public func fetch() async throws -> State.QueryValue {
        defer { source.catchUp() }
        return try await store.fetch()
    }

    /// Writes a value, and shows it at once; see ``QueryStore/setValue(_:)``.
    public func setValue(_ value: State.QueryValue) {
        store.setValue(value)
        source.catchUp()
    }

    /// Changes the value, if there is one, and shows it at once; see ``QueryStore/updateValue(_:)``.
    @discardableResult
    public func updateValue(_ change: (inout State.QueryValue) throws -> Void) rethrows -> Bool {
        defer { source.catchUp() }
        return try store.updateValue(change)
    }

    /// Shows another request of the same client from now on, as in `$entries.show(EntriesOfDay(day: tomorrow))`. Other copies stay as they are.
    ///
    /// With ``QueryRequest/keepingPrevious()`` its first state has the value that was shown before, as a placeholder.
    public mutating func show<Request: QueryRequest>(
        _ request: Request
    ) where Request.State == State, State.StateValue: ExpressibleByNilLiteral {
        replace(source, with: SharedQuery(request, client: source.client))
    }

    private mutating func replace(_ old: SharedSource<State>, with new: SharedQuery) {
        self = new
        // Who has read the old one reads again.
        if old !== new.source { old.announceLater() }
    }
}

extension SharedQuery: Hashable {
    public static func == (left: SharedQuery, right: SharedQuery) -> Bool {
        if left.source === right.source { return true }
        return left.source.identity == right.source.identity && left.source.client === right.source.client
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(source.identity) }
}
