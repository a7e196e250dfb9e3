/// The result of checking the entries that a language model proposed.
public struct ProposalReview: Hashable, Sendable {
    /// The entries that can be logged, with nutrients from the diary.
    public internal(set) var accepted: [FoodEntry.Draft] = []

    /// Questions for the user to answer before these entries can be logged.
    public internal(set) var questions: [Question] = []

    /// The entries that can't be logged.
    public internal(set) var refusals: [Refusal] = []

    /// The ignored fields of the answer, such as nutrients.
    public internal(set) var ignoredFields: [String] = []

    init() {}

    /// A question about an ambiguous entry.
    public struct Question: Hashable, Sendable {
        /// The subject of a question.
        public enum Subject: Hashable, Sendable {
            /// Which of the candidates the food is, if any.
            case food
            /// How much was eaten of the only candidate.
            case amount
        }

        /// The subject of the question.
        public let subject: Subject

        /// The entry as proposed.
        public let proposal: ProposedEntry

        /// The candidates, likeliest first.
        public let candidates: [Ingredient]

        /// The question as a sentence.
        public var message: String {
            let names = candidates.map { ModelText($0.name, maxLength: 60).text }
            switch subject {
            case .food where names.count == 1: return "Is \(proposal.shownName) what the diary calls \(names[0])?"
            case .food: return "Which of these is \(proposal.shownName): \(names.joined(separator: "; "))?"
            case .amount:
                let portions = candidates.flatMap(\.portions).prefix(5).map { ModelText($0.name, maxLength: 40).text }
                let known = portions.isEmpty ? "" : " Portions are known for: \(portions.joined(separator: ", "))."
                return "How many grams of \(names.first ?? proposal.shownName) was it?" + known
            }
        }
    }

    /// An entry that can't be logged, and the reason.
    public struct Refusal: Hashable, Sendable {
        /// The entry as proposed; `nil` if it can't be read.
        public let proposal: ProposedEntry?

        /// The reason, as a sentence.
        public let message: String
    }
}

extension ProposedEntry {
    /// The name as shown in a sentence.
    var shownName: String {
        name.isEmpty ? "ingredient number \(ingredientID?.rawValue ?? 0)" : "“\(ModelText(name, maxLength: 60).text)”"
    }
}
