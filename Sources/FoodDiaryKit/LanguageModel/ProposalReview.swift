/// What became of the entries that a language model proposed.
public struct ProposalReview: Hashable, Sendable {
    /// What can be logged, with nutrients from the diary.
    public internal(set) var accepted: [FoodEntry.Draft] = []

    /// What somebody has to say first.
    public internal(set) var questions: [Question] = []

    /// What can not be logged.
    public internal(set) var refusals: [Refusal] = []

    /// The fields of the answer that were ignored, such as nutrients.
    public internal(set) var ignoredFields: [String] = []

    init() {}

    /// Something that is not clear.
    public struct Question: Hashable, Sendable {
        /// What is asked for.
        public enum Subject: Hashable, Sendable {
            /// Which of the candidates it is, if any.
            case food
            /// How much it was of the only candidate.
            case amount
        }

        /// What is asked for.
        public let subject: Subject

        /// What was proposed.
        public let proposal: ProposedEntry

        /// What it may be, the likeliest first.
        public let candidates: [Ingredient]

        /// The question, as a sentence.
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

    /// Something that can not be logged, and why.
    public struct Refusal: Hashable, Sendable {
        /// What was proposed; `nil` if that could not be read.
        public let proposal: ProposedEntry?

        /// Why not, in a sentence.
        public let message: String
    }
}

extension ProposedEntry {
    /// The name for a sentence.
    var shownName: String {
        name.isEmpty ? "ingredient number \(ingredientID?.rawValue ?? 0)" : "“\(ModelText(name, maxLength: 60).text)”"
    }
}
