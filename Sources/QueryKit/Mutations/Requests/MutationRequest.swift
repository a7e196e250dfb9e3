public import Foundation

/// A request that changes something: what `fetch` is to a query, `mutate` is to it.
///
/// Each call runs by itself, with arguments of its own, and is noted in the ``MutationState/history`` of the request's store. Calls are not
/// retried unless the request says so. Without a network they behave as other runs do: by default the first attempt is made, and a failure pauses the
/// call, with its layers on, until the network is back; see ``QueryNetworkMode``.
///
/// ```swift
/// struct LogFood: MutationRequest {
///     func mutate(with food: Food, in context: QueryContext, with continuation: QueryContinuation<Entry>) async throws -> Entry {
///         try await context[FoodLog.self].add(food)
///     }
///
///     func optimistic(with food: Food, in layers: inout QueryLayers) {
///         layers.update(Entries(day: .today)) { entries in entries.insert(Entry(draft: food), at: 0) }
///     }
///
///     func invalidates(with food: Food, value: Entry) -> [QueryPattern] { ["food/**"] }
/// }
///
/// let entry = try await client.mutate(LogFood(), with: food)
/// ```
public protocol MutationRequest<Arguments, Value>: QueryRequest where State == MutationState<Arguments, Value> {
    /// What a call is about.
    associatedtype Arguments: Sendable

    /// What a call returns.
    associatedtype Value

    associatedtype State = MutationState<Arguments, Value>

    /// Calls with the same scope, of whatever request, run strictly one after the other, in the order in which they were made. Default: `nil`,
    /// and each call runs at once.
    var scope: String? { get }

    /// Makes the change.
    ///
    /// `context.mutationID` is the same for all attempts of one call, also after a relaunch, so that a server can tell a repetition.
    @concurrent
    func mutate(
        with arguments: Arguments,
        in context: QueryContext,
        with continuation: QueryContinuation<Value>
    ) async throws -> Value

    /// Declares what stores show until the change is made. Default: nothing.
    ///
    /// Called when the mutation is, before anything else happens. If it throws, the mutation goes on without layers, and an event says so.
    func optimistic(with arguments: Arguments, in layers: inout QueryLayers) throws

    /// The requests that are out of date after success. Regions that a data source reports need not be listed. Default: none.
    func invalidates(with arguments: Arguments, value: Value) -> [QueryPattern]
}

extension MutationRequest {
    public var scope: String? { nil }

    public func optimistic(with arguments: Arguments, in layers: inout QueryLayers) throws {}

    public func invalidates(with arguments: Arguments, value: Value) -> [QueryPattern] { [] }

    public func fetch(in context: QueryContext, with continuation: QueryContinuation<Value>) async throws -> Value {
        guard let call = context.call, call.type == ObjectIdentifier(Arguments.self) else {
            throw QueryError(.invalidParameters, "A mutation needs arguments: call mutate(with:).", path: path)
        }
        return try await mutate(with: call.arguments.unboxed(as: Arguments.self), in: context, with: continuation)
    }
}

extension QueryContext {
    /// Tells the calls of mutations apart, and stays the same for all attempts of one call; `nil` outside of a mutation.
    public var mutationID: UUID? { call?.id }
}
