import QueryKit
import QueryKitTesting
import Testing

@testable import PreferencesApp

/// Two ways to switch profiles: what both guarantee, and where they differ.
@MainActor @Suite(.timeLimit(.minutes(1))) struct ProfileTests {
    private let stored = ["amoled": "false", "work-amoled": "true", "work-accent": "\"green\""]
    private let stores: FakeStores
    private let work: Profile

    init() throws {
        stores = FakeStores(stored, ["work-token": "s3cr3t"])
        work = try Profile(named: "work")
    }

    @Test(arguments: [true, false])
    func `a switch shows the settings of the profile at once, and those of the other when it is back`(byContext: Bool) async throws {
        let app = TestProfiles(stores, byContext: byContext)
        await app.appear()
        #expect(app.lines == ["amoled    off", "accent    blue", "textSize  14", "token     none"])
        try await app.profiles.show(work)
        #expect(app.lines == ["amoled    on", "accent    green", "textSize  14", "token     saved"])
        await app.appear()
        #expect(app.lines == ["amoled    on", "accent    green", "textSize  14", "token     saved"])
        try await app.profiles.show(nil)
        #expect(app.lines == ["amoled    off", "accent    blue", "textSize  14", "token     none"])
    }

    @Test(arguments: [true, false])
    func `a change is saved for the profile that is shown`(byContext: Bool) async throws {
        let app = TestProfiles(stores, byContext: byContext)
        try await app.profiles.show(work)
        await app.profiles.model.send(.textSizeChanged(20))?.value
        try await app.profiles.show(nil)
        await app.profiles.model.send(.textSizeChanged(10))?.value
        await app.profiles.model.send(.tokenEntered("n3w"))?.value
        #expect(await stores.texts == stored.merging(["work-textSize": "20", "textSize": "10"]) { $1 })
        #expect(await stores.secrets == ["work-token": "s3cr3t", "token": "n3w"])
    }

    @Test(arguments: [true, false])
    func `a change that is being saved during a switch is saved for the profile that it was made in`(byContext: Bool) async throws {
        let app = TestProfiles(stores, byContext: byContext)
        await app.appear()
        stores.writing.close()
        let saving = app.profiles.model.send(.amoledToggled)
        let switching = Task { try await app.profiles.show(work) }
        await stores.writing.holds()
        if let profiles = app.profiles as? ContextProfiles { await becomesTrue { profiles.isWaiting } }
        stores.writing.open()
        await saving?.value
        try await switching.value
        #expect(app.lines.first == "amoled    on")
        #expect(await stores.texts == stored.merging(["amoled": "true"]) { $1 })
        #expect((app.profiles as? ContextProfiles)?.isWaiting != true)
        try await app.profiles.show(nil)
        #expect(app.lines.first == "amoled    on")
    }

    @Test(arguments: [true, false])
    func `of two switches that overlap, the later one wins, no matter which settings arrive first`(byContext: Bool) async throws {
        let app = TestProfiles(stores, byContext: byContext)
        await app.appear()
        stores.readingWork.close()
        let first = Task { try await app.profiles.show(work) }
        await stores.readingWork.holds()
        try await app.profiles.show(Profile(named: "home"))
        stores.readingWork.open()
        try await first.value
        #expect(app.lines == ["amoled    off", "accent    blue", "textSize  14", "token     none"])
        #expect(app.profiles.profile?.name == "home")
    }

    @Test(arguments: [true, false])
    func `a switch that fails shows the previous profile, and says why`(byContext: Bool) async throws {
        let app = TestProfiles(stores, byContext: byContext)
        await app.appear()
        stores.reading.fail(with: DiskFailure())
        await #expect(throws: DiskFailure.self) { try await app.profiles.show(work) }
        #expect(app.lines.first == "amoled    off" && app.profiles.profile == nil)
    }

    @Test func `by context, nothing of the previous profile stays, and a late result of it is dropped`() async throws {
        let app = TestProfiles(stores, byContext: true)
        let client = app.client
        try await app.profiles.show(work)
        await app.appear()
        stores.reading.close()
        client.invalidate("preferences/amoled")
        await stores.reading.holds()
        client.reset(session: nil)
        #expect(client.value(for: Preference(.amoled)) == nil)
        #expect(app.lines == ["amoled    off", "accent    blue", "textSize  14", "token     none"])
        stores.reading.open()
        await client.settled()
        #expect(app.lines == ["amoled    off", "accent    blue", "textSize  14", "token     none"])
    }

    @Test func `by container, the values of a profile stay while another one is shown, until it is removed`() async throws {
        let app = TestProfiles(stores, byContext: false)
        let profiles = try #require(app.profiles as? ContainerProfiles)
        try await app.profiles.show(work)
        weak let client = profiles.current.client
        try await app.profiles.show(nil)
        #expect(client?.value(for: Preference(.accent)) == .green)
        let reads = stores.reading.arrivals
        try await app.profiles.show(work)
        // Only the token, which other programs may remove, is looked for again.
        #expect(stores.reading.arrivals == reads + 1)
        profiles.remove(work)
        #expect(client == nil && app.profiles.profile == nil)
    }

    @Test(arguments: ["", "a-b", "../x", "ä"]) func `a name that could reach another profile's preferences is refused`(name: String) {
        let error = #expect(throws: UsageError.self) { try Profile(named: name) }
        #expect(error?.description.hasPrefix("\"\(name)\" can't name a profile") == true)
    }
}
