import Foundation
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite

/// What each repository of ingredients guarantees, apart from searches.
struct IngredientConformanceTests {
    private let unknown = Ingredient.ID(rawValue: 99)

    @Test(arguments: DiaryKind.allCases)
    func `an ingredient is returned as it was saved, with its names in order`(_ kind: DiaryKind) async throws {
        let diary = try await kind.make()
        let draft = Ingredient.Draft(
            name: " Pain  de\nseigle ",
            aliases: ["rye bread", "", "黒パン", " \u{301}odd", "rye bread"],
            category: IngredientCategory(rawValue: "pastry"),
            nutrients: Nutrients(kilocalories: 259, protein: 8.5, carbohydrates: 48.3, fat: 3.3, fiber: 5.8, sugar: 3.9, salt: 1.5),
            portions: [Ingredient.Portion("slice, thick", grams: 30.000_4), Ingredient.Portion(" \u{301}odd one", grams: 0.1)]
        )
        let saved = try await diary.save(draft)
        #expect(saved.name == "Pain de seigle" && saved.aliases == ["rye bread", "黒パン", "\u{301}odd", "rye bread"])
        #expect(saved.portions == [Ingredient.Portion("slice, thick", grams: 30), Ingredient.Portion("\u{301}odd one", grams: 0.1)])
        #expect(saved.nutrients == draft.nutrients && saved.category == draft.category && saved.usageCount == 0)
        #expect(try await diary.ingredients.ingredients([saved.id]) == [saved])
        #expect(try await diary.ingredients.ingredients(after: nil, limit: 9) == [saved])
        let plain = try await diary.save(Meal.ingredient("Plain"))
        #expect(try await diary.ingredients.ingredients([plain.id]) == [plain] && plain.aliases == [] && plain.portions == [])
    }

    @Test(arguments: DiaryKind.allCases)
    func `any number of keys can be requested`(_ kind: DiaryKind) async throws {
        let diary = try await kind.make()
        let plain = try await diary.save(Meal.ingredient("Plain"))
        let ids = (1...300_000).map { Ingredient.ID(rawValue: 300_000 - $0 + plain.id.rawValue) }
        #expect(try await diary.ingredients.ingredients(ids) == [plain])
    }

    @Test(arguments: DiaryKind.allCases)
    func `ingredients are returned in the order of the requested keys, and in pages by key`(_ kind: DiaryKind) async throws {
        let diary = try await kind.make()
        var saved: [Ingredient] = []
        for name in ["c", "a", "b", "d"] { saved.append(try await diary.save(Meal.ingredient(name))) }
        #expect(saved.map(\.id) == saved.map(\.id).sorted())
        let asked = try await diary.ingredients.ingredients([saved[2].id, unknown, saved[0].id, saved[2].id])
        #expect(asked == [saved[2], saved[0], saved[2]])
        #expect(try await diary.ingredients.ingredients(after: nil, limit: 3) == Array(saved[..<3]))
        #expect(try await diary.ingredients.ingredients(after: saved[2].id, limit: 3) == [saved[3]])
        #expect(try await diary.ingredients.ingredients(after: saved[3].id, limit: 3) == [])
        #expect(try await diary.ingredients.ingredients(after: Ingredient.ID(rawValue: -5), limit: 9) == saved)
    }

    @Test(arguments: DiaryKind.allCases)
    func `the most used ingredient is the most popular, and of two equally used the older one`(_ kind: DiaryKind) async throws {
        let diary = try await kind.make()
        var saved: [Ingredient] = []
        for name in ["a", "b", "c", "d"] { saved.append(try await diary.save(Meal.ingredient(name))) }
        for index in [3, 1, 3, 2] { _ = try await diary.entries.add(Meal.draft("x", .ingredient(saved[index].id))) }
        let popular = try await diary.ingredients.popularIngredients(limit: 9)
        #expect(popular.map(\.name) == ["d", "b", "c", "a"] && popular.map(\.usageCount) == [2, 1, 1, 0])
        #expect(try await diary.ingredients.popularIngredients(limit: 2).map(\.name) == ["d", "b"])
    }

    @Test(arguments: DiaryKind.allCases)
    func `two ingredients can't have the same name in any case, but one can change the case of its own`(_ kind: DiaryKind) async throws {
        let diary = try await kind.make()
        let rice = try await diary.save(Meal.ingredient("Crème Brûlée"))
        let bread = try await diary.save(Meal.ingredient("Bread"))
        let before = try await diary.everything()
        for name in ["Crème Brûlée", "CRÈME  BRU\u{302}LE\u{301}E"] {
            for id in [nil, bread.id, unknown] {
                let error = await #expect(throws: FoodDiaryError.self) { try await diary.save(Meal.ingredient(name), as: id) }
                #expect(error == FoodDiaryError(.duplicate, "There is an ingredient called “Crème Brûlée” already."))
            }
        }
        #expect(try await diary.everything() == before)
        #expect(try await diary.save(Meal.ingredient("crème brûlée"), as: rice.id).name == "crème brûlée")
        #expect(try await diary.save(Meal.ingredient("Creme brulee")).id > bread.id)
        // A name that was given up can be used again.
        _ = try await diary.save(Meal.ingredient("Baguette"), as: bread.id)
        #expect(try await diary.save(Meal.ingredient("BREAD")).name == "BREAD")
        let found = try await diary.entries.add(Meal.draft("x", .named("bread")))
        #expect(try await diary.ingredients.ingredients([try #require(found.ingredientID)]).first?.name == "BREAD")
    }

    @Test(arguments: DiaryKind.allCases)
    func `an invalid draft, or one for a missing ingredient, is refused`(_ kind: DiaryKind) async throws {
        let diary = try await kind.make()
        let rice = try await diary.save(Meal.ingredient("Rice"))
        let missing = await #expect(throws: FoodDiaryError.self) { try await diary.save(Meal.ingredient("New"), as: unknown) }
        #expect(missing == FoodDiaryError(.notFound, "There is no ingredient with the number 99."))
        let invalid = await #expect(throws: FoodDiaryError.self) { try await diary.save(Meal.ingredient("", kilocalories: 1), as: rice.id) }
        #expect(invalid?.code == .invalid)
        #expect(try await diary.ingredients.ingredients(after: nil, limit: 9) == [rice])
    }

    @Test(arguments: DiaryKind.allCases)
    func `changing an ingredient does not affect its entries unless history is corrected`(_ kind: DiaryKind) async throws {
        let diary = try await kind.make()
        let rice = try await diary.save(Meal.ingredient("Rice"))
        let bread = try await diary.save(Meal.ingredient("Bread"))
        let mine = try await diary.entries.add(
            [
                FoodEntry.Draft(rice, grams: 200, at: Meal.moment()), FoodEntry.Draft(bread, grams: 50, at: Meal.moment()),
                FoodEntry.Draft(rice, grams: 33.333, at: Meal.moment(on: Meal.day.advanced(by: 1))),
            ],
            key: nil
        )
        let changed = try await diary.save(Meal.ingredient("Wild rice", kilocalories: 357), as: rice.id)
        #expect(changed.usageCount == 2 && changed.nutrients.kilocalories == 357)
        #expect(try await diary.entries.entries(in: Meal.all, below: nil, limit: 9) == [mine[2], mine[1], mine[0]])
        #expect(try await diary.totals.total(on: Meal.day).nutrients.kilocalories == 325)

        // The same again, now with its history.
        _ = try await diary.save(changed.draft, as: rice.id, correctingHistory: true)
        let corrected = try await diary.entries.entries(in: Meal.all, below: nil, limit: 9)
        #expect(corrected.map(\.nutrients.kilocalories) == [118.999, 65, 714])
        #expect(
            corrected.map(\.name) == ["Rice", "Bread", "Rice"] && corrected.map(\.moment) == [mine[2], mine[1], mine[0]].map(\.moment)
        )
        #expect(try await diary.totals.totals(in: Meal.all, limit: 9).map(\.nutrients.kilocalories) == [118.999, 779])
        #expect(try await diary.usage(of: rice.id) == 2)
        #expect(try await diary.save(Meal.ingredient("Oats"), correctingHistory: true).usageCount == 0)
    }

    @Test(arguments: DiaryKind.allCases)
    func `entries of a deleted ingredient keep their name and nutrients, and its key is never reused`(_ kind: DiaryKind)
        async throws
    {
        let diary = try await kind.make()
        let rice = try await diary.save(Meal.ingredient("Rice"))
        let entry = try await diary.entries.add(Meal.draft("my rice", .ingredient(rice.id)))
        let totals = try await diary.totals.totals(in: Meal.all, limit: 9)
        #expect(try await diary.ingredients.delete(rice.id))
        #expect(try await diary.ingredients.delete(rice.id) == false)
        let kept = try #require(try await diary.entries.entry(entry.id))
        #expect(kept.ingredientID == nil && kept.name == "my rice" && kept.nutrients == entry.nutrients && kept.moment == entry.moment)
        #expect(try await diary.totals.totals(in: Meal.all, limit: 9) == totals)
        #expect(try await diary.nutrition.mostConsumedIngredients(in: Meal.all, limit: 9) == [])
        let bread = try await diary.save(Meal.ingredient("Bread"))
        #expect(bread.id > rice.id)
        await #expect(throws: FoodDiaryError.self) { try await diary.entries.add(Meal.draft("late", .ingredient(rice.id))) }
        _ = try await diary.entries.delete([entry.id])
        #expect(try await diary.totals.totals(in: Meal.all, limit: 9) == [])
    }
}
