import Foundation
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite

/// What each repository of ingredients guarantees for searches; the quality of the results is tested elsewhere.
struct SearchConformanceTests {
    private func make(_ kind: DiaryKind) async throws -> FoodDiaryRepositories {
        let diary = try await kind.make()
        for (name, aliases, category) in [
            ("Rice", ["Reis"], IngredientCategory.grain), ("Brown rice", [], .grain), ("Rice pudding", ["Milchreis"], .dish),
            ("Crème fraîche", [], .dairy), ("Rye bread", ["Roggenbrot", "pain de seigle"], .grain), ("Egg", ["Ei"], .egg),
            ("Apple", [], .fruit),
        ] {
            _ = try await diary.save(
                Ingredient.Draft(name: name, aliases: aliases, category: category, nutrients: Nutrients(kilocalories: 100))
            )
        }
        return diary
    }

    private func found(_ diary: FoodDiaryRepositories, _ typed: String, _ category: IngredientCategory? = nil, limit: Int = 20) async throws
        -> [String]
    {
        try await diary.ingredients.search(typed, category: category, limit: limit).map(\.name)
    }

    @Test(arguments: DiaryKind.allCases)
    func `names and aliases are found despite differences in case, accents and typing errors`(_ kind: DiaryKind) async throws {
        let diary = try await make(kind)
        for typed in ["creme fraiche", "CRÈME", "cre", "cremme fraiche", "fraiche creme"] {
            #expect(try await found(diary, typed).first == "Crème fraîche", "\(typed)")
        }
        for typed in ["roggenbrot", "Pain de Seigle", "rye braed", "seigle"] {
            #expect(try await found(diary, typed).first == "Rye bread", "\(typed)")
        }
        for typed in ["", " ", "xqzw", "*", "\"", "rice AND NOT"] {
            #expect(try await found(diary, typed).contains("Egg") == false, "\(typed)")
        }
    }

    @Test(arguments: DiaryKind.allCases)
    func `exact matches come first, then the most used ingredients`(_ kind: DiaryKind) async throws {
        let diary = try await make(kind)
        let pudding = try #require(try await diary.ingredients.search("rice pudding", category: nil, limit: 1).first)
        _ = try await diary.entries.add(Meal.draft("x", .ingredient(pudding.id)))
        #expect(try await found(diary, "rice") == ["Rice", "Rice pudding", "Brown rice"])
        #expect(try await found(diary, "REIS").first == "Rice")
        #expect(try await found(diary, "rice", .grain) == ["Rice", "Brown rice"])
        for (limit, count) in [(0, 0), (-1, 0), (2, 2), (Int.max, 3)] {
            #expect(try await found(diary, "rice", limit: limit).count == count)
        }
        #expect(try await diary.ingredients.search("rice pudding", category: nil, limit: 1).first?.usageCount == 1)
    }

    @Test(arguments: DiaryKind.allCases)
    func `a search finds saved, renamed and imported ingredients, and no deleted or undone ones`(_ kind: DiaryKind) async throws {
        let diary = try await make(kind)
        let apple = try #require(try await diary.ingredients.search("apple", category: nil, limit: 1).first)
        _ = try await diary.save(Meal.ingredient("Quince"), as: apple.id)
        #expect(try await found(diary, "apple") == [])
        #expect(try await found(diary, "quince") == ["Quince"])
        let batches = Batches([[Meal.ingredient("Papaya")], [Meal.ingredient("quince")]])
        _ = try await diary.ingredients.importIngredients(batches.next)
        #expect(try await found(diary, "papaya") == ["Papaya"])
        let bad = Batches([[Meal.ingredient("Mango")], [Meal.ingredient("")]])
        _ = try? await diary.ingredients.importIngredients(bad.next)
        #expect(try await found(diary, "mango") == [])
        _ = try await diary.ingredients.delete(apple.id)
        #expect(try await found(diary, "quince") == [])
    }

    @Test(arguments: DiaryKind.allCases)
    func `a sentence finds ingredients for each of its parts`(_ kind: DiaryKind) async throws {
        let diary = try await make(kind)
        let relevant = try await diary.ingredients.relevantIngredients(for: "two eggs and a slice of rye bread", limit: 20).map(\.name)
        #expect(Set(relevant.prefix(2)) == ["Egg", "Rye bread"])
        for limit in [0, -1] { #expect(try await diary.ingredients.relevantIngredients(for: "egg", limit: limit) == []) }
        #expect(try await diary.ingredients.relevantIngredients(for: "eggs, rye bread", limit: 1).count == 1)
    }
}
