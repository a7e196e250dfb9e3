import Foundation
import Testing

@testable import QueryKitSQLite

@Suite(.timeLimit(.minutes(1)))
struct SampleIngredientTests {
    private func ingredients(_ count: Int, seed: UInt64 = 1, languages: [FoodDiarySample.Language] = FoodDiarySample.Language.allCases)
        -> [Ingredient.Draft]
    {
        let today = FoodDay(number: 20_000)
        var batches = FoodDiarySample(seed: seed, ingredientCount: count, languages: languages, days: today...today).ingredients()
        var drafts: [Ingredient.Draft] = []
        while let batch = batches.next() { drafts += batch }
        return drafts
    }

    @Test func `as many come as were asked for, all valid, tidy, and of different names`() throws {
        let drafts = ingredients(12_000)
        #expect(drafts.count == 12_000)
        #expect(Set(drafts.map { Ingredient.key(of: $0.name) }).count == 12_000)
        let validated = try drafts.map { try $0.validated() }
        #expect(validated == drafts)
        let aliases = drafts.map(\.aliases.count).reduce(0, +)
        #expect((1.5...2.5).contains(Double(aliases) / 12_000))
    }

    @Test func `numbers far apart make different names too`() {
        let catalog = SampleCatalog(seed: 3, languages: [])
        let numbers = Array(stride(from: 0, to: 1_000_000, by: 101))
        #expect(Set(numbers.map { Ingredient.key(of: catalog.draft($0).name) }).count == numbers.count)
    }

    @Test func `the same seed makes the same ingredients, another one others`() {
        let first = ingredients(9_000)
        #expect(first == ingredients(9_000))
        #expect(first != ingredients(9_000, seed: 2))
        #expect(Array(first.prefix(700)) == ingredients(700))
    }

    @Test func `what is written here never changes`() throws {
        let catalog = SampleCatalog(seed: 1, languages: [.german, .chinese])
        let texts = [0, 1, 600, 7000, 9000, 60_000, 999_999].map { number in
            let draft = catalog.draft(number)
            return "\(draft.name) | \(draft.aliases.joined(separator: " | ")) | \(draft.nutrients.kilocalories)"
        }
        #expect(texts == [])
    }

    @Test func `tables are complete`() {
        #expect(SampleFoods.all.count >= 500)
        #expect(SampleModifier.all.count == 78)
        #expect(SampleFoods.all.filter(\.isEveryday).count > 90)
        #expect(Set(SampleFoods.all.map { $0.names[0].lowercased() }).count == SampleFoods.all.count)
        #expect(SampleFoods.all.allSatisfy { $0.names.count == 7 && $0.names.allSatisfy { !$0.isEmpty } && !$0.portions.isEmpty })
        for food in SampleFoods.all {
            let contents = food.contents
            let sum = contents.protein + contents.carbohydrates + contents.fat + contents.salt + contents.alcohol
            #expect(sum <= 100.5, "\(food.names[0])")
            #expect(contents.fiber <= contents.carbohydrates && contents.sugar <= contents.carbohydrates, "\(food.names[0])")
        }
    }

    @Test func `energy follows from what is in it`() {
        for draft in ingredients(9_000) {
            let nutrients = draft.nutrients
            let least = 4 * nutrients.protein + 2 * nutrients.carbohydrates + 9 * nutrients.fat
            #expect(nutrients.kilocalories >= least - 1, "\(draft.name)")
        }
    }

    @Test func `without languages there are no aliases`() {
        #expect(ingredients(2_000, languages: []).allSatisfy { $0.aliases.isEmpty })
        #expect(ingredients(0).isEmpty)
    }

    @Test func `no two brands are called alike`() {
        let brands = SampleBrands(seed: 5, besides: [])
        let words = (0..<SampleBrands.count).map { brands.word($0) }
        #expect(Set(words).count == 129_792)
    }
}
