//! Describes ingredients to a language model, checks its answer, and
//! exports and imports a diary.
import FoodDiaryKit
import Foundation

// snippet.hide
let diary = InMemoryFoodDiary()
for (name, kilocalories, portion) in [
    ("Egg", 155.0, ("egg", 55.0)),
    ("Rye bread", 259.0, ("slice", 30.0)),
    ("Butter", 717.0, ("knob", 10.0)),
] {
    _ = try await diary.save(
        Ingredient.Draft(
            name: name,
            nutrients: Nutrients(kilocalories: kilocalories),
            portions: [Ingredient.Portion(portion.0, grams: portion.1)]
        ),
        as: nil,
        correctingHistory: false
    )
}
let moment = FoodMoment(
    Date(timeIntervalSince1970: 1_795_000_000),
    in: .gmt
)
// snippet.show

// snippet.context
let said = "two eggs and a slice of rye bread with butter"
let context = try await IngredientContext.relevant(
    for: said,
    in: diary,
    tokenBudget: 1_500
)
// The ingredients that the sentence may be about. Send the model
// context.json.
print(context.ingredients.map(\.name))
// snippet.end
// snippet.hide
precondition(
    Set(context.ingredients.map(\.name)) == [
        "Egg", "Rye bread", "Butter",
    ]
)
// snippet.show

// snippet.review
// Nutrients that a model makes up are ignored: only
// names and amounts count.
let answer = """
    [
      {"name": "egg", "portion": "egg", "count": 2},
      {"name": "rye bread", "grams": 30, "kcal": 9999},
      {"name": "butter"}
    ]
    """
let review = try await ProposalValidator(diary).review(
    Data(answer.utf8),
    at: moment
)
print(review.accepted.map(\.name))  // ["Egg", "Rye bread"]
print(review.questions.map(\.message))
// ["How many grams of Butter was it? …"]
_ = try await diary.add(review.accepted, key: nil)
// snippet.end
// snippet.hide
precondition(
    review.accepted.map(\.nutrients.kilocalories) == [170.5, 77.7]
        && review.questions.count == 1
)
let folder = FileManager.default.temporaryDirectory.appending(
    path: UUID().uuidString
)
try FileManager.default.createDirectory(
    at: folder,
    withIntermediateDirectories: true
)
let url = folder.appending(path: "entries.csv")
let other = InMemoryFoodDiary()
// snippet.show

// snippet.files
let file = try FoodDiaryFile(url)
_ = try await file.exportEntries(of: diary, ingredients: diary)

// Reads everything, and writes nothing.
let check = try await file.checkEntries(for: other)
for problem in check.problems { print(problem) }
let imported = try await file.importEntries(into: other)
print(imported.addedCount)  // 2
// snippet.end
// snippet.hide
precondition(imported.addedCount == 2)
try FileManager.default.removeItem(at: folder)
// snippet.show
