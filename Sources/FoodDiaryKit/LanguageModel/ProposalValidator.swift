public import Foundation

/// Checks the entries that a language model proposes before any of them is written.
///
/// The model only names foods and amounts. The ingredients and their nutrients are looked up in the diary. A name that matches several
/// ingredients, or none exactly, becomes a question with candidates; nothing is guessed.
///
/// ```swift
/// let review = try await ProposalValidator(repository).review(
///     answer,
///     at: moment
/// )
/// for question in review.questions { print(question.message) }
/// try await entries.add(review.accepted, key: nil)
/// ```
public struct ProposalValidator: Sendable {
    private let search: @Sendable (String) async throws -> [Ingredient]
    private let ingredient: @Sendable (Ingredient.ID) async throws -> Ingredient?

    /// Creates a validator that finds ingredients with two closures.
    ///
    /// - Parameters:
    ///   - search: Returns the ingredients that a name may mean, likeliest first.
    ///   - ingredient: Returns the ingredient with a key.
    public init(
        search: @escaping @Sendable (String) async throws -> [Ingredient],
        ingredient: @escaping @Sendable (Ingredient.ID) async throws -> Ingredient?
    ) {
        self.search = search
        self.ingredient = ingredient
    }

    /// Creates a validator that finds ingredients in a repository.
    public init(_ repository: any IngredientRepository) {
        self.init(
            search: { try await repository.search($0, category: nil, limit: 20) },
            ingredient: { try await repository.ingredients([$0]).first }
        )
    }

    /// Reads an answer and checks each of its entries.
    ///
    /// - Parameters:
    ///   - answer: The answer of the model; see ``ModelAnswer``.
    ///   - moment: When the food was eaten.
    ///   - confidence: The confidence of the entries, from 0 to 1. Default: 0.5.
    /// - Throws: The errors of the search. An invalid answer doesn't throw: it is refused.
    public func review(_ answer: Data, at moment: FoodMoment, confidence: Double = 0.5) async throws -> ProposalReview {
        let answer = ModelAnswer(answer)
        var review = try await review(answer.entries, at: moment, confidence: confidence)
        review.ignoredFields = answer.ignoredFields
        let faults = answer.faults.map { fault in
            ProposalReview.Refusal(proposal: nil, message: fault.number.map { "Entry \($0): \(fault.message)" } ?? fault.message)
        }
        review.refusals = faults + review.refusals
        return review
    }

    /// Checks proposed entries.
    ///
    /// - Parameters:
    ///   - proposals: The proposed entries.
    ///   - moment: When the food was eaten.
    ///   - confidence: The confidence of the entries, from 0 to 1. Default: 0.5.
    /// - Throws: The errors of the search.
    public func review(_ proposals: [ProposedEntry], at moment: FoodMoment, confidence: Double = 0.5) async throws -> ProposalReview {
        var review = ProposalReview()
        for proposal in proposals {
            switch try await match(proposal) {
            case .none:
                review.refusals.append(.init(proposal: proposal, message: "The diary has no \(proposal.shownName)."))
            case .several(let candidates):
                review.questions.append(.init(subject: .food, proposal: proposal, candidates: candidates))
            case .one(let ingredient):
                guard let grams = Self.grams(of: proposal, ingredient) else {
                    review.questions.append(.init(subject: .amount, proposal: proposal, candidates: [ingredient]))
                    continue
                }
                do {
                    review.accepted.append(try FoodEntry.Draft(ingredient, grams: grams, at: moment, confidence: confidence).validated())
                } catch {
                    let message = (error as? FoodDiaryError)?.message ?? "\(proposal.shownName) can't be logged."
                    review.refusals.append(.init(proposal: proposal, message: message))
                }
            }
        }
        return review
    }

    // MARK: Food

    private enum Match {
        case one(Ingredient)
        case several([Ingredient])
        case none
    }

    private static let maxCandidates = 5

    private func match(_ proposal: ProposedEntry) async throws -> Match {
        var known: Ingredient?
        if let id = proposal.ingredientID { known = try await ingredient(id) }
        // Without a name only the key counts. With a different name, the key or the name is wrong.
        if let known, proposal.name.isEmpty || known.isCalled(proposal.name) { return .one(known) }
        guard !proposal.name.isEmpty else { return .none }
        let found = try await search(proposal.name)
        if let known { return .several(Array(([known] + found.filter { $0.id != known.id }).prefix(Self.maxCandidates))) }
        for exactness in NameExactness.allCases {
            let exact = found.filter { $0.isCalled(proposal.name, exactness) }
            if exact.count == 1 { return .one(exact[0]) }
            if exact.count > 1 { return .several(Array(exact.prefix(Self.maxCandidates))) }
        }
        return found.isEmpty ? .none : .several(Array(found.prefix(Self.maxCandidates)))
    }

    // MARK: Amount

    /// The amount in grams; `nil` if it is unknown.
    private static func grams(of proposal: ProposedEntry, _ ingredient: Ingredient) -> Double? {
        switch proposal.amount {
        case .grams(let grams): return grams
        case .unknown: return nil
        case .portions(let name, let count):
            let words = SearchText.words(of: name).map(\.folded)
            let portions = ingredient.portions.filter { SearchText.words(of: $0.name).isSame(as: words) }
            guard portions.count == 1, count.isFinite else { return nil }
            return portions[0].grams * count
        }
    }
}
