#if Postgres
import FoodDiaryKit
import QueryKitPostgres

/// A source of search candidates that knows the answers to some questions, and collects the questions whose answers are missing.
///
/// Used by one task, which alternates between the finder and the database.
final class AnsweredSource: SearchSource {
    /// Thrown for a question whose answer is missing.
    struct Unanswered: Error {}

    /// A question to the database.
    enum Question: Hashable {
        case named(String, limit: Int)
        case beginning(String, limit: Int)
        case with([SearchTerm], category: String?, limit: Int)
        case contains(SearchTerm)
    }

    private let terms: VocabularyCache.Terms
    private var answers: [Question: [SearchCandidate]] = [:]
    private var questions: [Question] = []

    init(_ terms: VocabularyCache.Terms) { self.terms = terms }

    /// The questions to be answered before the next run.
    func takeQuestions() -> [Question] {
        defer { questions = [] }
        return questions
    }

    func note(_ answer: [SearchCandidate], to question: Question) { answers[question] = answer }

    private func answer(_ question: Question) throws -> [SearchCandidate] {
        if let answer = answers[question] { return answer }
        questions.append(question)
        // The search for names is always followed by the search for words, even if it finds something: both questions are asked together.
        if answers.isEmpty, questions.count == 1, case .named = question { return [] }
        throw Unanswered()
    }

    func candidates(named key: String, limit: Int) throws -> [SearchCandidate] { try answer(.named(key, limit: limit)) }

    func candidates(beginning key: String, limit: Int) throws -> [SearchCandidate] { try answer(.beginning(key, limit: limit)) }

    func candidates(with terms: [SearchTerm], category: IngredientCategory?, limit: Int) throws -> [SearchCandidate] {
        try answer(.with(terms, category: category?.rawValue, limit: limit))
    }

    func contains(_ term: SearchTerm) throws -> Bool { try !answer(.contains(term)).isEmpty }

    func corrections(of word: String, asPrefix: Bool) throws -> [Vocabulary.Correction] {
        terms.vocabulary.corrections(of: word, asPrefix: asPrefix, upTo: terms.last)
    }

    func corrections(soundingLike word: String) throws -> [Vocabulary.Correction] {
        terms.vocabulary.corrections(soundingLike: word, upTo: terms.last)
    }

    func parts(of word: String, asPrefix: Bool) throws -> [[String]] {
        // The vocabulary may be newer than this snapshot. Parts that only a later state of the database contains find nothing here.
        terms.vocabulary.parts(of: word, asPrefix: asPrefix)
    }
}

extension AnsweredSource.Question {
    private static let columns: SQL = "i.id, i.usage_count, i.category, i.name, i.aliases"
    /// The most used ingredients first, and among equally used ones those with short names, because the input matches a larger part of
    /// these.
    private static let order: SQL = "i.usage_count DESC, char_length(i.name), i.id"
    /// Sorts after every continuation of a key.
    private static let end = "\u{10FFFF}"

    /// The statement with the answer.
    var statement: SQL {
        switch self {
        case .named(let key, let limit):
            """
            SELECT \(Self.columns) FROM ingredient_names AS n JOIN ingredients AS i ON i.id = n.ingredient
            WHERE n.key = \(IngredientIndex.storedKey(key)) ORDER BY \(Self.order) LIMIT \(limit)
            """
        case .beginning(let key, let limit):
            """
            SELECT \(Self.columns) FROM ingredient_names AS n JOIN ingredients AS i ON i.id = n.ingredient
            WHERE n.key > \(IngredientIndex.storedKey(key)) AND n.key < \(IngredientIndex.storedKey(key) + Self.end)
            ORDER BY n.key, \(Self.order) LIMIT \(limit)
            """
        case .with(let terms, let category, let limit):
            """
            SELECT \(Self.columns) FROM ingredient_search AS s JOIN ingredients AS i ON i.id = s.ingredient
            WHERE s.words @@ \(Self.query(terms, category))::text::tsquery ORDER BY \(Self.order) LIMIT \(limit)
            """
        case .contains(let term):
            """
            SELECT \(Self.columns) FROM ingredient_search AS s JOIN ingredients AS i ON i.id = s.ingredient
            WHERE s.words @@ \(term.query)::text::tsquery LIMIT 1
            """
        }
    }

    private static func query(_ terms: [SearchTerm], _ category: String?) -> String {
        var query = terms.map(\.query)
        if let category { query.append(SearchTerm.quoted(IngredientIndex.term(IngredientCategory(rawValue: category)))) }
        return query.joined(separator: " & ")
    }
}
#endif
