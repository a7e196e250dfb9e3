public import QueryKit

/// Adds many ingredients: all or none. An ingredient whose name exists replaces the existing one.
///
/// ```swift
/// let store = client.store(for: ImportIngredients())
/// let outcome = try await client.mutate(
///     ImportIngredients(),
///     with: .init(count: drafts.count) { batches.next() }
/// )
/// ```
public struct ImportIngredients: MutationRequest {
    /// The ingredients to import.
    public struct Arguments: Sendable {
        /// The number of ingredients, if known.
        public let count: Int?

        let next: @Sendable () throws -> [Ingredient.Draft]?

        /// Creates a source that is called for batch after batch until it returns `nil`. If it throws, everything is undone.
        public init(count: Int? = nil, _ next: @escaping @Sendable () throws -> [Ingredient.Draft]?) {
            self.count = count
            self.next = next
        }
    }

    /// The progress of an import.
    public struct Progress: Hashable, Sendable {
        /// The number of ingredients read so far.
        public let readCount: Int

        /// The number of all ingredients, if known.
        public let count: Int?

        /// The outcome; `nil` while the import is running.
        public let outcome: IngredientImport?
    }

    public typealias Value = Progress

    /// Creates the request.
    public init() {}

    public var path: QueryPath { "diary/import" }

    public func mutate(
        with arguments: Arguments,
        in context: QueryContext,
        with continuation: QueryContinuation<Progress>
    ) async throws -> Progress {
        let readCount = Lock(0)
        let outcome = try await context.diary(for: path).ingredients.importIngredients {
            let batch = try arguments.next()
            let count = readCount.withLock { count in
                count += batch?.count ?? 0
                return count
            }
            continuation.yield(Progress(readCount: count, count: arguments.count, outcome: nil))
            return batch
        }
        return Progress(readCount: readCount.withLock(\.self), count: arguments.count, outcome: outcome)
    }
}
