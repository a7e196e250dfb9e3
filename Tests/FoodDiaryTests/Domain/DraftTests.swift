import Foundation
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite

/// Why drafts are refused, in words that help a user, and how names are tidied.
struct DraftTests {
    private func refusal(_ body: () throws -> some Any) -> String? {
        do {
            _ = try body()
            return nil
        } catch {
            #expect((error as? FoodDiaryError)?.code == .invalid)
            return "\(error)"
        }
    }

    private func entry(
        _ name: String = "rice",
        grams: Double = 100,
        with nutrients: Nutrients = Nutrients(kilocalories: 100),
        confidence: Double = 1
    ) -> FoodEntry.Draft {
        FoodEntry.Draft(name: name, grams: grams, nutrients: nutrients, at: Meal.moment(), confidence: confidence)
    }

    @Test func `an entry needs a name of at most 200 characters`() {
        for name in ["", " \n\t ", "\u{202E}\u{200B}"] { #expect(refusal { try entry(name).validated() } == "An entry needs a name.") }
        #expect(refusal { try entry(String(repeating: "ü", count: 200)).validated() } == nil)
        #expect(
            refusal { try entry(String(repeating: "ü", count: 201)).validated() }
                == "The name üüüüüüüüüüüüüüüüüüüü… has 201 characters; at most 200 are allowed."
        )
    }

    @Test func `a name with too many accents is refused by its byte count, which the message contains`() {
        // One character can have any number of accents of two bytes each. The first one is composed with its letter.
        func name(_ count: Int) -> String { "a" + String(repeating: "\u{301}", count: count) }
        #expect(refusal { try entry(name(800)).validated() } == nil)
        let refused = refusal { try entry(name(801)).validated() }
        #expect(refused?.hasSuffix("… has 1602 bytes; at most 1600 are allowed.") == true, "\(refused ?? "")")
        #expect((refused ?? "").utf8.count < 250)
        let category = refusal { try ingredient(category: "a" + String(repeating: "\u{301}", count: 200)).validated() }
        #expect(category?.hasSuffix("… has 401 bytes; at most 320 are allowed.") == true, "\(category ?? "")")
    }

    @Test func `an amount must be between 0.1 and 5000 g`() {
        for grams in [0.1, 5_000] { #expect(refusal { try entry(grams: grams, with: .zero).validated() } == nil) }
        for grams in [0.099, 0, -1, 5_000.01, .infinity, .nan] {
            #expect(
                refusal { try entry(grams: grams).validated() }
                    == "rice: \(grams) g is out of range; an amount must be between 0.1 and 5000 g."
            )
        }
    }

    @Test func `nutrients can't be negative or weigh more than the food`() {
        #expect(
            refusal { try entry(with: Nutrients(kilocalories: 1, fiber: -0.001)).validated() }
                == "rice: fiber is -0.001, but an amount can't be negative."
        )
        #expect(refusal { try entry(grams: 50, with: Nutrients(kilocalories: 450.001)).validated() } == nil)
        #expect(
            refusal { try entry(grams: 50, with: Nutrients(kilocalories: 450.01)).validated() }
                == "rice: 450.01 kcal in 50.0 g; no food has more than 900 kcal in 100 g."
        )
        for (name, nutrients) in [
            ("protein", Nutrients(kilocalories: 1, protein: 100.01)), ("carbohydrates", Nutrients(kilocalories: 1, carbohydrates: 100.01)),
            ("fat", Nutrients(kilocalories: 1, fat: 100.01)), ("fiber", Nutrients(kilocalories: 1, fiber: 100.01)),
            ("sugar", Nutrients(kilocalories: 1, sugar: 100.01)), ("salt", Nutrients(kilocalories: 1, salt: 100.01)),
        ] {
            #expect(
                refusal { try entry(with: nutrients).validated() }
                    == "rice: 100.01 g of \(name) in 100.0 g; a nutrient can't weigh more than the food."
            )
        }
        #expect(refusal { try entry(with: Nutrients(kilocalories: 900, protein: 100)).validated() } == nil)
    }

    @Test func `a nutrient amount must be a number`() throws {
        let refused = { (amount: Double) in "rice: protein is \(amount), which is not an amount." }
        for amount in [Double.nan, -.nan, .infinity, -.infinity] {
            let nutrients = Nutrients(kilocalories: 100, protein: amount)
            #expect(refusal { try entry(with: nutrients).validated() } == refused(amount.isNaN ? .nan : amount))
            let food = Ingredient.Draft(name: "rice", nutrients: nutrients)
            #expect(refusal { try food.validated() } == refused(amount.isNaN ? .nan : amount))
            // Even if it results from a sum or a product.
            for broken in [
                nutrients + nutrients, nutrients - nutrients, nutrients + .zero, Nutrients.zero - nutrients, nutrients.scaled(by: 0),
            ] {
                #expect(refusal { try entry(with: broken).validated() } != nil, "\(amount) became \(broken.protein)")
            }
        }
        for factor in [Double.nan, .infinity, -.infinity] {
            #expect(refusal { try entry(with: Nutrients(kilocalories: 1).scaled(by: factor)).validated() } != nil)
        }
        // Values read from formats other than JSON may be NaN or infinite too.
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        for text in ["nan", "inf", "-inf"] {
            let nutrients = try decoder.decode(Nutrients.self, from: Data(#"{"kilocalories": 5, "salt": "\#(text)"}"#.utf8))
            #expect(refusal { try entry(with: nutrients).validated() } == "rice: salt is \(text), which is not an amount.")
        }
    }

    @Test func `the time of an entry must be a real date`() throws {
        for timeZone in [TimeZone.gmt, try #require(TimeZone(identifier: "Pacific/Kiritimati"))] {
            var draft = entry()
            draft.moment = FoodMoment(Date(timeIntervalSince1970: .nan), in: timeZone)
            #expect(refusal { try draft.validated() } == "The time of rice is not a date: it was created from a Date that is not a number.")
            // Drafts that are shown, compared, kept or sent before they are validated must not trap.
            #expect(draft == draft && Set([draft]).count == 1 && draft.moment.date.timeIntervalSince1970.isNaN)
            #expect(draft.moment.day == FoodDay(Date(timeIntervalSince1970: .nan), in: timeZone))
            #expect(!FoodDay.range.contains(draft.moment.day) && (0..<24).contains(draft.moment.hour))
            let entry = FoodEntry(id: FoodEntry.ID(rawValue: 1), draft, ingredientID: nil)
            #expect(entry.position == entry.position && !(entry.position < entry.position))
        }
    }

    @Test func `a confidence must be between 0 and 1`() {
        for confidence in [0, 1, 0.5] { #expect(refusal { try entry(confidence: confidence).validated() } == nil) }
        for confidence in [-0.001, 1.001, .nan] {
            #expect(
                refusal { try entry(confidence: confidence).validated() }
                    == "The confidence in rice is \(confidence); it must be between 0 and 1."
            )
        }
    }

    @Test func `validating a draft tidies and rounds it, and validating it again changes nothing`() throws {
        let draft = try entry("  a\u{301}  b ", grams: 33.333_33, confidence: 0.666_66).validated()
        #expect(draft.name.unicodeScalars.elementsEqual("á b".unicodeScalars) && draft.grams == 33.333 && draft.confidence == 0.667)
        #expect(try draft.validated() == draft)
        let ingredient = try Ingredient.Draft(
            name: " x ",
            aliases: [" ", " y"],
            nutrients: .zero,
            portions: [Ingredient.Portion(" z ", grams: 1.234_56)]
        ).validated()
        #expect(
            ingredient == Ingredient.Draft(name: "x", aliases: ["y"], nutrients: .zero, portions: [Ingredient.Portion("z", grams: 1.235)])
        )
        #expect(try ingredient.validated() == ingredient)
    }

    private func ingredient(
        _ name: String = "rice",
        aliases: [String] = [],
        category: String = "grain",
        with nutrients: Nutrients = .zero,
        portions: [Ingredient.Portion] = []
    ) -> Ingredient.Draft {
        Ingredient.Draft(
            name: name,
            aliases: aliases,
            category: IngredientCategory(rawValue: category),
            nutrients: nutrients,
            portions: portions
        )
    }

    @Test func `an ingredient needs a name, and has a limited number of aliases and portions`() {
        let long = String(repeating: "x", count: 201)
        #expect(refusal { try ingredient("\n").validated() } == "An ingredient needs a name.")
        #expect(
            refusal { try ingredient(long).validated() } == "The name xxxxxxxxxxxxxxxxxxxx… has 201 characters; at most 200 are allowed."
        )
        #expect(refusal { try ingredient(aliases: [long]).validated() } != nil)
        #expect(refusal { try ingredient(aliases: Array(repeating: "a", count: 100) + [""]).validated() } == nil)
        #expect(
            refusal { try ingredient(aliases: Array(repeating: "a", count: 101)).validated() }
                == "rice has 101 aliases; at most 100 are allowed."
        )
        let portion = Ingredient.Portion("slice", grams: 30)
        #expect(refusal { try ingredient(portions: Array(repeating: portion, count: 50)).validated() } == nil)
        #expect(
            refusal { try ingredient(portions: Array(repeating: portion, count: 51)).validated() }
                == "rice has 51 portions; at most 50 are allowed."
        )
        #expect(refusal { try ingredient(portions: [Ingredient.Portion("\t", grams: 1)]).validated() } == "A portion needs a name.")
    }

    @Test func `each portion of an ingredient has a single weight`() throws {
        let slice = Ingredient.Portion("slice", grams: 30)
        let cup = Ingredient.Portion("cup", grams: 240)
        #expect(try ingredient(portions: [slice, cup, slice]).validated().portions == [slice, cup])
        #expect(
            refusal { try ingredient(portions: [slice, Ingredient.Portion("Slice", grams: 35)]).validated() }
                == "rice has two portions called Slice with different weights."
        )
        #expect(
            refusal { try ingredient(portions: [Ingredient.Portion("sack", grams: 5_001)]).validated() }
                == "rice, sack: 5001.0 g is out of range; an amount must be between 0.1 and 5000 g."
        )
    }

    @Test func `an ingredient's nutrients must fit in 100 g, and its category must be a short word`() {
        #expect(refusal { try ingredient(with: Nutrients(kilocalories: 900)).validated() } == nil)
        #expect(
            refusal { try ingredient(with: Nutrients(kilocalories: 901)).validated() }
                == "rice: 901.0 kcal in 100.0 g; no food has more than 900 kcal in 100 g."
        )
        #expect(
            refusal { try ingredient(with: Nutrients(kilocalories: 1, salt: 101)).validated() }
                == "rice: 101.0 g of salt in 100.0 g; a nutrient can't weigh more than the food."
        )
        #expect(
            refusal { try ingredient(category: String(repeating: "x", count: 41)).validated() }
                == "The category xxxxxxxxxxxxxxxxxxxx… has 41 characters; at most 40 are allowed."
        )
        for category in ["", " grain", "a\nb"] {
            #expect(refusal { try ingredient(category: category).validated() } == "A category is a short word, such as fruit or grain.")
        }
        for category in ["café", String(repeating: "x", count: 40), "whole grain"] {
            #expect(refusal { try ingredient(category: category).validated() } == nil)
        }
    }

    @Test(
        arguments: [
            ("rice", "rice"), ("  rye   bread ", "rye bread"), ("a\t\r\nb\u{0}c", "a b c"), ("a\u{A0}\u{2003}\u{3000}b", "a b"),
            ("a\u{2028}b\u{2029}c", "a b c"),
            // Characters that reverse text, mark its ends or are invisible.
            ("\u{202E}abc\u{202C}", "abc"), ("a\u{2066}b\u{2069}", "ab"), ("\u{FEFF}so\u{AD}ft\u{200B}\u{200F}", "soft"),
            ("a\u{E000}b", "ab"),
            // Accents are composed with their letter, even if another character was between them.
            ("cafe\u{301}", "caf\u{E9}"), ("cafe\u{200B}\u{301}", "caf\u{E9}"), ("\u{1112}\u{1161}\u{11AB}", "\u{D55C}"),
            ("\u{212B}", "\u{C5}"),
            ("a \u{301}b", "a \u{301}b"), (" \u{301}b", "\u{301}b"), ("a  \u{301}b", "a \u{301}b"), ("x\u{323}\u{307}", "\u{1E8B}\u{323}"),
            // Joiners that hold emoji and letters of some scripts together are kept.
            ("👩‍🍳 soup", "👩‍🍳 soup"), ("می‌خواهم", "می‌خواهم"), ("🍽️", "🍽️"), ("🇫🇷 baguette", "🇫🇷 baguette"), ("黒パン", "黒パン"),
            ("", ""), (" \u{200B} ", ""),
        ] as [(String, String)]
    )
    func `tidying a tidy name changes nothing`(_ name: String, _ expected: String) {
        let tidied = FoodBounds.tidied(name)
        #expect(tidied.unicodeScalars.elementsEqual(expected.unicodeScalars), "\(Array(tidied.unicodeScalars))")
        #expect(FoodBounds.tidied(tidied).unicodeScalars.elementsEqual(tidied.unicodeScalars))
    }

    @Test func `common letters and signs need no tidying`() {
        let scalars = [0x21...0x7E, 0xAE...0x24F, 0x1E00...0x1EFF, 0x3041...0x3096, 0x30A1...0x30FA, 0x4E00...0x9FEF].joined()
        for scalar in scalars.lazy.compactMap({ Unicode.Scalar(UInt32($0)) }) {
            // Next to an uncommon letter, so that it takes the long path.
            let name = "\(scalar) 🍽"
            let tidied = FoodBounds.tidied(name)
            #expect(tidied.unicodeScalars.elementsEqual(name.unicodeScalars), "\(scalar.value)")
        }
    }

    @Test func `an error has a code, and its description is its message`() {
        let error = FoodDiaryError(.format, "Line 3 has no name.")
        #expect("\(error)" == "Line 3 has no name." && error.code == .format)
        #expect(
            [FoodDiaryError.Code.invalid, .notFound, .duplicate, .format, .file].map(\.rawValue)
                == ["invalid", "notFound", "duplicate", "format", "file"]
        )
    }
}
