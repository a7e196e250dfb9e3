/// Asks an import for its next batch, unless the task that wanted it was cancelled.
package struct ImportPull<Element: Sendable>: Sendable {
    private let cancellation: WriteCancellation
    private let next: @Sendable () throws -> [Element]?

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
