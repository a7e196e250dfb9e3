#if Postgres
import FoodDiaryKit
import QueryKitPostgres

/// Searches for ingredients in a database.
///
/// The finder asks its source one question after the other and can't wait for a database. So it runs again after each question that was
/// answered, with all answers so far, until it has no more questions. It asks the same questions each time, because it depends on nothing
/// else.
final class IngredientSearch: Sendable {
    private let cache = VocabularyCache()
    private let nameWords = NameWords()
    private let bounds: SearchBounds

    init(bounds: SearchBounds = .standard) { self.bounds = bounds }

    /// Returns the ingredients that match the user's input, the likeliest first.
    func search(_ typed: String, category: IngredientCategory?, limit: Int, in db: PostgresReadTransaction) async throws -> [Ingredient] {
        try await found(in: db) { finder in try finder.search(typed, category: category, limit: limit) }
    }

    /// Returns the ingredients that a sentence may mention, the best match of each part first.
    func relevantIngredients(for text: String, limit: Int, in db: PostgresReadTransaction) async throws -> [Ingredient] {
        try await found(in: db) { finder in try finder.relevantIngredients(for: text, limit: limit) }
    }

    private func found(
        in db: PostgresReadTransaction,
        _ find: (IngredientFinder<AnsweredSource>) throws -> [Ingredient.ID]
    ) async throws -> [Ingredient] {
        let source = AnsweredSource(try await cache.terms(in: db))
        let finder = IngredientFinder(source: source, bounds: bounds)
        while true {
            let ids: [Ingredient.ID]?
            do { ids = try find(finder) } catch is AnsweredSource.Unanswered { ids = nil }
            let questions = source.takeQuestions()
            if let ids, questions.isEmpty { return try await rows(ids, in: db) }
            try Task.checkCancellation()
            try await answer(questions, of: source, in: db)
        }
    }

    private func answer(_ questions: [AnsweredSource.Question], of source: AnsweredSource, in db: PostgresReadTransaction) async throws {
        let nameWords = nameWords
        let answers = try await db.map(each: questions.map(\.statement)) { row in
            SearchCandidate(
                id: Ingredient.ID(rawValue: try row[0]),
                usageCount: try row[1],
                category: IngredientCategory(rawValue: try row[2]),
                name: try row[3],
                aliases: try row[4],
                nameWords: nameWords
            )
        }
        for (question, answer) in zip(questions, answers) { source.note(answer, to: question) }
    }

    private func rows(_ ids: [Ingredient.ID], in db: PostgresReadTransaction) async throws -> [Ingredient] {
        if ids.isEmpty { return [] }
        let ingredients = try await db.ingredients(ids)
        return ids.compactMap { ingredients[$0] }
    }
}

extension PostgresReadTransaction {
    /// The ingredients with these keys.
    func ingredients(_ ids: [Ingredient.ID]) async throws -> [Ingredient.ID: Ingredient] {
        let wanted = ColumnValues(ids.map(\.rawValue)).array("bigint[]")
        let rows = try await rows(Ingredient.self, "SELECT \(Ingredient.columns) FROM ingredients AS i WHERE i.id = ANY(\(wanted))")
        return Dictionary(rows.map { ($0.id, $0) }) { $1 }
    }
}
#endif
