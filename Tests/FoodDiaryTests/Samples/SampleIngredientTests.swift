import Foundation
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite
@testable import FoodDiarySamples

struct SampleIngredientTests {
    private static let catalog = SampleCatalog(seed: 1, languages: FoodDiarySample.Language.allCases)
    /// Plain foods, dishes, and all kinds of branded foods.
    private static let drafts = [0..<700, 9_000..<9_700, 12_000..<12_300, 40_000..<40_300, 900_000..<900_300].joined().map(catalog.draft)

    @Test func `ingredients are valid and tidy, and have two aliases on average`() throws {
        let validated = try Self.drafts.map { try $0.validated() }
        #expect(validated == Self.drafts)
        let prepared = Self.drafts.dropFirst(700)
        let aliases = prepared.map(\.aliases.count).reduce(0, +)
        #expect((1.8...2.2).contains(Double(aliases) / Double(prepared.count)))
    }

    @Test func `no two ingredients have the same name`() {
        let catalog = SampleCatalog(seed: 3, languages: [])
        // Those without a brand, some brands of each size, and many that are far apart.
        let numbers = Set(0..<3_000).union(8_000..<11_000).union(stride(from: 0, to: 1_000_000, by: 211))
        #expect(Set(numbers.map { Ingredient.key(of: catalog.draft($0).name) }).count == numbers.count)
    }

    @Test func `as many ingredients are made as requested`() {
        let today = FoodDay(number: 20_000)
        var batches = FoodDiarySample(ingredientCount: 1_500, days: today...today).ingredients()
        var drafts: [Ingredient.Draft] = []
        while let batch = batches.next() {
            #expect(batch.count <= 1_000)
            drafts += batch
        }
        #expect(drafts.count == 1_500)
        #expect(Array(drafts.prefix(700)) == Array(Self.drafts.prefix(700)))
        var none = FoodDiarySample(ingredientCount: 0, days: today...today).ingredients()
        #expect(none.next() == nil)
    }

    @Test func `another seed makes other ingredients`() {
        let other = SampleCatalog(seed: 2, languages: FoodDiarySample.Language.allCases)
        #expect((0..<200).map(other.draft) != Array(Self.drafts.prefix(200)))
        #expect(other.draft(50_000).name != Self.catalog.draft(50_000).name)
    }

    @Test func `the sample's ingredients never change`() throws {
        let catalog = SampleCatalog(seed: 1, languages: [.german, .chinese])
        let texts = [0, 1, 600, 7000, 9000, 60_000, 999_999].map { number in
            let draft = catalog.draft(number)
            return "\(draft.name) | \(draft.aliases.joined(separator: " | ")) | \(draft.nutrients.kilocalories)"
        }
        #expect(
            texts == [
                "Salmon | Lachs | 三文鱼 | 200.0", "Salt | Salz | 盐 | 0.0",
                "Sliced stuffed peppers | gefüllte Paprika, in Scheiben | 酿甜椒（切片） | 98.0",
                "Unsalted egg noodles | Eiernudeln, ungesalzen | 135.0",
                "Emmental with spinach | Emmentaler mit Spinat | 埃曼塔尔奶酪（菠菜味） | 365.0",
                "Jaupona sweetcorn with paprika | Mais mit Paprika | 玉米（红椒味） | 87.0", "Britival organic chives | Britival 细香葱（有机） | 31.0",
            ]
        )
    }

    @Test func `the tables are complete`() {
        #expect(SampleFoods.all.count >= 500)
        #expect(SampleModifier.all.count == 80)
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

    @Test func `energy follows from the nutrients`() {
        for draft in Self.drafts {
            let nutrients = draft.nutrients
            let least = 4 * nutrients.protein + 2 * nutrients.carbohydrates + 9 * nutrients.fat
            #expect(nutrients.kilocalories >= least - 1, "\(draft.name)")
        }
    }

    @Test func `without languages there are no aliases`() {
        let catalog = SampleCatalog(seed: 1, languages: [])
        #expect([0, 700, 20_000].allSatisfy { catalog.draft($0).aliases.isEmpty })
    }

    @Test func `no two brands have the same name`() {
        let brands = SampleBrands(seed: 5, besides: [])
        #expect(SampleBrands.count == 129_792)
        // The first of them, and others spread over the rest.
        let numbers = Set(0..<3_000).union(stride(from: 3_000, to: SampleBrands.count, by: 37))
        #expect(Set(numbers.map { brands.word($0) }).count == numbers.count)
    }
}
