import QueryKit

/// Asks an import for its next batch, unless the task that wanted it was cancelled.
///
/// A write goes on to its end once it has begun, so it has to be told from within: throwing undoes all of it.
final class ImportPull<Element: Sendable>: Sendable {
    private let isCancelled = Lock(false)
    private let next: @Sendable () throws -> [Element]?

    init(_ next: @escaping @Sendable () throws -> [Element]?) { self.next = next }

    func callAsFunction() throws -> [Element]? {
        try check()
        let batch = try next()
        try check()
        return batch
    }

    /// Throws if nobody waits for the import any more.
    func check() throws {
        if isCancelled.withLock(\.self) { throw CancellationError() }
    }

    func cancel() { isCancelled.withLock { $0 = true } }

    /// Carries an import out, which is undone when its task is cancelled.
    static func run<Result: Sendable>(
        _ next: @escaping @Sendable () throws -> [Element]?,
        _ body: (ImportPull) async throws -> Result
    ) async throws -> Result {
        let pull = ImportPull(next)
        return try await withTaskCancellationHandler {
            try await body(pull)
        } onCancel: {
            pull.cancel()
        }
    }
}
