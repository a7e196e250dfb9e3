public import QueryKit

/// Changes an entry. It shows at once in today, the days concerned, and their totals, and in other lists with the commit.
///
/// Only what differs from the entry as it is shown is changed: what another process has changed meanwhile stays, see
/// ``FoodEntryRepository/update(_:to:)``.
///
/// One that is provisional has no key yet, so it can not be found: the call is refused.
public struct EditEntry: DurableMutationRequest {
    /// An entry as it is, and what it is to be.
    public struct Arguments: Hashable, Codable, Sendable {
        /// The entry as it is shown.
        public let entry: FoodEntry

        /// What takes its place.
        public let draft: FoodEntry.Draft

        /// Creates the arguments of a call.
        public init(_ entry: FoodEntry, to draft: FoodEntry.Draft) {
            self.entry = entry
            self.draft = draft
        }
    }

    public typealias Value = FoodEntry

    /// Creates the request.
    public init() {}

    public var path: QueryPath { "diary/edit" }
    public var scope: String? { DiaryChange.scope }

    public func mutate(
        with arguments: Arguments,
        in context: QueryContext,
        with continuation: QueryContinuation<FoodEntry>
    ) async throws -> FoodEntry {
        try arguments.entry.checkHasKey()
        return try await context.diary(for: path).entries.update(arguments.entry, to: arguments.draft)
    }

    public func optimistic(with arguments: Arguments, in layers: inout QueryLayers) throws {
        guard !arguments.entry.isProvisional else { return }
        let draft = try arguments.draft.validated()
        let ingredientID: Ingredient.ID? = if case .ingredient(let id) = draft.food { id } else { nil }
        let entry = FoodEntry(id: arguments.entry.id, draft, ingredientID: ingredientID)
        DiaryChange(removing: arguments.entry, adding: entry).show(in: &layers)
    }
}
