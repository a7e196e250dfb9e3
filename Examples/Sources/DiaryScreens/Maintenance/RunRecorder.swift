package import QueryKit

/// Records the runs of a client until you call ``stop()``.
package struct RunRecorder: Sendable {
    private struct Sink: QueryEventSink {
        let continuation: AsyncStream<QueryEvent>.Continuation

        func receive(_ event: QueryEvent) { continuation.yield(event) }
    }

    private let events: AsyncStream<QueryEvent>
    private let continuation: AsyncStream<QueryEvent>.Continuation
    private let subscription: QuerySubscription

    package init(_ client: QueryClient) {
        (events, continuation) = AsyncStream.makeStream(of: QueryEvent.self)
        subscription = client.attach(Sink(continuation: continuation))
    }

    /// Stops recording, and returns the runs that ended, in order.
    package func stop() async -> [QueryEvent] {
        subscription.cancel()
        continuation.finish()
        var runs: [QueryEvent] = []
        for await event in events where [.runSucceeded, .runFailed, .runCancelled].contains(event.kind) { runs.append(event) }
        return runs
    }
}
