import Foundation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

struct JournalTests {
    private let journal = MemoryMutationJournal()

    /// The amounts of the journaled calls.
    private func written() async throws -> [Int] {
        try await journal.entries().map { try JSONDecoder().decode(Change.Step.self, from: $0.arguments).amount }
    }

    @Test func `R24 without a network a mutation is paused with its layers shown, and continues when the network returns`() async throws {
        let bench = MutationBench(isOnline: false)
        let store = bench.client.store(for: Number())
        store.setValue(1)
        try bench.changes.submit(Change.Step(5))
        #expect(store.value == 6)
        await bench.wait { $0.history[0].status.isPaused }
        #expect(bench.changes.isPaused && bench.changes.pauseReason == .offline)
        #expect(bench.accounts.calls.isEmpty)
        await bench.client.settled()
        bench.network.set(isOnline: true)
        await bench.client.settled()
        #expect(bench.accounts[1] == 5)
        #expect(!bench.changes.isPaused)
    }

    @Test func `R24 a call is journaled before its first attempt and removed when it has ended`() async throws {
        let journal = journal
        let during = Recorder<Int>()
        let bench = MutationBench(journal: journal) { call in
            during.note(try await journal.entries().count)
            if call.step.amount == 2 { throw TestError() }
        }
        _ = try await bench.client.mutate(Change(), with: Change.Step(1))
        _ = try? await bench.client.mutate(Change(), with: Change.Step(2))
        #expect(during.all == [1, 1])
        #expect(try await written().isEmpty)
    }

    @Test func `R24 calls of a control survive a relaunch in their order, so that the newest value is written last`() async throws {
        do {
            let bench = MutationBench(journal: journal, isOnline: false)
            _ = try bench.client.submitNewest(Change(), with: Change.Step(1))
            await bench.client.settled()
            for amount in 2...4 { _ = try bench.client.submitNewest(Change(), with: Change.Step(amount)) }
            await bench.client.settled()
            // Calls that waited were replaced.
            #expect(try await written() == [1, 4])
            bench.client.reset(session: "the process ends here")
            await bench.client.settled()
        }
        let gate = Gate()
        let next = MutationBench(journal: journal) { _ in try await gate.pass() }
        _ = try await next.client.resumeMutations(of: [Change.self])
        await gate.arrived()
        #expect(next.changes.history.map(\.status.isWaiting) == [false, true])
        let newer = try next.client.submitNewest(Change(), with: Change.Step(5))
        gate.open()
        _ = try await newer.value
        #expect(next.accounts.calls.map(\.amount).last == 5)
        #expect(next.accounts.calls.map(\.amount).first == 1)
        await next.client.settled()
        #expect(try await journal.entries().isEmpty)
    }

    @Test func `R24 paused calls survive a relaunch with their layers and in the order of their scope`() async throws {
        let accounts = Accounts()
        do {
            let bench = MutationBench(journal: journal, isOnline: false, accounts: accounts)
            for amount in 1...5 { try bench.client.store(for: Change(scope: "s")).submit(Change.Step(amount)) }
            await bench.wait(for: Change(scope: "s")) { $0.history[0].status.isPaused }
            await bench.client.settled()
            #expect(try await written() == [1, 2, 3, 4, 5])
            bench.client.reset(session: "the process ends here")
            await bench.client.settled()
        }
        #expect(try await written() == [1, 2, 3, 4, 5])

        let next = MutationBench(journal: journal, isOnline: false, accounts: accounts)
        next.client.store(for: Number()).setValue(100)
        let (resumed, aside) = try await next.client.resumeMutations(of: [Change.self])
        #expect(resumed.count == 5)
        #expect(aside.isEmpty)
        #expect(next.client.value(for: Number()) == 115)
        #expect(next.client.store(for: Change(scope: "s")).history.map(\.id) == resumed)
        await next.client.settled()
        #expect(accounts.calls.isEmpty)
        next.network.set(isOnline: true)
        await next.client.settled()
        #expect(accounts.calls.map(\.amount) == [1, 2, 3, 4, 5])
        #expect(accounts.keys == resumed)
        #expect(try await written().isEmpty)
    }

    @Test func `R24 R26 a call whose attempt finds no network stays journaled and is made when the network returns`()
        async throws
    {
        let bench = MutationBench(journal: journal)
        bench.accounts.behave { [network = bench.network] call in
            guard call.number == 1 else { return }
            network.set(isOnline: false)
            throw URLError(.notConnectedToInternet)
        }
        let store = bench.client.store(for: Number())
        store.setValue(1)
        try bench.changes.submit(Change.Step(5))
        await bench.wait { $0.history[0].status.isPaused }
        await bench.client.settled()
        #expect(try await written() == [5])
        #expect(store.value == 6)
        bench.network.set(isOnline: true)
        await bench.client.settled()
        #expect(bench.accounts[1] == 5)
        #expect(bench.accounts.keys.count == 2 && Set(bench.accounts.keys).count == 1)
        #expect(try await written().isEmpty)
    }

    @Test func `R24 resuming while a call is under way does not make it again`() async throws {
        let gate = Gate()
        let bench = MutationBench(journal: journal) { _ in try await gate.pass() }
        try bench.changes.submit(Change.Step(5))
        await gate.arrived()
        #expect(try await bench.client.resumeMutations(of: [Change.self]).resumed.isEmpty)
        gate.open()
        await bench.client.settled()
        #expect(bench.accounts.calls.count == 1)
    }

    @Test func `R24 on reconnect mutations complete before queries run`() async throws {
        let order = Recorder<String>()
        let bench = MutationBench(isOnline: false) { call in order.note("mutate \(call.step.amount)") }
        let accounts = bench.accounts
        bench.backend.behave { call in
            order.note("fetch")
            return accounts[call.id]
        }
        let subscription = bench.client.store(for: Number()).record(Recorder())
        try bench.client.store(for: Change(scope: "s")).submit(Change.Step(0))
        await bench.wait(for: Change(scope: "s")) { $0.history[0].status.isPaused }
        await bench.client.settled()
        bench.network.set(isOnline: true)
        await bench.client.settled()
        #expect(order.all == ["mutate 0", "fetch"])
        subscription.cancel()
    }

    @Test func `R24 on reconnect queries wait for all waiting calls of a scope`() async throws {
        let order = Recorder<String>()
        let bench = MutationBench(isOnline: false) { call in order.note("mutate \(call.step.amount)") }
        bench.backend.behave { _ in
            order.note("fetch")
            return 0
        }
        let subscription = bench.client.store(for: Number()).record(Recorder())
        for amount in 1...3 { try bench.client.store(for: Change(scope: "s")).submit(Change.Step(amount, to: 7)) }
        await bench.wait(for: Change(scope: "s")) { $0.history[0].status.isPaused }
        await bench.client.settled()
        bench.network.set(isOnline: true)
        await bench.client.settled()
        #expect(order.all == ["mutate 1", "mutate 2", "mutate 3", "fetch"])
        subscription.cancel()
    }

    @Test func `R24 settled returns after a call whose turn came while its journal write failed`() async throws {
        /// Journals the first call at once; the second append waits at a gate and fails.
        actor SlowJournal: MutationJournal {
            let gate = Gate()
            private var count = 0
            func append(_ entry: MutationJournalEntry) async throws {
                count += 1
                guard count == 2 else { return }
                try await gate.pass()
                throw TestError("full")
            }
            func remove(_ id: UUID) async throws {}
            func entries() async throws -> [MutationJournalEntry] { [] }
            func setAside(_ id: UUID, because reason: String) async throws {}
        }
        let journal = SlowJournal()
        let first = Gate()
        let bench = MutationBench(journal: journal) { _ in try await first.pass() }
        let store = bench.client.store(for: Change(scope: "s"))
        try store.submit(Change.Step(1))
        await first.arrived()
        try store.submit(Change.Step(2))
        await journal.gate.arrived()
        first.open()
        await bench.wait(for: Change(scope: "s")) { !$0.history[0].isPending }
        journal.gate.open()
        await bench.client.settled()
        #expect(store.history.count { $0.isPending } == 0)
    }

    @Test func `R24 resuming two mutations with the same name throws`() async throws {
        let bench = MutationBench(journal: journal)
        let error = await #expect(throws: QueryError.self) { try await bench.client.resumeMutations(of: [Change.self, Change.self]) }
        #expect(error?.message == "Two mutations are called TestSupport.Change in the journal. Give one of them another journalName.")
    }

    @Test func `R24 on reconnect a hanging mutation delays queries by five seconds at most`() async throws {
        let gate = Gate()
        let bench = MutationBench(isOnline: false) { _ in try await gate.pass() }
        let subscription = bench.client.store(for: Number()).record(Recorder())
        try bench.changes.submit(Change.Step(5))
        await bench.wait { $0.history[0].status.isPaused }
        bench.network.set(isOnline: true)
        await gate.arrived()
        #expect(bench.backend.count == 0)
        bench.clock.advance(by: NetworkGate.mutationTimeout)
        // Accepts the observer's result as fresh, because it may arrive later.
        for await value in bench.client.store(for: Number().ttl(.infinity)).select(\.value) where value != nil { break }
        #expect(bench.backend.count == 1)
        gate.open()
        await bench.client.settled()
        subscription.cancel()
    }

    @Test func `R24 journal entries that can't be decoded are set aside and reported, and the others are made`() async throws {
        let bench = MutationBench(journal: journal)
        let events = bench.client.events
        func append(version: Int = 1, arguments: String, request: String = "{}") async throws {
            let entry = MutationJournalEntry(
                id: UUID(),
                name: Change.journalName,
                version: version,
                date: .now,
                request: Data(request.utf8),
                arguments: Data(arguments.utf8)
            )
            try await journal.append(entry)
        }
        try await append(version: 2, arguments: #"{"id":1,"amount":1}"#)
        try await append(version: 0, arguments: #"{"id":1,"amount":1}"#)
        try await append(arguments: "not JSON")
        try await append(arguments: #"{"id":1,"amount":1}"#, request: #"{"scope":1}"#)
        try await append(arguments: #"{"id":1,"amount":7}"#)
        let (resumed, aside) = try await bench.client.resumeMutations(of: [Change.self])
        await bench.client.settled()
        #expect(resumed.count == 1)
        #expect(bench.accounts[1] == 7)
        #expect(aside.count == 4)
        #expect(journal.setAside.map(\.entry) == aside)
        #expect(journal.setAside[0].reason == "it has version 2, and TestSupport.Change has version 1")
        #expect(journal.setAside[1].reason == "it has version 0, and TestSupport.Change has version 1")
        #expect(try await written().isEmpty)
        var reported: [String?] = []
        for await event in events where event.kind == .entryDropped {
            reported.append((event.error as? QueryError)?.message)
            if reported.count == 4 { break }
        }
        #expect(
            reported
                == journal.setAside.map {
                    "A call in the journal can't be resumed and was set aside: \($0.reason). The journal's setAside lists it."
                }
        )
    }

    @Test func `R24 a call its request refuses stays journaled, is reported, and is made once it is accepted`()
        async throws
    {
        do {
            let bench = MutationBench(journal: journal, isOnline: false)
            try bench.changes.submit(Change.Step(5))
            await bench.wait { $0.history[0].status.isPaused }
            bench.client.reset(session: "the process ends here")
            await bench.client.settled()
        }
        let loggedOut = MutationBench(journal: journal, accounts: Accounts(isOpen: false))
        let events = loggedOut.client.events
        let (none, aside) = try await loggedOut.client.resumeMutations(of: [Change.self])
        #expect(none.isEmpty)
        #expect(aside.isEmpty)
        #expect(try await written() == [5])
        #expect(loggedOut.changes.history.isEmpty)
        let event = await events.first { $0.kind == .mutationRefused }
        #expect((event?.error as? QueryError)?.message == "The account is closed.")

        let next = MutationBench(journal: journal)
        #expect(try await next.client.resumeMutations(of: [Change.self]).resumed.count == 1)
        await next.client.settled()
        #expect(next.accounts[1] == 5)
        #expect(try await written().isEmpty)
    }

    @Test func `R7 R24 a cancelled caller does not wait for the journal, and the entry is still removed`() async throws {
        /// Waits before appending or before removing an entry.
        struct SlowJournal: MutationJournal {
            let base = MemoryMutationJournal()
            let gates: [String: Gate]
            func append(_ entry: MutationJournalEntry) async throws {
                try await gates["append"]?.pass()
                try await base.append(entry)
            }
            func remove(_ id: UUID) async throws {
                try await gates["remove"]?.pass()
                try await base.remove(id)
            }
            func entries() async throws -> [MutationJournalEntry] { try await base.entries() }
            func setAside(_ id: UUID, because reason: String) async throws {}
        }
        for name in ["append", "remove"] {
            let (slow, working) = (Gate(ignoresCancellation: true), Gate())
            let journal = SlowJournal(gates: [name: slow])
            let bench = MutationBench(journal: journal) { _ in try await working.pass() }
            let store = bench.client.store(for: Number())
            store.setValue(1)
            let caller = Task { try await bench.client.mutate(Change(), with: Change.Step(5)) }
            await (name == "append" ? slow : working).arrived()
            #expect(store.value == 6)
            caller.cancel()
            await #expect(throws: CancellationError.self) { try await caller.value }
            await slow.arrived()
            slow.open()
            await bench.client.settled()
            #expect(store.value == 1)
            #expect(bench.accounts[1] == 0)
            #expect(try await journal.entries().isEmpty)
        }
    }

    @Test func `R24 a call that can't be journaled fails and has no effect`() async throws {
        struct FullJournal: MutationJournal {
            func append(_ entry: MutationJournalEntry) async throws { throw TestError("full") }
            func remove(_ id: UUID) async throws { throw TestError("full") }
            func entries() async throws -> [MutationJournalEntry] { [] }
            func setAside(_ id: UUID, because reason: String) async throws {}
        }
        let bench = MutationBench(journal: FullJournal())
        let store = bench.client.store(for: Number())
        store.setValue(1)
        await #expect(throws: TestError("full")) { try await bench.client.mutate(Change(), with: Change.Step(5)) }
        #expect(bench.accounts.calls.isEmpty)
        #expect(store.value == 1)
        #expect(bench.changes.status.failure as? TestError == TestError("full"))
    }

    @Test func `R24 a call whose entry can't be removed still succeeds, and an event reports the error`() async throws {
        struct StuckJournal: MutationJournal {
            func append(_ entry: MutationJournalEntry) async throws {}
            func remove(_ id: UUID) async throws { throw TestError("stuck") }
            func entries() async throws -> [MutationJournalEntry] { [] }
            func setAside(_ id: UUID, because reason: String) async throws {}
        }
        let bench = MutationBench(journal: StuckJournal())
        let events = bench.client.events
        #expect(try await bench.client.mutate(Change(), with: Change.Step(5)) == 5)
        let event = await events.first { $0.kind == .storageFailed }
        #expect(event?.error as? TestError == TestError("stuck"))
        #expect(event?.path == Change().path)
    }

    @Test func `R24 a call that never ends blocks its own scope only`() async throws {
        let gate = Gate()
        let bench = MutationBench(journal: journal) { call in
            if call.step.amount == 1 { try await gate.pass() }
        }
        for amount in 1...100 { try bench.client.store(for: Change(scope: "stuck")).submit(Change.Step(amount)) }
        await gate.arrived()
        #expect(try await bench.client.mutate(Change(scope: "free"), with: Change.Step(500)) == 500)
        for await written in bench.client.store(for: Change(scope: "stuck")).select({ $0.history.count(where: \.isPending) }) {
            #expect(written == 100)
            break
        }
        bench.client.cancelMutations()
        await bench.client.settled()
        #expect(try await written().isEmpty)
    }
}

extension MutationRun.Status {
    fileprivate var isPaused: Bool { if case .paused = self { true } else { false } }
}

extension MutationRun.Status {
    fileprivate var isWaiting: Bool { if case .waiting = self { true } else { false } }
}
