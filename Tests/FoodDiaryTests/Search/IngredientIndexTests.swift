import SQLiteTestSupport
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite
@testable import FoodDiarySamples
@testable import QueryKitSQLite

/// The index follows changes of ingredients. Each search compares a database with a list.
struct IngredientIndexTests {
    private static let words = [
        "milk", "milch", "mill", "oat", "oats", "bơ", "bò", "bo", "crème", "creme", "牛乳", "牛肉", "rye", "bread", "breads", "7up",
    ]
    private static let categories: [IngredientCategory] = [.dairy, .grain]

    private static func draft(_ random: inout SampleRandom, _ number: Int) -> Ingredient.Draft {
        func label(_ random: inout SampleRandom) -> String {
            (0...random.below(3)).map { _ in words[random.below(words.count)] }.joined(separator: random.chance(of: 20) ? "-" : " ")
        }
        return Ingredient.Draft(
            name: label(&random) + (random.chance(of: 60) ? " \(number)" : " " + words[random.below(words.count)] + " \(number)"),
            aliases: (0..<random.below(3)).map { _ in label(&random) },
            category: categories[random.below(2)],
            nutrients: .zero
        )
    }

    private static func typed(_ random: inout SampleRandom) -> String {
        var typed = (0...random.below(3)).map { _ in words[random.below(words.count)] }.joined(separator: " ")
        if random.chance(of: 40) { typed.removeLast() }
        if random.chance(of: 30), !typed.isEmpty {
            typed.insert("x", at: typed.index(typed.startIndex, offsetBy: random.below(typed.count)))
        }
        return typed
    }

    @Test func `an ingredient whose key has no room in the index is refused with its name and key`() async throws {
        let larder = try await Larder()
        let draft = Ingredient.Draft(name: "milk", nutrients: .zero)
        let refusal = FoodDiaryError(
            .invalid,
            "milk can't be added to the search: its key -1 is out of range. Delete the ingredients with such keys."
        )
        await #expect(throws: refusal) {
            try await larder.database.write { db in
                var writer = try IngredientIndexWriter(db)
                try writer.insert(Ingredient(id: Ingredient.ID(rawValue: -1), draft, usageCount: 0))
            }
        }
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64], [SearchBounds(), SearchBounds(candidates: 5, beginnings: 3)])
    func `a database finds the same as a list after any changes`(_ seed: UInt64, _ bounds: SearchBounds) async throws {
        var random = SampleRandom(seed: seed)
        let larder = try await Larder(bounds: bounds)
        for number in 0..<60 {
            let ids = larder.ingredients.keys.sorted()
            switch random.below(10) {
            case 0..<5: try await larder.save(Self.draft(&random, number))
            case 5 where !ids.isEmpty: try await larder.save(Self.draft(&random, number), as: ids[random.below(ids.count)])
            case 6 where !ids.isEmpty: try await larder.delete(ids[random.below(ids.count)])
            case 7, 8, 9: for id in ids where random.chance(of: 20) { try await larder.use(id, random.below(40) * random.below(3)) }
            default: break
            }
            if number % 3 == 0 {
                let limit = [1, 3, 20][random.below(3)]
                _ = try await larder.find(Self.typed(&random), in: random.chance(of: 30) ? .dairy : nil, limit: limit)
                _ = try await larder.relevant(Self.typed(&random) + " and " + Self.typed(&random))
            }
        }
        let before = try await larder.find("milk")
        try await larder.rebuild()
        #expect(try await larder.find("milk") == before)
        for _ in 0..<10 { _ = try await larder.find(Self.typed(&random)) }
    }

    @Test func `an emptied index contains nothing of its previous ingredients`() async throws {
        let larder = try await Larder("Milk = 牛奶", "Crème")
        for id in larder.ingredients.keys { try await larder.delete(id) }
        #expect(try await larder.find("milk").isEmpty)
        #expect(try await larder.database.count("SELECT count(*) FROM ingredient_names") == 0)
        try await larder.database.execute("INSERT INTO ingredient_search (ingredient_search) VALUES ('optimize')")
        let rows = try await larder.database.count(
            "SELECT count(*) FROM ingredient_search WHERE ingredient_search MATCH 'milk OR creme OR crème OR \"牛\" OR \"=6f74686572\"'"
        )
        #expect(rows == 0)
    }

    @Test func `an ingredient whose write was undone is not found, and its words correct no spelling`() async throws {
        let larder = try await Larder("Milk")
        _ = try await larder.find("mlik")
        let search = larder.search
        struct Undo: Error {}
        await #expect(throws: Undo.self) {
            try await larder.database.write { db in
                try db.execute(
                    """
                    INSERT INTO ingredients (id, name, name_key, category, kilocalories, protein, carbohydrates, fat, fiber, sugar, salt)
                    VALUES (7, 'Cheese', 'cheese', 'dairy', 0, 0, 0, 0, 0, 0, 0)
                    """
                )
                let cheese = Ingredient(id: .init(rawValue: 7), .init(name: "Cheese", category: .dairy, nutrients: .zero))
                try IngredientIndex.insert(cheese, in: db)
                #expect(try search.search("chese", category: nil, limit: 5, in: db).map(\.name) == ["Cheese"])
                throw Undo()
            }
        }
        #expect(try await larder.find("chese").isEmpty)
        // The key of the undone word now belongs to another one.
        try await larder.add("Cherry")
        #expect(try await larder.find("chery") == ["Cherry"])
    }

    @Test func `words are read again after the index was rebuilt`() async throws {
        let larder = try await Larder("Milk", "Cheese")
        #expect(try await larder.find("mlik") == ["Milk"])
        for id in larder.ingredients.keys { try await larder.delete(id) }
        try await larder.rebuild()
        try await larder.add("Bread")
        try await larder.add("Butter")
        #expect(try await larder.find("bred") == ["Bread"])
        #expect(try await larder.find("mlik").isEmpty)
    }

    @Test func `a rebuild repairs damage of the index`() async throws {
        let larder = try await Larder("Milk = 牛奶: 4", "Oat milk")
        try await larder.database.write { db in
            try db.execute("INSERT INTO ingredient_search (ingredient_search) VALUES ('delete-all')")
            try db.execute("DELETE FROM ingredient_names")
            try db.execute("DELETE FROM ingredient_terms WHERE id = 1")
            try db.execute("DELETE FROM ingredient_terms_version")
        }
        try await larder.rebuild()
        #expect(try await larder.find("milk") == ["Milk", "Oat milk"])
        #expect(try await larder.find("mlik") == ["Milk", "Oat milk"])
    }

    @Test func `an ingredient that is used more has a lower rank, which changes rarely`() {
        func rank(_ usageCount: Int, _ name: String = "Milk") -> Int64 {
            IngredientIndex.rank(of: Ingredient.ID(rawValue: 12), name, usageCount: usageCount)
        }
        let ranks = (0...100_000).map { rank($0) }
        #expect(zip(ranks, ranks.dropFirst()).allSatisfy { $0 >= $1 })
        #expect(Set(ranks.prefix(17)).count == 17)
        #expect(Set(ranks).count < 150)
        #expect(ranks.allSatisfy { $0 > 0 && $0 & IngredientIndex.idMask == 12 })
        #expect(rank(.max) > 0)
        #expect(rank(-5) == ranks[0])
        #expect(rank(3, "Milk") < rank(3, "Milks") && rank(3, String(repeating: "m", count: 5_000)) < rank(2, "M"))
    }

    @Test func `of hundreds of similarly used ingredients the most used one is found`() async throws {
        let larder = try await Larder((1...130).map { Ingredient.Draft(name: "Zarb \($0)", category: .other, nutrients: .zero) })
        for id in larder.ingredients.keys { try await larder.use(id, 16) }
        try await larder.add("Popular zarb thing: 17")
        #expect(try await larder.find("zarb").first == "Popular zarb thing")
    }

    @Test func `of hundreds of unused ingredients the shortest names are found`() async throws {
        let larder = try await Larder(
            (1...150).map { Ingredient.Draft(name: "Casserole with bread \($0)", category: .other, nutrients: .zero) }
        )
        try await larder.add("Rye bread")
        #expect(try await larder.find("bread").first == "Rye bread")
        #expect(try await larder.relevant("a slice of bread").first == "Rye bread")
    }

    @Test func `similar ingredients are ordered by their real use`() async throws {
        let larder = try await Larder("Milk a: 161", "Milk b: 175", "Milk c: 160")
        #expect(try await larder.find("milk") == ["Milk b", "Milk a", "Milk c"])
        #expect(try await larder.find("milk", limit: 1) == ["Milk b"])
    }

    @Test func `a key too large for the index, from a damaged file, does not affect other ingredients`() async throws {
        let larder = try await Larder("Milk", "Cheese")
        let id = Ingredient.ID(rawValue: 1 << IngredientIndex.idBits + 1)
        try await larder.database.core.lanes.perform(.write) { connection, _ in
            // Written as damage would be, past the constraints.
            try connection.run("PRAGMA ignore_check_constraints = 1")
            try connection.run(
                """
                INSERT INTO ingredients (id, name, name_key, category, kilocalories, protein, carbohydrates, fat, fiber, sugar, salt)
                VALUES (?, 'Milk ', 'milk ', 'other', 0, 0, 0, 0, 0, 0, 0)
                """,
                [id.sqliteValue]
            )
            try connection.run("PRAGMA ignore_check_constraints = 0")
        }
        try await larder.rebuild()
        #expect(try await larder.find("milk") == ["Milk"])
        #expect(try await larder.repository.delete(id))
        #expect(try await larder.find("milk") == ["Milk"])
    }
}
