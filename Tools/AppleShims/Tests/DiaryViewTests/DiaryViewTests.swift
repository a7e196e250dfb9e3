import FoodDiaryKit
import Foundation
import QueryKit
import QueryKitTesting
import SwiftUI
import Testing

@testable import DiaryApp

/// The views of the example app, drawn as lines over a diary in memory.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct DiaryViewTests {
    private let sample: SampleDiary
    private let models: DiaryModels
    private let notice = RecoveryNotice(
        date: Date(timeIntervalSince1970: 1_795_000_000),
        cause: "A page could not be read.",
        days: [.init(FoodDay(number: 20_000), missing: 2)]
    )

    init() async throws {
        var context = QueryContext()
        context.clock = ManualClock(date: Date(timeIntervalSince1970: 1_795_262_400))
        context.timeZone = .gmt
        sample = SampleDiary(doctor: SampleDoctor(DiaryHealth(.recovered, notices: [notice])), context: context)
        models = DiaryModels(queryClient: sample.client)
        try await sample.fill(days: 2)
    }

    /// The lines of a view when all that it reads is there.
    private func lines(of host: ViewHost<some View>) async -> [String] {
        _ = host.draw()
        await sample.client.settled()
        _ = host.draw()
        await sample.client.settled()
        return host.draw()
    }

    @Test func `today shows the total and the entries`() async {
        let host = ViewHost(TodayView(model: models.today))
        #expect(
            await lines(of: host) == [
                "# Total", "\(Words.energy(412.5)) of \(Words.energy(2_000))", "21 %",
                "Protein: \(Words.grams(14.7))", "Carbohydrates: \(Words.grams(67.3))", "Fat: \(Words.grams(7.3))",
                "# Eaten",
                "Rolled oats, 90 g: 335 kcal", "[Delete]",
                "Rye bread, 30 g: 78 kcal", "[Delete]",
                "[Add food]",
            ]
        )
    }

    @Test func `a deleted entry is gone with the next drawing`() async throws {
        let host = ViewHost(TodayView(model: models.today))
        _ = await lines(of: host)
        models.today.delete(try #require(models.today.entries.last))
        let drawn = host.draw()
        #expect(drawn.contains("Rolled oats, 90 g: 335 kcal") && !drawn.contains("Rye bread, 30 g: 78 kcal"))
    }

    @Test func `the sheet shows the foods, then the amount of the chosen one`() async throws {
        let host = ViewHost(TodayView(model: models.today))
        _ = await lines(of: host)
        #expect(!host.draw().contains("[Cancel]"))
        models.today.startAdding()
        #expect(await lines(of: host).contains("[Lentil soup: 56 kcal]"))
        let adding = try #require(models.today.adding)
        adding.choose(try #require(adding.search.results.first { $0.name == "Egg" }))
        let drawn = host.draw()
        #expect(drawn.contains("Unit <egg (55 g), g>") && drawn.contains("Amount \"1\"") && drawn.contains("Energy: 85 kcal"))
        adding.log()
        let after = host.draw()
        #expect(after.contains("Egg, 55 g: 85 kcal") && !after.contains("[Cancel]"))
    }

    @Test func `trends show each day as a part of the highest`() async {
        let drawn = await lines(of: ViewHost(TrendsView(model: models.trends)))
        #expect(drawn.contains("Average: \(Words.energy(373.65))"))
        #expect(drawn.filter { $0.hasSuffix(" %") } == ["0 %", "0 %", "0 %", "0 %", "81 %", "100 %", "0 %"])
        #expect(drawn.suffix(4) == ["Rolled oats: 2 ×", "Rye bread: 1 ×", "[Earlier]", "[Later]"])
    }

    @Test func `the form of an ingredient shows its values`() async throws {
        let host = ViewHost(IngredientListView(model: models.ingredients))
        #expect(await lines(of: host).contains("[Apple: 52 kcal]"))
        models.ingredients.edit(try #require(models.ingredients.search.results.first { $0.name == "Egg" }))
        let drawn = host.draw()
        #expect(drawn.contains("Name \"Egg\"") && drawn.contains("Energy (kcal): Energy (kcal) \"155\""))
        #expect(!drawn.contains { $0.hasPrefix("Correct earlier entries") })
    }

    @Test func `settings show the notices until they are confirmed`() async {
        let host = ViewHost(SettingsView(model: models.settings))
        let drawn = await lines(of: host)
        #expect(drawn.contains("A page could not be read.") && drawn.contains("[I have read this]"))
        #expect(drawn.contains("-\(Words.energy(2_000))+"))
        models.settings.acknowledge()
        #expect(!host.draw().contains("A page could not be read."))
    }

    @Test func `the app shows its screens when the diary is open`() async {
        let diary = sample.opened
        let model = DiaryModel { diary }
        let host = ViewHost(RootView(model: model))
        #expect(host.draw() == ["Opening the diary…", "…"])
        await model.open()
        let drawn = await lines(of: host)
        #expect(drawn.contains("# Eaten") && drawn.contains("# Goal") && drawn.contains("[Add ingredient]"))
    }

    @Test func `the app shows why the diary can't be opened`() async {
        let model = DiaryModel { throw FoodDiaryError(.file, "The disk is full.") }
        let host = ViewHost(RootView(model: model))
        await model.open()
        #expect(host.draw() == ["The diary can't be opened: The disk is full.", "[Try again]"])
    }
}
