/// What to fetch, and how: a value that is its own key.
///
/// Equal requests share one ``QueryStore``, one fetch and one state; two request types never do, whatever their paths.
/// Usually a request wraps a use case that it finds in the context.
///
/// ```swift
/// struct Entries: QueryRequest {
///     let day: Day
///     func fetch(in context: QueryContext, with continuation: QueryContinuation<[Entry]>) async throws -> [Entry] {
///         try await context[ListEntries.self].entries(on: day)
///     }
/// }
/// ```
///
/// `==`, `hash(into:)` and ``path`` must depend on nothing but the value: QueryKit calls them while it looks the request up.
public protocol QueryRequest<Value, State>: Hashable, Sendable where State.QueryValue == Value {
    /// What a fetch returns.
    associatedtype Value: Sendable

    /// What observers see; ``QueryState`` of an optional value unless the request says otherwise. For a state that always has something to
    /// show, a client needs to be told what: see ``QueryClient/store(for:initialValue:)``.
    associatedtype State: QueryStateProtocol = QueryState<Value?, Value>

    /// Where the request stands among all others, for patterns. Default: the name of the type, and the request itself.
    var path: QueryPath { get }

    /// What the request is known by. Default: its type and value.
    ///
    /// Only a request that wraps another one answers with the identity of that one, and so shares its store.
    var identity: QueryIdentity { get }

    /// Adjusts the context of all runs of this request, such as `context.ttl`. Default: nothing.
    func setup(context: inout QueryContext)

    /// Throws when the request makes no sense, so that it is refused before any work. Default: nothing.
    ///
    /// Called at the start of each run; a ``QueryError`` with the code `invalidParameters` says best what is wrong.
    func validate(in context: QueryContext) throws

    /// What the value depends on besides the request, such as the day for a request for what happens today. Default: `nil`, nothing.
    ///
    /// `persisted` and `archived` keep it in the key of the value: what was read on one day isn't shown on another one. Return the same text as long
    /// as a value remains right. It is asked before and after each fetch, and a value that was fetched while it changed is not kept.
    ///
    /// ```swift
    /// struct Today: QueryRequest {
    ///     func cacheVariant(in context: QueryContext) -> String? {
    ///         "\(context.calendar.startOfDay(for: context.clock.date).timeIntervalSince1970)"
    ///     }
    /// }
    /// ```
    ///
    /// It concerns what is kept for later, not the store: invalidate that with ``QueryClient/invalidate(_:on:)`` when the day changes.
    func cacheVariant(in context: QueryContext) -> String?

    /// Fetches the value. Long fetches may yield intermediate values to the continuation.
    ///
    /// Runs off the main actor, once for all callers, and is cancelled when the last caller and observer have left.
    ///
    /// The caller's task-local values are not set here, because one fetch serves many callers. Pass values through the context: declare a
    /// ``QueryContext/Key``, and set it in the context of the client, in ``setup(context:)``, or for one call in the context of
    /// ``QueryStore/fetch(using:handler:)``.
    @concurrent
    func fetch(in context: QueryContext, with continuation: QueryContinuation<Value>) async throws -> Value
}

extension QueryRequest {
    public var path: QueryPath { QueryPath(elements: [TypeName.element(of: Self.self), QueryPath.Element(self)]) }

    public var identity: QueryIdentity { QueryIdentity(self) }

    public func setup(context: inout QueryContext) {}

    public func validate(in context: QueryContext) throws {}

    public func cacheVariant(in context: QueryContext) -> String? { nil }
}

/// The names of request types as path elements, each made once: making a name costs microseconds.
private enum TypeName {
    private static let known = Lock<[ObjectIdentifier: QueryPath.Element]>([:])

    static func element<Request>(of type: Request.Type) -> QueryPath.Element {
        known.withLock { known in
            if let element = known[ObjectIdentifier(type)] { return element }
            let element = QueryPath.Element(String(describing: type))
            known[ObjectIdentifier(type)] = element
            return element
        }
    }
}
