public import FoodDiaryKit

/// How well a repository answers ``SearchQuestions``, by kind and group.
///
/// ```swift
/// try await SearchQuestions.sample.fill(diary.ingredients, diary.entries)
/// let evaluation = try await QuestionEvaluation.run(
///     repository: diary.ingredients
/// )
/// print(evaluation)
/// ```
public struct QuestionEvaluation: Hashable, Sendable, CustomStringConvertible {
    /// The results of the questions of one kind and group.
    public struct Score: Hashable, Sendable {
        /// The kind of the questions.
        public let kind: SearchQuestion.Kind
        /// Whether they are held out.
        public let group: SearchQuestion.Group
        /// The number of questions.
        public internal(set) var count = 0
        /// The number of questions with a correct food among the first 20 results; for noise, the number with any result.
        public internal(set) var found = 0
        /// The number of questions with a correct food as the first result.
        public internal(set) var first = 0

        /// The share of questions that were answered, from 0 to 1.
        public var recall: Double { count == 0 ? 1 : Double(found) / Double(count) }
    }

    /// One score for each kind and group that has questions, ordered by kind and then by group.
    public private(set) var scores: [Score] = []

    /// The questions without a correct result, and noise with a result.
    public private(set) var misses: [SearchQuestion] = []

    /// The score of a kind and group.
    public subscript(kind: SearchQuestion.Kind, group: SearchQuestion.Group) -> Score {
        scores.first { $0.kind == kind && $0.group == group } ?? Score(kind: kind, group: group)
    }

    /// Evaluates a repository, which should hold the ingredients of ``SearchQuestions/sample`` and may hold others.
    ///
    /// - Parameters:
    ///   - repository: The repository to search.
    ///   - seed: The seed of the questions. Default: 1.
    ///   - stride: Uses only every n-th question, but all noise. Default: 1, which uses all.
    public static func run(repository: any IngredientRepository, seed: UInt64 = 1, stride: Int = 1) async throws -> QuestionEvaluation {
        var scores: [SearchQuestion.Kind: [SearchQuestion.Group: Score]] = [:]
        var evaluation = QuestionEvaluation()
        for (number, question) in SearchQuestions.all(seed: seed).enumerated() where number % max(stride, 1) == 0 || question.kind == .noise
        {
            let found = try await repository.search(question.typed, category: nil, limit: 20).map(\.name)
            let place = question.kind == .noise ? (found.isEmpty ? nil : 0) : found.firstIndex(where: question.names.contains)
            var score = scores[question.kind]?[question.group] ?? Score(kind: question.kind, group: question.group)
            score.count += 1
            if place != nil { score.found += 1 }
            if place == 0 { score.first += 1 }
            scores[question.kind, default: [:]][question.group] = score
            if (place != nil) == (question.kind == .noise) { evaluation.misses.append(question) }
        }
        for kind in SearchQuestion.Kind.allCases {
            evaluation.scores += SearchQuestion.Group.allCases.compactMap { scores[kind]?[$0] }
        }
        return evaluation
    }

    /// A table with one line per kind: for each group, how many of the questions were answered, and how many by the first result.
    public var description: String {
        SearchQuestion.Kind.allCases.map { kind in
            let parts = SearchQuestion.Group.allCases.compactMap { group -> String? in
                let score = self[kind, group]
                guard score.count > 0 else { return nil }
                let share = (score.recall * 1_000).rounded() / 10
                return "\(group.rawValue) \(score.found)/\(score.count) (\(share) %), first \(score.first)"
            }
            return "\(kind.rawValue): \(parts.joined(separator: "; "))"
        }.joined(separator: "\n")
    }
}
