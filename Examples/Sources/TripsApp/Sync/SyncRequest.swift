package import QueryKit

extension QueryDependencies {
    package var sync: QueryDependency<TripSync> { .required() }
}

/// Synchronizes with the server while it is observed. Its value reports what was exchanged.
///
/// The request reads which local changes were not sent, so each commit with a local change, also one of another process, starts it. Its own
/// commits don't. Polling, becoming active and reconnecting look for changes on the server.
package struct SyncTrips: QueryRequest {
    package var path: QueryPath { "trips/sync" }

    package init() {}

    package func setup(context: inout QueryContext) {
        context.ttl = .zero  // the server may have changes at any time
        context.retry = QueryRetry(limit: 8, backoff: .exponential())
    }

    package func fetch(in context: QueryContext, with continuation: QueryContinuation<SyncReport>) async throws -> SyncReport {
        // Its reads wait behind those of the screens, even while a task of higher priority waits for it.
        try await withThrowingTaskGroup { group in
            group.addTask(priority: .background) { try await context.sync { continuation.yield($0) } }
            guard let report = try await group.next() else { throw CancellationError() }
            return report
        }
    }
}
