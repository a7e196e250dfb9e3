public import QueryKit

/// Logs an entry. It shows at once in the entries and totals of today and of its day, and in other lists after the commit.
///
/// The entry is written once even if the call is repeated, for example after a relaunch: see `QueryClient.resumeMutations(of:)`.
///
/// ```swift
/// let draft = FoodEntry.Draft(
///     rice,
///     grams: 150,
///     at: FoodMoment(.now, in: .current)
/// )
/// let entry = try await client.mutate(LogFood(), with: draft)
/// ```
public struct LogFood: DurableMutationRequest {
    public static let journalName = "LogFood"

    public typealias Arguments = FoodEntry.Draft
    public typealias Value = FoodEntry

    /// Creates the request.
    public init() {}

    public var path: QueryPath { "diary/log" }
    public var scope: String? { DiaryChange.scope }

    public func mutate(
        with draft: FoodEntry.Draft,
        in context: QueryContext,
        with continuation: QueryContinuation<FoodEntry>
    ) async throws -> FoodEntry {
        try await context.diary(for: path).entries.add(draft, key: context.mutationID)
    }

    public func optimistic(with draft: FoodEntry.Draft, in layers: inout QueryLayers) throws {
        let draft = try draft.validated()
        DiaryChange(adding: FoodEntry(provisional: draft)).show(in: &layers)
    }
}

extension FoodEntry {
    /// Creates an entry that is shown until the diary has assigned its key.
    init(provisional draft: Draft) {
        let ingredientID: Ingredient.ID? = if case .ingredient(let id) = draft.food { id } else { nil }
        self.init(id: ID(rawValue: -.random(in: 1...(.max))), draft, ingredientID: ingredientID)
    }

    /// Whether the entry is shown before it is written, so it has no key yet.
    public var isProvisional: Bool { id.rawValue < 0 }

    /// Throws if the entry isn't written yet, because it can't be changed before.
    func checkHasKey() throws {
        guard isProvisional else { return }
        throw FoodDiaryError(.notFound, "\(name) is still being logged. Change it when that is done.")
    }
}
