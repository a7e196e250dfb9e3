import DemoActs
import QueryKit
import Testing

/// What each act does, by what its screens have shown, and by how many requests and runs there were.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct ActTests {
    @Test func `2,000 callers cause one request and one run`() async throws {
        let act = try await play(1)
        #expect(act.counts == ["answers": 2_000, "requests": 1, "runs": 1])
        #expect(act.shown == [])
    }

    @Test func `a fresh value needs no request, and a stale one is shown while it is refetched`() async throws {
        let act = try await play(2)
        #expect(act.counts == ["requests": 2, "runs": 2])
        #expect(
            act.shown == [
                "Screen: – (loading)", "Screen: Oslo, Bergen, Rome", "Second screen: Oslo, Bergen, Rome",
                "Screen, a minute later: Oslo, Bergen, Rome", "Screen, a minute later: Oslo, Bergen, Rome (refreshing)",
                "Screen, a minute later: Oslo, Bergen, Rome, Lisbon",
            ]
        )
    }

    @Test func `a commit of another process refetches both queries that read the table`() async throws {
        let act = try await play(3)
        #expect(act.counts == ["runs": 4])
        #expect(
            act.shown(on: "Packing list") == [
                "– (loading)", "Passport, Tent", "Passport, Tent (refreshing)", "Passport, Tent, Raincoat",
            ]
        )
        #expect(act.shown(on: "Count") == ["– (loading)", "2", "2 (refreshing)", "3"])
        #expect(act.outcome.hasSuffix("otherProcess(\(QueryRegion(source: "packing", name: "items", row: "3")))"))
    }

    @Test func `of two overlapping changes the refused one disappears, and the other one stays`() async throws {
        let act = try await play(4)
        #expect(act.counts == ["requests": 4, "runs": 4])
        #expect(
            act.shown(on: "Trips") == [
                "– (loading)", "Oslo, Bergen, Rome", "Oslo ♥, Bergen, Rome (optimistic)", "Oslo ♥, Bergen, Rome ♥ (optimistic)",
                "Oslo ♥, Bergen, Rome (optimistic)", "Oslo ♥, Bergen, Rome (optimistic, refreshing)", "Oslo ♥, Bergen, Rome",
            ]
        )
        #expect(act.outcome.contains("Oslo liked, Rome refused"))
    }

    @Test func `a change waits in a file, is shown by the next launch, and is sent once`() async throws {
        let act = try await play(5)
        #expect(act.counts == ["requests": 7, "runs": 5])
        let shown = act.shown(on: "Trips")
        #expect(shown.prefix(3) == ["– (loading)", "Oslo, Bergen, Rome", "Oslo, Bergen, Rome, Lisbon (optimistic)"])
        #expect(
            shown.dropFirst(3) == [
                "– (loading)", "Oslo, Bergen, Rome, Lisbon (optimistic, refreshing)",
                "Oslo, Bergen, Rome, Lisbon (optimistic, attempt 2 after: no network)",
                "Oslo, Bergen, Rome, Lisbon (optimistic, waits for the network)",
                "Oslo, Bergen, Rome, Lisbon (optimistic, attempt 2 after: no network)",
                "Oslo, Bergen, Rome, Lisbon (optimistic, refreshing)", "Oslo, Bergen, Rome, Lisbon",
            ]
        )
        #expect(act.outcome.hasSuffix("Now the server has: Oslo, Bergen, Rome, Lisbon."))
    }

    @Test func `pages are added one by one, and refetched in turn with one change at the end`() async throws {
        let act = try await play(6)
        #expect(act.counts == ["requests": 6, "runs": 4])
        #expect(
            act.shown(on: "Pages") == [
                "– (loading)", "Oslo, Bergen", "Oslo, Bergen (refreshing)", "Oslo, Bergen | Rome, Lisbon",
                "Oslo, Bergen | Rome, Lisbon (refreshing)", "Oslo, Bergen | Rome, Lisbon | Porto",
                "Oslo, Bergen | Rome, Lisbon | Porto (refreshing)", "Oslo, Bergen | Rome, Lisbon | Porto",
            ]
        )
    }

    @Test func `two failed attempts belong to one run, with one second and two seconds between attempts`() async throws {
        let act = try await play(7)
        #expect(act.counts == ["requests": 3, "runs": 1])
        #expect(
            act.shown(on: "Trips") == ["– (loading)", "– (attempt 2 after: 503)", "– (attempt 3 after: 503)", "Oslo, Bergen, Rome"]
        )
        let times = act.picture.entries.filter { $0.screen != nil }.map(\.time)
        // Each attempt takes half a second.
        #expect(times == [.zero, .seconds(0.5), .seconds(2), .seconds(4.5)])
    }

    @Test func `a logout empties the screen, and the next user never sees a late answer`() async throws {
        let act = try await play(8)
        #expect(act.counts == ["requests": 3, "runs": 3])
        #expect(
            act.shown(on: "My trips") == ["– (loading)", "Oslo, Bergen", "Oslo, Bergen (refreshing)", "–", "– (loading)", "Rome"]
        )
    }

    @Test func `each of six runs has its cause`() async throws {
        let act = try await play(9)
        #expect(act.counts == ["requests": 4, "runs": 6])
        let causes = act.picture.entries.compactMap { $0.content.remark.split(separator: ": ").last.map(String.init) }
        let item = QueryRegion(source: "packing", name: "items", row: "1")
        #expect(
            causes == [
                "subscribed", "subscribed", "invalidated(trips/*)", "regionChanged(\(item))", "manual", "trigger(reconnect)",
            ]
        )
    }

    @Test(arguments: 1...Act.all.count)
    func `each act is the same when it is played again`(number: Int) async throws {
        let (first, second) = (try await play(number), try await play(number))
        #expect(first.picture == second.picture)
    }

    private func play(_ number: Int) async throws -> PlayedAct {
        PlayedAct(picture: try await Stage.play(Act.all[number - 1], executable: #require(DemoProgram.file)))
    }
}

/// The picture at the end of an act, as texts.
private struct PlayedAct {
    let picture: StagePicture

    var outcome: String { picture.outcome ?? "" }

    var counts: [String: Int] { Dictionary(uniqueKeysWithValues: picture.counts.map { ($0.name, $0.value) }) }

    var shown: [String] { picture.entries.compactMap { entry in entry.screen.map { "\($0): \(Self.text(of: entry.content))" } } }

    func shown(on screen: String) -> [String] { picture.entries.filter { $0.screen == screen }.map { Self.text(of: $0.content) } }

    private static func text(of content: StageContent) -> String {
        content.remark.isEmpty ? content.text : "\(content.text) (\(content.remark))"
    }
}
