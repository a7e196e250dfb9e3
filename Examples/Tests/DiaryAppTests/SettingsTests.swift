import DiaryApp
import FoodDiaryKit
import Foundation
import QueryKit
import QueryKitTesting
import Testing

/// The goal, and the health of the diary.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct SettingsTests {
    private let notice = RecoveryNotice(
        date: Date(timeIntervalSince1970: 1_795_000_000),
        cause: "The file was damaged.",
        days: [
            .init(FoodDay(number: 20_000), missing: 2), .init(FoodDay(number: 20_003), missing: 1),
        ]
    )

    @Test func `a new goal shows at once on the screens that use it`() async throws {
        let app = try await TestApp(days: 1)
        await app.appear()
        #expect(app.models.settings.goal == 2_000)
        app.models.settings.goal = 2_050
        #expect(app.models.settings.goal == 2_050)
        #expect(app.today.balance.goal == 2_050)
        await app.client.settled()
        #expect(app.models.settings.goal == 2_050)
        #expect(try await app.client.context.diarySettings.energyGoal() == 2_050)
    }

    @Test func `confirmed notices disappear at once`() async throws {
        let app = try await TestApp()
        app.doctor.reporting.returns(DiaryHealth(.recovered, notices: [notice]))
        await app.openSettings()
        #expect(app.models.settings.notices.map(\.missingCount) == [3])
        app.doctor.acknowledging.gate.close()
        app.models.settings.acknowledge()
        #expect(app.models.settings.notices.isEmpty)
        app.doctor.reporting.returns(DiaryHealth(.recovered))
        app.doctor.acknowledging.gate.open()
        await app.client.settled()
        #expect(app.models.settings.health == DiaryHealth(.recovered))
        #expect(app.doctor.acknowledging.callCount == 1)
    }

    @Test func `notices that can't be confirmed come back with the reason`() async throws {
        let app = try await TestApp()
        app.doctor.reporting.returns(DiaryHealth(.recovered, notices: [notice]))
        await app.openSettings()
        app.doctor.acknowledging.gate.failOnce(with: DiskError())
        app.models.settings.acknowledge()
        await app.client.settled()
        #expect(app.models.settings.notices == [notice])
        #expect(app.models.settings.problem == "Not confirmed: The disk is broken.")
    }

    @Test func `the diary is checked only when the user asks, and a repair checks again`()
        async throws
    {
        let app = try await TestApp()
        await app.openSettings()
        #expect(app.models.settings.findings == nil && app.doctor.checking.callCount == 0)
        app.doctor.checking.returns(FoodDiaryCheck(days: nil, totals: [FoodDay(number: 20_000)]))
        app.doctor.checking.gate.close()
        let check = Task { await app.models.settings.check() }
        try await app.client.loading(at: app.doctor.checking.gate) {
            #expect(app.models.settings.isChecking)
        }
        await check.value
        #expect(app.models.settings.findings?.isSound == false && !app.models.settings.isChecking)
        app.doctor.checking.returns(FoodDiaryCheck(days: nil))
        app.doctor.checking.gate.open()
        await app.models.settings.repair()
        #expect(app.models.settings.findings?.isSound == true)
        #expect(app.doctor.rebuilding.callCount == 1)
    }

    @Test func `a check that fails shows the reason`() async throws {
        let app = try await TestApp()
        await app.openSettings()
        app.doctor.checking.gate.failOnce(with: DiskError())
        await app.models.settings.check()
        #expect(app.models.settings.findings == nil)
        #expect(app.models.settings.problem == "The diary can't be checked: The disk is broken.")
    }

    @Test func `the goal is saved in the user defaults`() throws {
        let suite = "diary-app-tests-\(UUID().uuidString)"
        defer { UserDefaults.standard.removePersistentDomain(forName: suite) }
        let settings = DefaultsSettings(suite: suite)
        #expect(settings.energyGoal() == 2_000)
        settings.setEnergyGoal(2_300)
        #expect(DefaultsSettings(suite: suite).energyGoal() == 2_300)
    }
}

extension TestApp {
    func openSettings() async {
        await show { _ = (models.settings.health, models.settings.goal, models.settings.problem) }
    }
}
