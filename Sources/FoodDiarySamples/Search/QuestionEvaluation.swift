public import FoodDiaryKit

/// How well a repository answers ``SearchQuestions``, by kind and group.
///
/// ```swift
/// try await SearchQuestions.sample.fill(diary.ingredients, diary.entries)
/// let evaluation = try await QuestionEvaluation.run(repository: diary.ingredients)
/// print(evaluation)
/// ```
public struct QuestionEvaluation: Hashable, Sendable, CustomStringConvertible {
    /// The results of the questions of one kind and group.
    public struct Score: Hashable, Sendable {
        /// What is unusual about the questions.
        public let kind: SearchQuestion.Kind
        /// Whether they are held out.
        public let group: SearchQuestion.Group
        /// How many questions were asked.
        public internal(set) var count = 0
        /// For how many of them a food that is meant was among the first 20. Of noise, for how many anything was found.
        public internal(set) var found = 0
        /// For how many of them it was the first.
        public internal(set) var first = 0

        /// The share that was found, from 0 to 1.
        public var recall: Double { count == 0 ? 1 : Double(found) / Double(count) }
    }

    /// One score for each kind and group that has questions, in the order of both.
    public private(set) var scores: [Score] = []

    /// The questions that found nothing that was meant, and noise that found something.
    public private(set) var misses: [SearchQuestion] = []

    /// The score of a kind and group.
    public subscript(kind: SearchQuestion.Kind, group: SearchQuestion.Group) -> Score {
        scores.first { $0.kind == kind && $0.group == group } ?? Score(kind: kind, group: group)
    }

    /// Asks a repository, which should hold the ingredients of ``SearchQuestions/sample``; it may hold others too.
    ///
    /// - Parameters:
    ///   - repository: The repository that is asked.
    ///   - seed: What is drawn for the questions. Default: 1.
    ///   - stride: Of how many questions one is asked; noise is always asked. Default: 1, which asks all.
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

    /// A table with a line for each kind: found of all questions, for each group.
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
