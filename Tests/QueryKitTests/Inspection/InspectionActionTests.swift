import Foundation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// A durable mutation.
private struct Log: DurableMutationRequest {
    static let journalName = "Log"

    var path: QueryPath { ["log"] }
    var scope: String? { "log" }

    func mutate(with number: Int, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int { number }
}

struct InspectionActionTests {
    private func id(_ path: String = "number/1", in client: QueryClient) throws -> Int {
        let inspection = client.inspection
        return try #require(inspection.rows(inspection.marks().map(\.id)).first { $0.path == path }?.id)
    }

    @Test func `actions on one store and on a pattern do what the client's calls do`() async throws {
        let bench = TestBench()
        let inspection = bench.client.inspection
        let subscriptions = [1, 2].map { bench.client.store(for: Number($0)).record(Recorder()) }
        await bench.client.settled()
        let id = try id(in: bench.client)
        func fetched(_ action: InspectionAction, _ count: Int) async -> [Int] {
            let before = bench.backend.fetched.count
            #expect(inspection.perform(action) == count)
            await bench.client.settled()
            return bench.backend.fetched.dropFirst(before).sorted()
        }
        #expect(await fetched(.invalidate(.store(id)), 1) == [1])
        #expect(await fetched(.invalidate(.pattern("number/**")), 2) == [1, 2])
        #expect(await fetched(.refetch(.store(id)), 1) == [1])
        #expect(await fetched(.refetch(.pattern(.all)), 2) == [1, 2])
        #expect(await fetched(.reset(.store(id)), 1) == [1])
        #expect(await fetched(.reset(.pattern(.all)), 2) == [1, 2])
        #expect(await fetched(.remove(.store(id)), 1) == [1])
        #expect(await fetched(.remove(.pattern(["number", 2])), 1) == [2])
        #expect(await fetched(.invalidate(.pattern("other")), 0) == [])
        #expect(await fetched(.invalidate(.store(-1)), 0) == [])
        for subscription in subscriptions { subscription.cancel() }
        #expect(inspection.perform(.remove(.store(id))) == 1)
        #expect(inspection.marks().count == 1)
    }

    @Test func `cancel ends the run of a store`() async throws {
        let gate = Gate()
        let bench = TestBench { call in
            try await gate.pass()
            return call.number
        }
        let task = Task { try await bench.client.fetch(Number()) }
        await gate.arrived()
        #expect(bench.client.inspection.perform(.cancel(.store(try id(in: bench.client)))) == 1)
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `without a simulated network runs wait, and continue when it is back or real again`() async throws {
        let network = ManualNetworkObserver()
        let bench = TestBench(network: network)
        let inspection = bench.client.inspection
        func state() throws -> Surroundings.Network { try #require(inspection.surroundings()?.network) }
        #expect(inspection.perform(.setNetwork(available: false)) == 1)
        #expect(try !state().isAvailable && state().isSimulated)
        let store = bench.client.store(for: Number())
        let subscription = store.record(Recorder())
        await bench.client.settled()
        #expect(store.state.isPaused)
        #expect(try state().waitingRuns == 1)
        // The real network doesn't count now.
        network.set(isOnline: false)
        network.set(isOnline: true)
        #expect(store.state.isPaused)
        #expect(inspection.perform(.setNetwork(available: nil)) == 1)
        await bench.client.settled()
        #expect(store.state.value == 1)
        #expect(try state().isAvailable && !state().isSimulated)
        network.set(isOnline: false)
        #expect(try !state().isAvailable)
        #expect(inspection.perform(.setNetwork(available: true)) == 1)
        #expect(try state().isAvailable)
        #expect(inspection.perform(.setNetwork(available: nil)) == 1)
        #expect(try !state().isAvailable)
        subscription.cancel()
    }

    @Test func `a client without a network observer or a manual clock refuses to simulate them`() async throws {
        let client = QueryClient(configuration: .isolated)
        #expect(client.inspection.perform(.setNetwork(available: false)) == 0)
        #expect(client.inspection.perform(.advanceClock(by: .seconds(1))) == 0)
        #expect(client.inspection.surroundings()?.network == nil)
        #expect(client.inspection.surroundings()?.clock.isManual == false)
        let bench = TestBench()
        let before = bench.clock.now
        #expect(bench.client.inspection.perform(.advanceClock(by: .seconds(60))) == 1)
        #expect(before.duration(to: bench.clock.now) == .seconds(60))
        #expect(bench.client.inspection.perform(.advanceClock(by: .seconds(-1))) == 0)
        #expect(bench.client.inspection.surroundings()?.clock.isManual == true)
    }

    @Test func `surroundings show limits with their line, caches, activity and session`() async throws {
        let gate = Gate()
        let cache = MemoryQueryCache()
        var configuration = QueryClient.Configuration.isolated
        configuration.setLimit(1, matching: "number/**")
        let bench = TestBench(configuration: configuration) { call in
            try await gate.pass()
            return call.number
        } adjusting: {
            $0.activityObserver = ManualActivityObserver(isActive: false)
        }
        bench.client.connect(to: cache)
        bench.client.reset(session: "ada")
        let tasks = (1...3).map { id in Task { try await bench.client.fetch(Number(id)) } }
        while bench.client.inspection.surroundings()?.limits.first?.waitingCount != 2 { await Task.yield() }
        let surroundings = try #require(bench.client.inspection.surroundings())
        let limit = try #require(surroundings.limits.first)
        #expect(limit.pattern == "number/**" && limit.limit == 1 && limit.running == 1)
        #expect(limit.waiting.count == 2 && limit.waiting.allSatisfy { $0.hasPrefix("number/") })
        #expect(surroundings.caches == [Surroundings.Cache(name: "MemoryQueryCache", entryCount: 0)])
        #expect(surroundings.isActive == false && surroundings.session == "ada")
        #expect(surroundings.configuration.contains(NamedText("retention", "5 min")))
        gate.open()
        for task in tasks { _ = try await task.value }
        #expect(bench.client.inspection.surroundings()?.limits.first?.running == 0)
    }

    @Test func `the journal lists calls with their state, and queued calls are mutations`() async throws {
        let network = ManualNetworkObserver(isOnline: false)
        let journal = MemoryMutationJournal()
        let bench = TestBench(network: network) {
            $0.number
        } adjusting: {
            $0.mutationJournal = journal
        }
        let calls = try [1, 2].map { try bench.client.submit(Log(), with: $0) }
        await bench.client.settled()
        let inspection = bench.client.inspection
        let rows = try await inspection.journalRows()
        #expect(rows.map(\.name) == ["Log", "Log"] && rows.allSatisfy(\.isPending))
        #expect(rows.map(\.id) == calls.map(\.id))
        let mutations = inspection.mutations(includingArguments: true)
        #expect(mutations.map(\.status) == [.paused, .queued] && mutations.map(\.call) == [1, 2])
        #expect(mutations.allSatisfy { $0.isDurable && $0.scope == "log" && $0.path == "log" })
        #expect(mutations.map(\.arguments) == ["1", "2"])
        bench.client.cancel("log")
        await bench.client.settled()
        #expect(try await inspection.journalRows().map(\.isPending) == [false, false])
        #expect(inspection.mutations(includingArguments: false).map(\.status) == [.cancelled, .cancelled])
    }
}
