import Foundation

/// Takes the intermediate values of a fetch that goes on.
///
/// ```swift
/// func fetch(in context: QueryContext, with continuation: QueryContinuation<[Entry]>) async throws -> [Entry] {
///     continuation.yield(try await disk.entries())
///     return try await server.entries()
/// }
/// ```
public struct QueryContinuation<Value: Sendable>: Sendable {
    /// What a value is that comes before the end of a fetch.
    enum Kind: Sendable {
        /// A first part, or a guess.
        case partial
        /// A result from before, with its date.
        case stored(Date)
        /// A result, and the next one may follow.
        case live
    }

    let onYield: @Sendable (Value, Kind) -> Void

    /// Creates a continuation that hands what it is given to a closure: enough to test a request by itself.
    public init(onYield: @escaping @Sendable (Value) -> Void) { self.init { value, _ in onYield(value) } }

    init(onYield: @escaping @Sendable (Value, Kind) -> Void) { self.onYield = onYield }

    /// Publishes a value while the run goes on.
    ///
    /// After the run has ended, was cancelled, or was overtaken by a write, the value is dropped and reported as an event.
    public func yield(_ value: Value) { onYield(value, .partial) }
}
