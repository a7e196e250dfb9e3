import QueryKit

/// Lets a write that is under way detect that its task was cancelled.
///
/// A write runs to its end once it has begun. To undo it, the write itself has to check for cancellation and throw.
package final class WriteCancellation: Sendable {
    private let isCancelled = Lock(false)

    @Sendable package func check() throws {
        if isCancelled.withLock(\.self) { throw CancellationError() }
    }

    /// Runs a write that can check for the cancellation of its task.
    package static func run<Result: Sendable>(_ body: (WriteCancellation) async throws -> Result) async throws -> Result {
        let cancellation = WriteCancellation()
        return try await withTaskCancellationHandler {
            try await body(cancellation)
        } onCancel: {
            cancellation.isCancelled.withLock { $0 = true }
        }
    }
}
