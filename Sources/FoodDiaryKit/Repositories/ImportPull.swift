import QueryKit

/// Fetches the next batch of an import, unless the importing task was cancelled.
///
/// Each batch can be fetched only once, so a write that is repeated must not continue with the remaining batches.
package struct ImportPull<Element: Sendable>: Sendable {
    private let cancellation: WriteCancellation
    private let next: @Sendable () throws -> [Element]?
    private let hasBegun = Lock(false)

    /// Call this before the first batch. Throws on the second call: a repair, or another write, has then undone the write, and its batches
    /// are used up.
    ///
    /// - Parameter event: What has undone the write, for the message.
    package func begin(after event: String = "The diary was repaired during the import") throws {
        let isAgain = hasBegun.withLock { hasBegun in
            defer { hasBegun = true }
            return hasBegun
        }
        if isAgain {
            throw FoodDiaryError(.file, "\(event), and nothing was imported. Import again.")
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
