import QueryKit

/// Asks an import for its next batch, unless the task that wanted it was cancelled.
///
/// Each batch comes only once, so a write that begins again must not go on with the rest.
package struct ImportPull<Element: Sendable>: Sendable {
    private let cancellation: WriteCancellation
    private let next: @Sendable () throws -> [Element]?
    private let hasBegun = Lock(false)

    /// Call this before the first batch. Throws the second time: then a repair has undone the write, and its batches are gone.
    package func begin() throws {
        let isAgain = hasBegun.withLock { hasBegun in
            defer { hasBegun = true }
            return hasBegun
        }
        if isAgain {
            throw FoodDiaryError(.file, "The diary was repaired during the import, and nothing was imported. Import again.")
        }
    }

    package func callAsFunction() throws -> [Element]? {
        try check()
        let batch = try next()
        try check()
        return batch
    }

    /// Throws if nobody waits for the import any more.
    package func check() throws { try cancellation.check() }

    /// Carries an import out, which is undone when its task is cancelled.
    package static func run<Result: Sendable>(
        _ next: @escaping @Sendable () throws -> [Element]?,
        _ body: (ImportPull) async throws -> Result
    ) async throws -> Result {
        try await WriteCancellation.run { try await body(ImportPull(cancellation: $0, next: next)) }
    }
}
