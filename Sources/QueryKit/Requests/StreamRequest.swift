/// A request whose values come by themselves, one after the other: from a database that is observed, a socket, a sensor.
///
/// ```swift
/// struct Steps: StreamRequest {
///     func stream(in context: QueryContext) async throws -> AsyncStream<Int> { context[Pedometer.self].steps() }
/// }
/// ```
///
/// The stream is opened when somebody looks, and closed when nobody does. Each element is a result: `isFetching` says that the first one is
/// still awaited, `isLive` that the stream goes on. `fetch` returns the latest element. When the stream throws, it is opened again after
/// growing delays, for ever unless `retry(limit:backoff:when:)` says otherwise; when it ends, its last element stays and ages. An invalidation
/// opens it anew.
public protocol StreamRequest<Value>: QueryRequest {
    /// What the stream brings.
    associatedtype Value

    /// The sequence of values.
    associatedtype Values: AsyncSequence where Values.Element == Value

    /// Opens the stream.
    @concurrent
    func stream(in context: QueryContext) async throws -> Values
}

extension StreamRequest {
    public func fetch(in context: QueryContext, with continuation: QueryContinuation<Value>) async throws -> Value {
        var last: Value?
        do {
            for try await value in try await stream(in: context) {
                try Task.checkCancellation()
                continuation.yield(value, .live)
                last = value
            }
        } catch {
            throw StreamInterruption(error: error)
        }
        try Task.checkCancellation()
        guard let last else { throw QueryError(.noValue, path: path) }
        return last
    }
}

/// A stream threw: the run takes it up again where a fetch would have failed.
struct StreamInterruption: Error {
    let error: any Error
}
