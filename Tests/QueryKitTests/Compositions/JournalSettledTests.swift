import Foundation
import QueryKit
import QueryKitTesting
import TestSupport
import Testing

/// A journal whose chosen appends wait at a gate or fail.
private final class HaltingJournal: MutationJournal {
    private let base = MemoryMutationJournal()
    private let count = Lock(0)
    private let failing: Set<Int>
    let gates: [Int: Gate]

    init(failing: Set<Int> = [], gates: [Int: Gate] = [:]) {
        self.failing = failing
        self.gates = gates
    }

    func append(_ entry: MutationJournalEntry) async throws {
        let number = count.withLock { count in
            count += 1
            return count
        }
        try await gates[number]?.pass()
        if failing.contains(number) { throw TestError("full") }
        try await base.append(entry)
    }

    func remove(_ id: UUID) async throws { try await base.remove(id) }
    func entries() async throws -> [MutationJournalEntry] { try await base.entries() }
    func setAside(_ id: UUID, because reason: String) async throws { try await base.setAside(id, because: reason) }
}

extension Compositions {
    /// `settled()` returns after queued calls of durable mutations succeed, fail or are cancelled.
    struct JournalSettledTests {
        /// Whether the client settles within a second. If it doesn't, it never will.
        private func settles(_ bench: MutationBench) async -> Bool { await ends(within: .seconds(1)) { await bench.client.settled() } }

        private func pending(_ bench: MutationBench, _ request: Change) -> Int {
            bench.client.store(for: request).history.count { $0.isPending }
        }

        @Test(arguments: [nil, "s"], [1, 2, 3])
        func `R33 settled returns if the journal fails for one of three calls`(_ scope: String?, _ failing: Int) async throws {
            let gate = Gate()
            let bench = MutationBench(journal: HaltingJournal(failing: [failing], gates: [1: gate]))
            let request = Change(scope: scope)
            for amount in 1...3 { try bench.client.store(for: request).submit(Change.Step(amount)) }
            await gate.arrived()
            gate.open()
            await reaches(within: .seconds(2)) { pending(bench, request) == 0 }
            #expect(pending(bench, request) == 0)
            #expect(await settles(bench))
        }

        @Test(arguments: [nil, "s"], [1, 2, 3])
        func `R33 settled returns if one of three calls is cancelled while the journal writes the first`(
            _ scope: String?,
            _ cancelled: Int
        ) async throws {
            let gate = Gate()
            let bench = MutationBench(journal: HaltingJournal(gates: [1: gate]))
            let request = Change(scope: scope)
            let store = bench.client.store(for: request)
            var ids: [UUID] = []
            for amount in 1...3 { ids.append(try store.submit(Change.Step(amount)).id) }
            await gate.arrived()
            store.cancelMutation(ids[cancelled - 1])
            gate.open()
            await reaches(within: .seconds(2)) { pending(bench, request) == 0 }
            #expect(pending(bench, request) == 0)
            #expect(await settles(bench))
        }

        @Test(arguments: [2, 3]) func `R33 settled returns if a call that waits for its scope is cancelled`(_ cancelled: Int) async throws {
            let gate = Gate()
            let bench = MutationBench(journal: HaltingJournal()) { call in if call.number == 1 { try await gate.pass() } }
            let request = Change(scope: "s")
            let store = bench.client.store(for: request)
            var ids: [UUID] = []
            for amount in 1...3 { ids.append(try store.submit(Change.Step(amount)).id) }
            await gate.arrived()
            store.cancelMutation(ids[cancelled - 1])
            await reaches { pending(bench, request) == 2 }
            gate.open()
            await reaches(within: .seconds(2)) { pending(bench, request) == 0 }
            #expect(await settles(bench))
        }

        @Test(arguments: [true, false]) func `R33 settled returns if a call ends in the journal after its turn in the scope has come`(
            _ fails: Bool
        ) async throws {
            let (first, second) = (Gate(), Gate())
            let bench = MutationBench(journal: HaltingJournal(failing: fails ? [2] : [], gates: [2: second])) { call in
                if call.number == 1 { try await first.pass() }
            }
            let request = Change(scope: "s")
            let store = bench.client.store(for: request)
            try store.submit(Change.Step(1))
            await first.arrived()
            let id = try store.submit(Change.Step(2)).id
            await second.arrived()
            first.open()
            await reaches { store.history.first?.isPending == false }
            if !fails { store.cancelMutation(id) }
            second.open()
            await reaches(within: .seconds(2)) { pending(bench, request) == 0 }
            #expect(await settles(bench))
        }

        @Test(arguments: [nil, "s"], [1, 2, 3]) func `R33 settled returns if one of three calls that wait for the network is cancelled`(
            _ scope: String?,
            _ cancelled: Int
        ) async throws {
            let bench = MutationBench(journal: HaltingJournal(), isOnline: false)
            let request = Change(scope: scope)
            let store = bench.client.store(for: request)
            var ids: [UUID] = []
            for amount in 1...3 { ids.append(try store.submit(Change.Step(amount)).id) }
            #expect(await settles(bench))
            store.cancelMutation(ids[cancelled - 1])
            await reaches { pending(bench, request) == 2 }
            #expect(await settles(bench))
            bench.network.set(isOnline: true)
            await reaches(within: .seconds(2)) { pending(bench, request) == 0 }
            #expect(await settles(bench))
        }

        @Test(arguments: [1, 2, 3]) func `R33 settled returns if the journal fails for one of three calls of a scope while offline`(
            _ failing: Int
        ) async throws {
            let gate = Gate()
            let bench = MutationBench(journal: HaltingJournal(failing: [failing], gates: [failing: gate]), isOnline: false)
            let request = Change(scope: "s")
            for amount in 1...3 { try bench.client.store(for: request).submit(Change.Step(amount)) }
            await gate.arrived()
            gate.open()
            await reaches { pending(bench, request) == 2 }
            #expect(await settles(bench))
            bench.network.set(isOnline: true)
            await reaches(within: .seconds(2)) { pending(bench, request) == 0 }
            #expect(await settles(bench))
        }

        @Test(arguments: [true, false]) func `R33 settled returns if a resumed call that waits for its scope is cancelled or refused`(
            _ isCancelled: Bool
        ) async throws {
            let journal = MemoryMutationJournal()
            do {
                let former = MutationBench(journal: journal, isOnline: false)
                for amount in 1...3 { try former.client.store(for: Change(scope: "s")).submit(Change.Step(amount)) }
                await former.client.settled()
            }
            let bench = MutationBench(journal: journal, isOnline: false) { call in
                if !isCancelled, call.step.amount == 2 { throw TestError() }
            }
            let ids = try await bench.client.resumeMutations(of: [Change.self]).resumed
            #expect(ids.count == 3)
            if isCancelled { bench.client.store(for: Change(scope: "s")).cancelMutation(ids[1]) }
            #expect(await settles(bench))
            bench.network.set(isOnline: true)
            await reaches(within: .seconds(2)) { pending(bench, Change(scope: "s")) == 0 }
            #expect(await settles(bench))
        }

        @Test func `R33 settled returns if two calls of a scope end at the same time, in many interleavings`() async throws {
            // The first call ends and hands its turn to the second at the moment when the second one fails.
            for _ in 0..<200 {
                let gate = Gate()
                let bench = MutationBench(journal: HaltingJournal(failing: [2], gates: [2: gate])) { _ in try await gate.pass() }
                let request = Change(scope: "s")
                let store = bench.client.store(for: request)
                for amount in 1...2 { try store.submit(Change.Step(amount)) }
                await gate.arrived(2)
                gate.open()
                await reaches(within: .seconds(2)) { pending(bench, request) == 0 }
                let settles = await settles(bench)
                #expect(settles)
                if !settles { return }
            }
        }

        @Test func `R33 settled returns if the callers of queued durable calls are cancelled`() async throws {
            let gate = Gate()
            let bench = MutationBench(journal: HaltingJournal(gates: [1: gate]))
            let callers = (1...3).map { amount in Task { try await bench.client.mutate(Change(scope: "s"), with: Change.Step(amount)) } }
            await gate.arrived()
            await reaches { pending(bench, Change(scope: "s")) == 3 }
            for caller in callers { caller.cancel() }
            gate.open()
            for caller in callers { _ = await caller.result }
            #expect(await settles(bench))
        }

        @Test func `R33 settled returns if a session ends while calls are queued`() async throws {
            let gate = Gate()
            let bench = MutationBench(journal: HaltingJournal(gates: [1: gate]), session: "a")
            for amount in 1...3 { try bench.client.store(for: Change(scope: "s")).submit(Change.Step(amount)) }
            await gate.arrived()
            bench.client.reset(session: "b")
            gate.open()
            #expect(await settles(bench))
        }
    }
}
