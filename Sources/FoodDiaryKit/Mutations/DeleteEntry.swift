public import QueryKit

/// Deletes an entry. It disappears at once from today's list, the list of its day, and their totals, and from other lists after the commit.
///
/// A provisional entry has no key yet, so the call is refused.
public struct DeleteEntry: DurableMutationRequest {
    public static let journalName = "DeleteEntry"

    public typealias Arguments = FoodEntry
    /// Whether the entry existed.
    public typealias Value = Bool

    /// Creates the request.
    public init() {}

    public var path: QueryPath { "diary/delete" }
    public var scope: String? { DiaryChange.scope }

    public func mutate(with entry: FoodEntry, in context: QueryContext, with continuation: QueryContinuation<Bool>) async throws -> Bool {
        try entry.checkHasKey()
        return try await !context.diary(for: path).entries.delete([entry.id]).isEmpty
    }

    public func optimistic(with entry: FoodEntry, in layers: inout QueryLayers) throws {
        if !entry.isProvisional { DiaryChange(removing: entry).show(in: &layers) }
    }
}
