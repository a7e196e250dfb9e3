import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

struct AffectedTests {
    private let bench = TestBench { call in
        QueryReads.note([QueryRegion(source: "diary", name: "entries", partition: "\(call.id)")])
        return call.number
    }
    private var inspection: ClientInspection { bench.client.inspection }

    private func effects(of pattern: QueryPattern) -> [String: Affected.Effect] {
        Dictionary(uniqueKeysWithValues: inspection.matches(of: pattern).map { ($0.path, $0.effect) })
    }

    /// A store in each situation, with subscriptions to hold and a gate that keeps number 3 running.
    private func prepare() async throws -> ([QuerySubscription], Gate, Task<Int, any Error>) {
        let gate = Gate()
        bench.backend.behave { call in
            if call.id == 3 { try await gate.pass() }
            return call.number
        }
        let observed = bench.client.store(for: Number(1)).record(Recorder())
        _ = try await bench.client.fetch(Number(2))
        let task = Task { try await bench.client.fetch(Number(3)) }
        await gate.arrived()
        let disabled = bench.client.store(for: Number(4).enabled(when: { _ in false })).record(Recorder())
        while bench.client.runningCount() != 1 { await Task.yield() }
        return ([observed, disabled], gate, task)
    }

    @Test func `what an invalidation would do is what it does, and asking changes nothing`() async throws {
        let (subscriptions, gate, task) = try await prepare()
        let before = inspection.marks()
        #expect(
            effects(of: "number/*") == [
                "number/1": .runs, "number/2": .unobserved, "number/3": .runsAgain, "number/4": .disabled,
            ]
        )
        #expect(effects(of: ["number", 2]) == ["number/2": .unobserved])
        #expect(effects(of: "other/**").isEmpty)
        #expect(inspection.marks() == before)
        let fetched = bench.backend.count
        let willRun = inspection.matches(of: .all).filter(\.willRun).count
        bench.client.invalidate("number/*")
        gate.open()
        _ = try await task.value
        await bench.client.settled()
        #expect(bench.backend.count - fetched == willRun)
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func `the words of a typed pattern also match numbers in paths`() {
        bench.client.setValue(1, for: Number(1))
        bench.client.setValue(2, for: Number(2))
        #expect(inspection.matches(of: "number/2").isEmpty)
        func matches(_ text: String) -> [String] { inspection.matches(of: inspection.pattern(typed: text)).map(\.path) }
        #expect(matches("number/2") == ["number/2"])
        #expect(matches("*/2/**") == ["number/2"])
        #expect(matches("number/*") == ["number/1", "number/2"])
        #expect(matches("number/3") == [])
    }

    @Test func `an inline request whose closure was released is unobserved, not disabled`() async throws {
        func flags() -> [StoreRow.Flag] { inspection.rows(inspection.marks().map(\.id)).flatMap(\.flags) }
        func settings() -> Set<String> {
            Set(
                inspection.marks().flatMap {
                    inspection.details($0.id, includingValue: false)?.settings.map { "\($0.name) \($0.text)" } ?? []
                }
            )
        }
        _ = try await bench.client.fetch(InlineQuery("inline") { _ in 1 }.ttl(.infinity))
        #expect(effects(of: "inline") == ["inline": .unobserved])
        #expect(flags() == [])
        #expect(settings().contains("last caller: closure none") && !settings().contains("last caller: enabled no"))
        // An observer without the closure can't run it either.
        let subscription = bench.client.store(for: InlineQuery<Int>("inline")).record(Recorder())
        #expect(effects(of: "inline") == ["inline": .withoutClosure])
        #expect(inspection.matches(of: "inline").map(\.willRun) == [false])
        subscription.cancel()
        bench.client.invalidate("inline")
        _ = try await bench.client.fetch(InlineQuery("inline") { _ in 1 }.ttl(.infinity).enabled(false))
        #expect(effects(of: "inline") == ["inline": .disabled])
        #expect(flags() == [.disabled])
        #expect(settings().contains("last caller: enabled no"))
    }

    @Test func `a run that waits for the network is not repeated`() async throws {
        let network = ManualNetworkObserver(isOnline: false)
        let bench = TestBench(network: network)
        let subscription = bench.client.store(for: Number()).record(Recorder())
        await bench.client.settled()
        #expect(bench.client.inspection.matches(of: .all).map(\.effect) == [.waitsForNetwork])
        subscription.cancel()
    }

    @Test func `the readers of a region are found by its text, its table and its source`() async throws {
        for id in 1...2 { _ = try await bench.client.fetch(Number(id)) }
        bench.client.setValue(3, for: Number(3))
        func readers(_ text: String) -> [String] { inspection.readers(ofRegion: text).map(\.path) }
        let open = ClientInspection(bench.client, showsValues: true)
        #expect(open.regionTexts(limit: 10) == ["diary", "diary/entries", "diary/entries/1", "diary/entries/2"])
        #expect(open.regionTexts(limit: 1) == ["diary"])
        for text in inspection.regionTexts(limit: 10).dropFirst(2) { #expect(readers(text).count == 1) }
        #expect(readers("diary/entries/1") == ["number/1"])
        #expect(readers("diary/entries") == ["number/1", "number/2"])
        #expect(readers("diary") == ["number/1", "number/2"])
        #expect(readers("diary/entries/7") == [])
        #expect(readers("diary/entries#7") == ["number/1", "number/2"])
        #expect(readers("") == [] && readers("#") == [] && readers("other") == [])
    }

    @Test func `the mistake in a malformed pattern is described`() {
        #expect(inspection.mistake(in: "number/**") == nil)
        #expect(inspection.mistake(in: "number//1")?.contains("number//1") == true)
    }
}
