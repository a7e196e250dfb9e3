public import QueryKit

/// Takes an entry out.
public struct DeleteEntry: MutationRequest {
    public typealias Arguments = FoodEntry
    /// Whether the entry was there.
    public typealias Value = Bool

    /// Creates the request.
    public init() {}

    public var path: QueryPath { "diary/delete" }
    public var scope: String? { DiaryChange.scope }

    public func setup(context: inout QueryContext) { context.networkMode = .always }

    public func mutate(with entry: FoodEntry, in context: QueryContext, with continuation: QueryContinuation<Bool>) async throws -> Bool {
        try await !context.diary(for: path).entries.delete([entry.id]).isEmpty
    }

    public func optimistic(with entry: FoodEntry, in layers: inout QueryLayers) throws {
        DiaryChange(removing: entry).show(in: &layers)
    }
}
