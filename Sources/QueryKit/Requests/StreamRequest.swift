/// A request whose source delivers values one after the other: an observed database, a socket, a sensor.
///
/// ```swift
/// struct Steps: StreamRequest {
///     func stream(
///         in context: QueryContext
///     ) async throws -> AsyncStream<Int> {
///         context[Pedometer.self].steps()
///     }
/// }
/// ```
///
/// The stream is open while the request is observed or a caller waits for it. Each element is a result. `isFetching` is `true` until the
/// first element arrives, and `isLive` while the stream is open. `fetch` returns the latest element. If the stream throws, it is reopened
/// with increasing delays, without limit unless `retry(limit:backoff:when:)` sets one. If the stream ends, its last element remains, and
/// becomes stale like any value. An invalidation reopens the stream.
public protocol StreamRequest<Value>: QueryRequest {
    /// The type of the stream's elements.
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

/// Wraps an error that a stream threw, so that the run reopens the stream where the run of another request would fail.
struct StreamInterruption: Error {
    let error: any Error
}
