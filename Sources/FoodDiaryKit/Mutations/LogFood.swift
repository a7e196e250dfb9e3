public import QueryKit

/// Logs what somebody has eaten. It shows at once in today, its day, and their totals, and in other lists with the commit.
///
/// It is written once however often the call is made again, also after a relaunch: see `QueryClient.resumeMutations(of:)`.
///
/// ```swift
/// let draft = FoodEntry.Draft(rice, grams: 150, at: FoodMoment(.now, in: .current))
/// let entry = try await client.mutate(LogFood(), with: draft)
/// ```
public struct LogFood: DurableMutationRequest {
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
    /// An entry that is shown until the diary has given it a key.
    init(provisional draft: Draft) {
        let ingredientID: Ingredient.ID? = if case .ingredient(let id) = draft.food { id } else { nil }
        self.init(id: ID(rawValue: -.random(in: 1...(.max))), draft, ingredientID: ingredientID)
    }

    /// Whether the entry is shown before it was written: it has no key of the diary yet.
    public var isProvisional: Bool { id.rawValue < 0 }

    /// Refuses to change what was not written yet.
    func checkHasKey() throws {
        guard isProvisional else { return }
        throw FoodDiaryError(.notFound, "\(name) is being logged just now; it can be changed when that is done.")
    }
}
