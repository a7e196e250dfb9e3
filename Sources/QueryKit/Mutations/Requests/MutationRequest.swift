public import Foundation

/// A request that changes something. Its `mutate` method corresponds to the `fetch` method of a query.
///
/// Each call has its own run and arguments, and appears in the ``MutationState/history`` of the request's store. Calls are not retried
/// unless the request sets a retry limit. Without a network they behave like other runs: by default the first attempt is made, and if it
/// fails, the call pauses until the network is back, while its layers stay; see ``QueryNetworkMode``.
///
/// ```swift
/// struct LogFood: MutationRequest {
///     func mutate(
///         with food: Food,
///         in context: QueryContext,
///         with continuation: QueryContinuation<Entry>
///     ) async throws -> Entry {
///         try await context[FoodLog.self].add(food)
///     }
///
///     func optimistic(with food: Food, in layers: inout QueryLayers) {
///         layers.update(Entries(day: .today)) { entries in
///             entries.insert(Entry(draft: food), at: 0)
///         }
///     }
///
///     func invalidates(with food: Food, value: Entry) -> [QueryPattern] {
///         ["food/**"]
///     }
/// }
///
/// let entry = try await client.mutate(LogFood(), with: food)
/// ```
public protocol MutationRequest<Arguments, Value>: QueryRequest where State == MutationState<Arguments, Value> {
    /// The arguments of a call.
    associatedtype Arguments: Sendable

    /// What a call returns.
    associatedtype Value

    associatedtype State = MutationState<Arguments, Value>

    /// Calls with the same scope run strictly one after the other, in the order in which they were made, even if their requests differ.
    /// Default: `nil`, and each call runs immediately.
    var scope: String? { get }

    /// Makes the change.
    ///
    /// `context.mutationID` is the same for all attempts of one call, even after a relaunch, so that a server can recognize a repeated
    /// call.
    @concurrent
    func mutate(
        with arguments: Arguments,
        in context: QueryContext,
        with continuation: QueryContinuation<Value>
    ) async throws -> Value

    /// Declares what stores show until the change is made. Default: nothing.
    ///
    /// Called when the mutation is called, before its first attempt. If it throws, the mutation continues without layers, and an event
    /// reports the error.
    func optimistic(with arguments: Arguments, in layers: inout QueryLayers) throws

    /// The requests to invalidate after success. You need not list requests whose data source reports its changes. Default: none.
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
    /// Identifies a call of a mutation. The same for all attempts of one call; `nil` outside of a mutation.
    public var mutationID: UUID? { call?.id }
}
