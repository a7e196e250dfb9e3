/// Publishes intermediate values while a fetch is still running.
///
/// ```swift
/// func fetch(
///     in context: QueryContext,
///     with continuation: QueryContinuation<[Entry]>
/// ) async throws -> [Entry] {
///     continuation.yield(try await disk.entries())
///     return try await server.entries()
/// }
/// ```
public struct QueryContinuation<Value: Sendable>: Sendable {
    private let taker: any YieldTaker

    /// Creates a continuation that passes each yielded value to a closure. Use it to test a request without a client.
    public init(onYield: @escaping @Sendable (Value) -> Void) {
        taker = YieldClosure { value, _ in onYield(value.unboxed(as: Value.self)) }
    }

    init(_ taker: any YieldTaker) { self.taker = taker }

    func yield(_ value: Value, _ kind: YieldKind) { taker.take(AnyValue(value), kind) }

    /// Publishes a value while the run continues.
    ///
    /// If the run has ended, was cancelled or was overtaken by a write, the value is dropped, and an event reports it.
    public func yield(_ value: Value) { yield(value, .partial) }
}

/// The meaning of a value that is yielded before the fetch ends.
enum YieldKind: Sendable {
    /// An incomplete or preliminary value.
    case partial
    /// A complete result of a stream; another result may follow.
    case live
}

/// Receives the values that a fetch yields. It is not generic, so that the continuation of a fetch that yields nothing costs nothing.
protocol YieldTaker: AnyObject, Sendable {
    func take(_ value: AnyValue, _ kind: YieldKind)
}

private final class YieldClosure: YieldTaker {
    private let onYield: @Sendable (AnyValue, YieldKind) -> Void

    init(_ onYield: @escaping @Sendable (AnyValue, YieldKind) -> Void) { self.onYield = onYield }

    func take(_ value: AnyValue, _ kind: YieldKind) { onYield(value, kind) }
}
