/// Describes what to fetch and how. The request is its own key.
///
/// Equal requests share one ``QueryStore``, one run and one state. Requests of different types never share them, even if their paths are
/// equal. Usually a request calls a use case that it takes from the context.
///
/// ```swift
/// struct Entries: QueryRequest {
///     let day: Day
///     func fetch(
///         in context: QueryContext,
///         with continuation: QueryContinuation<[Entry]>
///     ) async throws -> [Entry] {
///         try await context[ListEntries.self].entries(on: day)
///     }
/// }
/// ```
///
/// `==`, `hash(into:)` and ``path`` must depend only on the request's value: QueryKit calls them to look up the request.
public protocol QueryRequest<Value, State>: Hashable, SharedQueryParameter where State.QueryValue == Value {
    /// What a fetch returns.
    associatedtype Value: Sendable

    /// The state that observers see. Default: ``QueryState`` of an optional value. For a state whose value is never `nil`, pass an initial
    /// value to the client: see ``QueryClient/store(for:initialValue:)``.
    associatedtype State: QueryStateProtocol = QueryState<Value?, Value>

    /// The position of the request in the hierarchy that patterns match. The elements that you name are shown in events, logs, snapshots
    /// and inspectors, so name no secrets. Default: the name of the type inside its module, such as `Trips.List`, then the request itself,
    /// which is shown as a hash.
    var path: QueryPath { get }

    /// The name of the request type in caches and archives, which tells its values from those of other types. Default: the whole name of
    /// the type, with its module: `App.Trips.List`.
    ///
    /// Before you rename or move the type, declare its former name, so that its values are still found. Declare the ``path``, too, because
    /// the default path contains the name of the type. No other request type may have the name; in a generic type, make the names of the
    /// arguments a part of it. If a client has stored values of one type under a name, it refuses other types with this name.
    ///
    /// ```swift
    /// extension Trips {
    ///     struct Overview: QueryRequest {
    ///         static let storedName = "App.Trips.List"
    ///         var path: QueryPath { "trips" }
    ///     }
    /// }
    /// ```
    ///
    /// The whole name of a private or local type differs in each launch. If such a type declares no name, a persisted or archived request
    /// is refused. A refusal is a ``QueryError`` with the code `invalidParameters`.
    static var storedName: String { get }

    /// What identifies the request. Default: its type and value.
    ///
    /// Implement it only in a request that wraps another one: return the identity of the wrapped request, so that both share a store.
    var identity: QueryIdentity { get }

    /// Adjusts the context of all runs of this request, such as `context.ttl`. Default: nothing.
    func setup(context: inout QueryContext)

    /// Throws if the request is invalid, so that it is refused before any work. Default: does nothing.
    ///
    /// Called at the start of each run. Preferably throw a ``QueryError`` with the code `invalidParameters`.
    func validate(in context: QueryContext) throws

    /// What the value depends on besides the request, such as the current day for a request for today's entries. Default: `nil`, nothing.
    ///
    /// `persisted` and `archived` make it part of the value's key, so a value of one day isn't shown on another day. Return the same text
    /// as long as a value remains valid. QueryKit calls this method before and after each fetch, and doesn't store the value if the two
    /// results differ.
    ///
    /// ```swift
    /// struct Today: QueryRequest {
    ///     func cacheVariant(in context: QueryContext) -> String? {
    ///         let now = context.clock.date
    ///         let start = context.calendar.startOfDay(for: now)
    ///         return "\(start.timeIntervalSince1970)"
    ///     }
    /// }
    /// ```
    ///
    /// The result affects only persisted and archived values. When the day changes, invalidate the value in the store with
    /// ``QueryClient/invalidate(_:on:)``.
    func cacheVariant(in context: QueryContext) -> String?

    /// Fetches the value. A long fetch may yield intermediate values to the continuation.
    ///
    /// Runs off the main actor, once for all callers. By default, it is cancelled when the last caller and the last observer have left.
    ///
    /// The caller's task-local values are not available here, because one fetch serves many callers. Pass values through the context:
    /// declare a ``QueryContext/Key``, and set it in the context of the client, in ``setup(context:)``, or for a single call in the context
    /// that you pass to ``QueryStore/fetch(using:handler:)``.
    @concurrent
    func fetch(in context: QueryContext, with continuation: QueryContinuation<Value>) async throws -> Value
}

extension QueryRequest {
    public var path: QueryPath { QueryPath(elements: [TypeName(Self.self).element, QueryPath.Element(whole: self)]) }

    public static var storedName: String { TypeName(Self.self).whole }

    public var identity: QueryIdentity { QueryIdentity(self) }

    public func setup(context: inout QueryContext) {}

    public func validate(in context: QueryContext) throws {}

    public func cacheVariant(in context: QueryContext) -> String? { nil }
}
