import FoodDiaryKit

/// Questions about all foods of the sample, one for each combination of food, language and kind that is possible. The same seed gives the
/// same questions.
///
/// A fifth of the foods and one language are held out: change the search with only the ``SearchQuestion/Group/known`` questions in view;
/// the others then show whether the change also works for names that it was not fitted to.
public enum SearchQuestions {
    /// The language whose questions are held out.
    public static let heldOutLanguage = FoodDiarySample.Language.french

    /// The number of noise questions.
    static let noiseCount = 30

    /// The sample with only the plain foods, without preparations. Except for noise, the questions are searches for these foods.
    public static var sample: FoodDiarySample {
        FoodDiarySample(ingredientCount: SampleFoods.all.count, days: FoodDay(number: 0)...FoodDay(number: 0), entriesPerDay: 0)
    }

    /// All questions, in the order of the foods.
    public static func all(seed: UInt64 = 1) -> [SearchQuestion] {
        var questions: [SearchQuestion] = []
        for (index, food) in SampleFoods.all.enumerated() {
            var random = SampleRandom(seed: seed, of: index)
            let isHeldOut = random.below(5) == 0
            for (place, name) in food.names.enumerated() {
                let language = place == 0 ? nil : FoodDiarySample.Language.allCases[place - 1]
                let group: SearchQuestion.Group =
                    language == heldOutLanguage ? .heldOutLanguage : isHeldOut ? .heldOutFood : .known
                var writer = QuestionWriter(language: language, seed: random.next())
                for kind in SearchQuestion.Kind.allCases {
                    // An unchanged text is not a question of this kind.
                    guard let typed = writer.typed(name, kind), typed != QuestionWriter.key(name) else { continue }
                    questions.append(SearchQuestion(kind: kind, group: group, typed: typed, names: [capitalized(food.names[0])]))
                }
            }
        }
        return questions + slips(seed) + noise(seed)
    }

    /// Names in the sample begin with a capital letter.
    private static func capitalized(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }

    /// Each slip alone, for any food with the word, and within each English name that has the word.
    private static func slips(_ seed: UInt64) -> [SearchQuestion] {
        var questions: [SearchQuestion] = []
        for (typed, word) in QuestionWords.slips {
            let foods = SampleFoods.all.enumerated().filter { _, food in QuestionWriter.words(food.names[0]).contains(word) }
            guard !foods.isEmpty else { continue }
            func isHeldOut(_ index: Int) -> Bool {
                var random = SampleRandom(seed: seed, of: index)
                return random.below(5) == 0
            }
            questions.append(
                SearchQuestion(
                    kind: .slip,
                    group: foods.allSatisfy { isHeldOut($0.offset) } ? .heldOutFood : .known,
                    typed: typed,
                    names: foods.map { capitalized($0.element.names[0]) }
                )
            )
            for (index, food) in foods where QuestionWriter.words(food.names[0]).count > 1 {
                let words = QuestionWriter.words(food.names[0]).map { $0 == word ? typed : $0 }
                questions.append(
                    SearchQuestion(
                        kind: .slip,
                        group: isHeldOut(index) ? .heldOutFood : .known,
                        typed: words.joined(separator: " "),
                        names: [capitalized(food.names[0])]
                    )
                )
            }
        }
        return questions
    }

    /// Half random letters, half words for other things.
    private static func noise(_ seed: UInt64) -> [SearchQuestion] {
        var misspelling = Misspelling(seed: seed)
        let letters = (0..<noiseCount - QuestionWords.otherThings.count).map { _ in misspelling.noise() }
        return (letters + QuestionWords.otherThings).map { SearchQuestion(kind: .noise, group: .known, typed: $0, names: []) }
    }
}
