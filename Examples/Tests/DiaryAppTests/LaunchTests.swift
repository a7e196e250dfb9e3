import DiaryApp
import FoodDiaryKit
import Foundation
import QueryKit
import Testing

/// The launch of the app over files, and a file that is damaged between two launches.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct LaunchTests {
    private let folder = FileManager.default.temporaryDirectory.appending(
        path: "diary-app-\(UUID().uuidString)"
    )

    private func open() async throws -> OpenDiary {
        var context = QueryContext()
        context.diarySettings = SampleSettings()
        return try await OpenDiary.open(in: folder, context: context, configuration: .isolated)
    }

    @Test func `what was logged is there after the next launch`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let first = try await open()
        let today = TodayModel(queryClient: first.client)
        try await first.log("Soup")
        _ = today.entries
        await first.client.settled()
        #expect(today.entries.map(\.name) == ["Soup"])
        await first.suspend()
        first.resume()
        await first.close()

        let model = DiaryModel { [self] in try await open() }
        #expect(model.models == nil && model.failure == nil)
        await model.open()
        let models = try #require(model.models)
        _ = models.today.entries
        await models.today.queryClient.settled()
        #expect(models.today.entries.map(\.name) == ["Soup"])
        await model.enterBackground()
        model.enterForeground()
        await models.settings.check()
        #expect(models.settings.findings?.isSound == true)
    }

    @Test func `a diary that can't be opened shows the reason, and can be opened again`()
        async throws
    {
        defer { try? FileManager.default.removeItem(at: folder) }
        // A file where the folder should be.
        try Data("x".utf8).write(to: folder)
        let model = DiaryModel { [self] in try await open() }
        await model.open()
        #expect(model.failure?.hasPrefix("The diary can't be opened: ") == true)
        try FileManager.default.removeItem(at: folder)
        await model.open()
        #expect(model.models != nil)
    }

    @Test func `the notice of a recovery stays over launches until the user confirms it`()
        async throws
    {
        defer { try? FileManager.default.removeItem(at: folder) }
        let first = try await open()
        for number in 1...400 { try await first.log("Food \(number)") }
        await first.close()
        try damage(folder.appending(path: "diary.sqlite"))

        let second = try await open()
        let settings = SettingsModel(queryClient: second.client)
        _ = settings.health
        await second.client.settled()
        #expect(settings.health?.storage != .sound)
        #expect(settings.notices.count == 1)
        await second.close()

        let third = try await open()
        let again = SettingsModel(queryClient: third.client)
        _ = again.health
        await third.client.settled()
        #expect(again.health?.storage == .sound && again.notices == settings.notices)
        again.acknowledge()
        await third.client.settled()
        #expect(again.notices.isEmpty && again.problem == nil)
        await third.close()

        let fourth = try await open()
        #expect(try await fourth.client.context.diaryDoctor.health() == DiaryHealth())
        await fourth.close()
    }

    @Test func `damage that is found while the app runs shows as a notice at once`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let first = try await open()
        for number in 1...400 { try await first.log("Food \(number)") }
        await first.close()
        try clearPage(with: "Food 200", of: folder.appending(path: "diary.sqlite"))

        let diary = try await open()
        let settings = SettingsModel(queryClient: diary.client)
        _ = settings.health
        await diary.client.settled()
        #expect(settings.health == DiaryHealth())
        await settings.check()
        await waitUntil { settings.health?.storage == .recovered }
        #expect(settings.notices.map { $0.missingCount > 0 } == [true])
        await diary.close()
    }

    /// Overwrites the first page that contains a text, which the opening doesn't read.
    private func clearPage(with text: String, of file: URL) throws {
        var data = try Data(contentsOf: file)
        let place = try #require(data.firstRange(of: Data(text.utf8))).lowerBound
        let start = place / 4_096 * 4_096
        data.replaceSubrange(start..<start + 4_096, with: Data(count: 4_096))
        try data.write(to: file)
    }

    /// Overwrites pages in the middle of the file.
    private func damage(_ file: URL) throws {
        let handle = try FileHandle(forUpdating: file)
        let size = try handle.seekToEnd()
        try handle.seek(toOffset: size / 2)
        try handle.write(contentsOf: Data(repeating: 0xA5, count: 3 * 4_096))
        try handle.close()
    }
}

extension DiaryModel {
    fileprivate var models: DiaryModels? {
        if case .open(let models) = phase { models } else { nil }
    }

    fileprivate var failure: String? { if case .failed(let reason) = phase { reason } else { nil } }
}

extension OpenDiary {
    fileprivate func log(_ name: String) async throws {
        let draft = FoodEntry.Draft(
            name: name,
            grams: 100,
            nutrients: Nutrients(kilocalories: 100),
            at: FoodMoment(client.context.clock.date, in: client.context.timeZone)
        )
        _ = try await client.mutate(LogFood(), with: draft)
    }
}
