/// Takes the intermediate values of a fetch that goes on.
///
/// ```swift
/// func fetch(in context: QueryContext, with continuation: QueryContinuation<[Entry]>) async throws -> [Entry] {
///     continuation.yield(try await disk.entries())
///     return try await server.entries()
/// }
/// ```
public struct QueryContinuation<Value: Sendable>: Sendable {
    private let taker: any YieldTaker

    /// Creates a continuation that hands what it is given to a closure: enough to test a request by itself.
    public init(onYield: @escaping @Sendable (Value) -> Void) {
        taker = YieldClosure { value, _ in onYield(value.unboxed(as: Value.self)) }
    }

    init(_ taker: any YieldTaker) { self.taker = taker }

    func yield(_ value: Value, _ kind: YieldKind) { taker.take(AnyValue(value), kind) }

    /// Publishes a value while the run goes on.
    ///
    /// After the run has ended, was cancelled, or was overtaken by a write, the value is dropped and reported as an event.
    public func yield(_ value: Value) { yield(value, .partial) }
}

/// What a value is that comes before the end of a fetch.
enum YieldKind: Sendable {
    /// A first part, or a guess.
    case partial
    /// A result, and the next one may follow.
    case live
}

/// Takes what a fetch yields. Without types, so that the continuation of a fetch that yields nothing costs nothing.
protocol YieldTaker: AnyObject, Sendable {
    func take(_ value: AnyValue, _ kind: YieldKind)
}

private final class YieldClosure: YieldTaker {
    private let onYield: @Sendable (AnyValue, YieldKind) -> Void

    init(_ onYield: @escaping @Sendable (AnyValue, YieldKind) -> Void) { self.onYield = onYield }

    func take(_ value: AnyValue, _ kind: YieldKind) { onYield(value, kind) }
}
