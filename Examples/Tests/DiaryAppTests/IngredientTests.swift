import DiaryApp
import FoodDiaryKit
import QueryKit
import QueryKitTesting
import Testing

/// The list of ingredients, and the form that edits one.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct IngredientTests {
    @Test func `a saved ingredient closes the form and is shown in the list`() async throws {
        let app = try await TestApp()
        let form = try await app.edit("Apple")
        #expect(!form.isNew && form.name == "Apple" && form.kilocalories == 52)
        form.name = "Apple, red"
        await form.save()
        #expect(app.models.ingredients.editing == nil)
        await app.show { _ = app.models.ingredients.search.results }
        #expect(app.models.ingredients.search.results.map(\.name).contains("Apple, red"))
    }

    @Test func `what the form doesn't show is kept`() async throws {
        let app = try await TestApp()
        let form = try await app.edit("Apple")
        form.fat = 0.4
        await form.save()
        let apple = try await app.ingredient("Apple")
        #expect(apple.nutrients.fat == 0.4)
        #expect(apple.portions == [.init("apple", grams: 180)])
    }

    @Test func `a name that exists is refused, and the form stays open`() async throws {
        let app = try await TestApp()
        let form = try await app.edit("Apple")
        form.name = "Egg"
        await form.save()
        #expect(form.problem == "There is an ingredient called “Egg” already.")
        #expect(app.models.ingredients.editing != nil && !form.isSaving)
    }

    @Test func `the form shows that it is saving`() async throws {
        let app = try await TestApp()
        let form = try await app.edit("Apple")
        app.writes.close()
        let save = Task { await form.save() }
        try await app.client.loading(at: app.writes) { #expect(form.isSaving) }
        await save.value
        #expect(!form.isSaving)
    }

    @Test func `earlier entries keep their energy unless the user corrects them`() async throws {
        let app = try await TestApp(days: 1)
        await app.appear()
        let form = try await app.edit("Rolled oats")
        #expect(form.canCorrectHistory)
        form.kilocalories = 300
        await form.save()
        await app.client.settled()
        #expect(app.today.balance.eaten == 334.8)
        let again = try await app.edit("Rolled oats")
        again.correctsHistory = true
        await again.save()
        await app.client.settled()
        #expect(app.today.balance.eaten == 270)
    }

    @Test func `a new ingredient has an empty form and no history`() async throws {
        let app = try await TestApp()
        app.models.ingredients.add()
        let form = try #require(app.models.ingredients.editing)
        #expect(form.isNew && form.name.isEmpty && !form.canCorrectHistory)
        await form.save()
        #expect(form.problem == "An ingredient needs a name.")
        form.name = "Rice"
        form.category = .grain
        form.kilocalories = 130
        await form.save()
        #expect(app.models.ingredients.editing == nil)
        #expect(try await app.ingredient("rice").nutrients.kilocalories == 130)
    }
}

extension TestApp {
    func edit(_ name: String) async throws -> IngredientFormModel {
        models.ingredients.edit(try await ingredient(name))
        return try #require(models.ingredients.editing)
    }
}
