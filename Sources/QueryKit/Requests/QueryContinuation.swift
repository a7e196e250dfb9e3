/// Takes the intermediate values of a fetch that goes on.
///
/// ```swift
/// func fetch(in context: QueryContext, with continuation: QueryContinuation<[Entry]>) async throws -> [Entry] {
///     continuation.yield(try await disk.entries())
///     return try await server.entries()
/// }
/// ```
public struct QueryContinuation<Value: Sendable>: Sendable {
    private let onYield: @Sendable (Value) -> Void

    /// Creates a continuation that hands what it is given to a closure: enough to test a request by itself.
    public init(onYield: @escaping @Sendable (Value) -> Void) { self.onYield = onYield }

    /// Publishes a value while the run goes on.
    ///
    /// After the run has ended, was cancelled, or was overtaken by a write, the value is dropped and reported as an event.
    public func yield(_ value: Value) { onYield(value) }
}
