public import QueryKit

/// Changes an entry. The change shows at once in the entries and totals of today and of the affected days, and in other lists after the
/// commit.
///
/// Changes only what differs from the entry as it was shown, so changes by other processes in between are kept; see
/// ``FoodEntryRepository/update(_:to:)``.
///
/// A provisional entry has no key yet, so the call is refused.
public struct EditEntry: DurableMutationRequest {
    public static let journalName = "EditEntry"

    /// The entry as shown, and its new contents.
    public struct Arguments: Hashable, Codable, Sendable {
        /// The entry as it was shown.
        public let entry: FoodEntry

        /// The new contents.
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
