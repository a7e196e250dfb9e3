import QueryKit

/// Fetches the next batch of an import, unless the importing task was cancelled.
///
/// Each batch can be fetched only once, so a write that is repeated must not continue with the remaining ones.
package struct ImportPull<Element: Sendable>: Sendable {
    private let cancellation: WriteCancellation
    private let next: @Sendable () throws -> [Element]?
    private let hasBegun = Lock(false)

    /// Call this before the first batch. Throws on the second call: a repair has then undone the write, and its batches are used up.
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

    /// Throws if the import was cancelled.
    package func check() throws { try cancellation.check() }

    /// Runs an import, which is undone if its task is cancelled.
    package static func run<Result: Sendable>(
        _ next: @escaping @Sendable () throws -> [Element]?,
        _ body: (ImportPull) async throws -> Result
    ) async throws -> Result {
        try await WriteCancellation.run { try await body(ImportPull(cancellation: $0, next: next)) }
    }
}
