/// A question to a search, written as people write it, and the foods of the sample that it may mean.
///
/// The questions are made of the sample's foods and their names in all its languages; see ``SearchQuestions``.
public struct SearchQuestion: Hashable, Sendable {
    /// What is unusual about how a name was typed.
    public enum Kind: String, CaseIterable, Sendable {
        /// One letter too many, too few, wrong, or swapped with the next.
        case oneLetter
        /// Two such errors.
        case twoLetters
        /// Two words written as one: "icecream".
        case joined
        /// One word written as two: "chick peas".
        case split
        /// One more word than the name has: "fresh pork chop".
        case extraWord
        /// A word that joins two others: "mac and cheese".
        case and
        /// Many for one, or one for many: "mushrooms".
        case number
        /// Katakana for hiragana, or hiragana for katakana.
        case kana
        /// Another word that sounds or looks alike: "curie".
        case slip
        /// Text that is no food: nothing should be found.
        case noise
    }

    /// Which questions a change of the search may be fitted to.
    public enum Group: String, CaseIterable, Sendable {
        /// Those that may be looked at while the search is changed.
        case known
        /// A fifth of the foods, in all languages but ``SearchQuestions/heldOutLanguage``.
        case heldOutFood
        /// All questions in ``SearchQuestions/heldOutLanguage``.
        case heldOutLanguage
    }

    /// What is unusual about it.
    public let kind: Kind

    /// Whether it is held out.
    public let group: Group

    /// What is typed.
    public let typed: String

    /// The names of the foods that may be meant; empty for noise.
    public let names: [String]
}
