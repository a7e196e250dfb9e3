public import QueryKit

/// Adds many ingredients, all or none. One of a known name takes the place of what is there.
///
/// ```swift
/// let store = client.store(for: ImportIngredients())
/// let outcome = try await client.mutate(ImportIngredients(), with: .init(count: drafts.count) { batches.next() })
/// ```
public struct ImportIngredients: MutationRequest {
    /// Where the ingredients come from.
    public struct Arguments: Sendable {
        /// How many are to come, as far as that is known.
        public let count: Int?

        let next: @Sendable () throws -> [Ingredient.Draft]?

        /// A source that is asked for batch after batch until it answers `nil`. What it throws undoes everything.
        public init(count: Int? = nil, _ next: @escaping @Sendable () throws -> [Ingredient.Draft]?) {
            self.count = count
            self.next = next
        }
    }

    /// How far an import is.
    public struct Progress: Hashable, Sendable {
        /// How many were read so far.
        public let readCount: Int

        /// How many there are, as far as that is known.
        public let count: Int?

        /// What it came to; `nil` while it goes on.
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
