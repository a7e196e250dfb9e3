import QueryKit

/// Asks an import for its next batch, unless the task that wanted it was cancelled.
///
/// Each batch comes once, so a write that is begun again has lost those that came before.
package struct ImportPull<Element: Sendable>: Sendable {
    private let cancellation: WriteCancellation
    private let next: @Sendable () throws -> [Element]?
    private let hasBegun = Lock(false)

    /// Throws if batches have been taken before: the write was undone by then, and is carried out again.
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
