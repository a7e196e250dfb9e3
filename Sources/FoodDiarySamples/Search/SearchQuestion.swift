/// A search as a user would type it, and the foods of the sample that it may mean.
///
/// Questions are derived from the sample's foods and their names in all languages; see ``SearchQuestions``.
public struct SearchQuestion: Hashable, Sendable {
    /// The way in which the typed text differs from the name.
    public enum Kind: String, CaseIterable, Sendable {
        /// One extra, missing or wrong letter, or two exchanged ones.
        case oneLetter
        /// Two such errors.
        case twoLetters
        /// Two words written as one: "icecream".
        case joined
        /// One word written as two: "chick peas" for chickpeas.
        case split
        /// A word that the name doesn't have: "fresh pork chop".
        case extraWord
        /// A word that joins two others: "mac and cheese".
        case and
        /// A plural for a singular, or the reverse: "mushrooms".
        case number
        /// Katakana for hiragana, or hiragana for katakana.
        case kana
        /// Another word that sounds or looks alike: "curie".
        case slip
        /// Text that is not food: nothing should be found.
        case noise
    }

    /// Whether a question may be used while the search is being changed.
    public enum Group: String, CaseIterable, Sendable {
        /// Questions that may be used while changing the search.
        case known
        /// A fifth of the foods, in all languages except ``SearchQuestions/heldOutLanguage``.
        case heldOutFood
        /// All questions in ``SearchQuestions/heldOutLanguage``.
        case heldOutLanguage
    }

    /// The way in which the text differs from the name.
    public let kind: Kind

    /// Whether it is held out.
    public let group: Group

    /// The typed text.
    public let typed: String

    /// The names of the foods that may be meant; empty for noise.
    public let names: [String]
}
