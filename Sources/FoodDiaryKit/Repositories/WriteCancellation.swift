import QueryKit

/// Tells a write that its task was cancelled.
///
/// A write goes on to its end once it has begun, so it has to be told from within: throwing undoes all of it.
package final class WriteCancellation: Sendable {
    private let isCancelled = Lock(false)

    @Sendable package func check() throws {
        if isCancelled.withLock(\.self) { throw CancellationError() }
    }

    /// Carries out what is to be undone when its task is cancelled.
    package static func run<Result: Sendable>(_ body: (WriteCancellation) async throws -> Result) async throws -> Result {
        let cancellation = WriteCancellation()
        return try await withTaskCancellationHandler {
            try await body(cancellation)
        } onCancel: {
            cancellation.isCancelled.withLock { $0 = true }
        }
    }
}
