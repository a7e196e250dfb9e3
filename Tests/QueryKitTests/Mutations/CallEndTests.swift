import Foundation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// A journal that reads its entries and then waits at a gate before returning them.
private struct SlowReadJournal: MutationJournal {
    let entriesOfOthers: MemoryMutationJournal
    let gate: Gate

    func append(_ entry: MutationJournalEntry) async throws { try await entriesOfOthers.append(entry) }
    func remove(_ id: UUID) async throws { try await entriesOfOthers.remove(id) }
    func setAside(_ id: UUID, because reason: String) async throws { try await entriesOfOthers.setAside(id, because: reason) }

    func entries() async throws -> [MutationJournalEntry] {
        let entries = try await entriesOfOthers.entries()
        try await gate.pass()
        return entries
    }
}

/// A journal that waits at a gate before it writes.
private struct SlowWriteJournal: MutationJournal {
    let entriesOfOthers: MemoryMutationJournal
    let gate: Gate

    func append(_ entry: MutationJournalEntry) async throws {
        try await gate.pass()
        try await entriesOfOthers.append(entry)
    }

    func remove(_ id: UUID) async throws { try await entriesOfOthers.remove(id) }
    func setAside(_ id: UUID, because reason: String) async throws { try await entriesOfOthers.setAside(id, because: reason) }
    func entries() async throws -> [MutationJournalEntry] { try await entriesOfOthers.entries() }
}

/// How calls end that are cancelled, cleared or withdrawn from outside, and how they are retried.
struct CallEndTests {
    private let gate = Gate()
    private let journal = MemoryMutationJournal()

    private func bench(_ journal: (any MutationJournal)?, isOnline: Bool = true) -> MutationBench {
        MutationBench(journal: journal, isOnline: isOnline) { [gate] _ in try await gate.pass() }
    }

    enum Ending: CaseIterable {
        case storeCancel, clientCancel, storeReset, clientReset, remove, clear, session

        func happen(_ bench: MutationBench) {
            switch self {
            case .storeCancel: bench.changes.cancel()
            case .clientCancel: bench.client.cancel("change/**")
            case .storeReset: bench.changes.reset()
            case .clientReset: bench.client.reset("change/**")
            case .remove: bench.client.remove("change/**")
            case .clear: bench.client.clear()
            case .session: bench.client.reset(session: "other")
            }
        }
    }

    @Test(arguments: Ending.allCases) func `R24 cancelling, resetting or clearing a store cancels its call in flight`(_ ending: Ending)
        async throws
    {
        let bench = bench(nil)
        bench.client.setValue(100, for: Number())
        let call = Task { try await bench.changes.mutate(with: Change.Step(5)) }
        await gate.arrived()
        #expect(bench.client.store(for: Number()).value == 105)
        ending.happen(bench)
        await #expect(throws: CancellationError.self) { try await call.value }
        gate.open()
        await bench.client.settled()
        #expect(bench.accounts[1] == 0)
        #expect(bench.client.store(for: Number()).isOptimistic == false)
        #expect(bench.changes.history.allSatisfy { $0.isCancelled })
        #expect(!bench.changes.isFetching && bench.changes.status.isIdle)
    }

    @Test(arguments: Ending.allCases, [true, false]) func `R24 a durable call that is ended through its store stays in the journal`(
        _ ending: Ending,
        _ isOnline: Bool
    ) async throws {
        let bench = bench(journal, isOnline: isOnline)
        let id = try bench.changes.submit(Change.Step(5)).id
        if isOnline { await gate.arrived() } else { await bench.client.settled() }
        ending.happen(bench)
        await bench.client.settled()
        #expect(try await journal.entries().map(\.id) == [id])
    }

    @Test(arguments: Ending.allCases) func `R24 durable calls that are ended before they are journaled are journaled nevertheless`(
        _ ending: Ending
    )
        async throws
    {
        let write = Gate()
        let bench = bench(SlowWriteJournal(entriesOfOthers: journal, gate: write))
        let ids = try (1...3).map { try bench.changes.submit(Change.Step($0)).id }
        await write.arrived()
        ending.happen(bench)
        write.open()
        await bench.client.settled()
        #expect(try await journal.entries().map(\.id) == ids)
        #expect(bench.accounts.calls.isEmpty)
    }

    @Test(arguments: Ending.allCases, [true, false]) func `R24 durable calls can be withdrawn while they are being ended`(
        _ ending: Ending,
        _ isWritten: Bool
    ) async throws {
        let write = Gate()
        let slow = SlowWriteJournal(entriesOfOthers: journal, gate: write)
        let bench = isWritten ? bench(journal, isOnline: false) : bench(slow)
        for amount in 1...3 { try bench.changes.submit(Change.Step(amount)) }
        if isWritten { await bench.client.settled() } else { await write.arrived() }
        ending.happen(bench)
        bench.client.cancelMutations()
        write.open()
        await bench.client.settled()
        // A new session can't withdraw the previous user's calls.
        #expect(try await journal.entries().count == (ending == .session ? 3 : 0))
        #expect(bench.accounts.calls.isEmpty)
    }

    @Test(arguments: Ending.allCases) func `R24 durable calls that were ended earlier can still be withdrawn`(_ ending: Ending)
        async throws
    {
        let bench = bench(journal, isOnline: false)
        for amount in 1...3 { try bench.changes.submit(Change.Step(amount)) }
        await bench.client.settled()
        ending.happen(bench)
        await bench.client.settled()
        #expect(try await journal.entries().count == 3)
        bench.client.cancelMutations("other/**")
        await bench.client.settled()
        #expect(try await journal.entries().count == 3)
        bench.client.cancelMutations("change/**")
        await bench.client.settled()
        // A new session can't withdraw the previous user's calls.
        #expect(try await journal.entries().count == (ending == .session ? 3 : 0))
    }

    @Test func `R24 a durable call whose caller is cancelled leaves the journal, even if its client is cleared right after`() async throws {
        let bench = bench(journal, isOnline: false)
        let call = Task { try await bench.changes.mutate(with: Change.Step(5)) }
        await reaches { bench.changes.history.count == 1 }
        await bench.client.settled()
        #expect(try await journal.entries().count == 1)
        call.cancel()
        bench.client.clear()
        await bench.client.settled()
        #expect(try await journal.entries().isEmpty)
    }

    @Test func `R24 a call retried after its withdrawal is made, even if its previous end still waits for the journal`() async throws {
        let write = Gate()
        let bench = bench(SlowWriteJournal(entriesOfOthers: journal, gate: write))
        let call = try bench.changes.submit(Change.Step(5))
        await write.arrived()
        bench.client.cancel("change/**")
        // It is journaled after its end, so that it is not lost.
        await write.arrived(2)
        bench.client.cancelMutations()
        let retried = try call.retry()
        write.open()
        gate.open()
        #expect(try await retried.value == 5)
        await bench.client.settled()
        #expect(bench.accounts.calls.map(\.amount) == [5])
        #expect(try await journal.entries().isEmpty)
    }

    @Test func `R24 a durable call withdrawn before it is journaled leaves no entry`() async throws {
        let write = Gate()
        let bench = bench(SlowWriteJournal(entriesOfOthers: journal, gate: write))
        for amount in 1...3 { try bench.changes.submit(Change.Step(amount)) }
        await write.arrived()
        bench.client.cancelMutations()
        write.open()
        await bench.client.settled()
        #expect(try await journal.entries().isEmpty)
    }

    @Test(arguments: [true, false]) func `R24 withdrawing a durable call removes its journal entry`(_ isForAll: Bool) async throws {
        let bench = bench(journal, isOnline: false)
        let id = try bench.changes.submit(Change.Step(5)).id
        await bench.client.settled()
        if isForAll { bench.client.cancelMutations() } else { bench.changes.cancelMutation(id) }
        await bench.client.settled()
        #expect(try await journal.entries().isEmpty)
    }

    @Test func `R24 calls made offline are each made once after a clear and a relaunch`() async throws {
        gate.open()
        let first = bench(journal, isOnline: false)
        let ids = try (1...5).map { try first.client.store(for: Change(scope: "s")).submit(Change.Step($0)).id }
        await first.client.settled()
        first.client.clear()
        await first.client.settled()
        first.network.set(isOnline: true)
        await first.client.settled()
        #expect(first.accounts.calls.isEmpty)
        let second = bench(journal, isOnline: false)
        #expect(try await second.client.resumeMutations(of: [Change.self]).resumed == ids)
        second.network.set(isOnline: true)
        await second.client.settled()
        #expect(second.accounts.calls.map(\.amount) == [1, 2, 3, 4, 5])
        #expect(second.accounts.keys == ids)
        #expect(try await journal.entries().isEmpty)
    }

    @Test(arguments: Ending.allCases) func `R24 a resumption repeats calls that are just being ended`(_ ending: Ending) async throws {
        let bench = bench(journal)
        let ids = try (1...3).map { try bench.changes.submit(Change.Step($0)).id }
        await gate.arrived(3)
        ending.happen(bench)
        if ending == .session { bench.client.reset(session: nil) }
        let resumed = try await bench.client.resumeMutations(of: [Change.self]).resumed
        #expect(resumed == ids)
        gate.open()
        await bench.client.settled()
        #expect(bench.accounts[1] == 6)
        #expect(try await journal.entries().isEmpty)
    }

    @Test func `R24 a resumption waits for calls of its own session, but not for those of another`() async throws {
        let write = Gate()
        let bench = bench(SlowWriteJournal(entriesOfOthers: journal, gate: write))
        try bench.changes.submit(Change.Step(1))
        await write.arrived()
        bench.client.reset(session: "other")
        #expect(await ends { _ = try? await bench.client.resumeMutations(of: [Change.self]) })
        bench.client.reset(session: nil)
        let resumption = Task { try await bench.client.resumeMutations(of: [Change.self]).resumed.count }
        #expect(await !ends { await bench.client.settled() })
        resumption.cancel()
        await #expect(throws: CancellationError.self) { try await resumption.value }
        write.open()
        await bench.client.settled()
        #expect(bench.accounts.calls.isEmpty)
    }

    @Test func `R21 R24 a store with a waiting call is kept when another of its calls ends`() async throws {
        gate.open()
        let former = bench(journal, isOnline: false)
        try former.changes.submit(Change.Step(1))
        await former.client.settled()
        let write = Gate()
        let bench = bench(SlowWriteJournal(entriesOfOthers: journal, gate: write))
        try bench.changes.submit(Change.Step(2))
        await write.arrived()
        #expect(try await bench.client.resumeMutations(of: [Change.self]).resumed.count == 1)
        await bench.wait { $0.history.map(\.isPending) == [true, false] }
        await reaches { bench.client.runningCount() == 0 }
        bench.client.releaseMemory(.critical)
        // The other store is the one that shows the waiting call's layer.
        #expect(bench.client.snapshot().stores.count == 2)
        write.open()
        await bench.client.settled()
        #expect(bench.accounts.calls.map(\.amount) == [1, 2])
    }

    @Test(arguments: [true, false])
    func `R24 a call made while its store is reset is either ended or in the history`(_ isRemoved: Bool) async throws {
        let bench = bench(nil, isOnline: false)
        let client = bench.client
        // Finding all stores that match the pattern takes a while.
        let others = (0..<500).map { client.store(for: Change(scope: "\($0)")) }
        for _ in 0..<80 {
            let end = Task.detached { if isRemoved { client.remove("change/**") } else { client.reset("change/**") } }
            var calls: [MutationCall<Change.Step, Int>] = []
            for amount in 1...20 { calls.append(try bench.changes.submit(Change.Step(amount))) }
            await end.value
            await client.settled()
            for call in calls { #expect(client.core.mutationQueues.contains(call.id) == (call.run?.isPending ?? false)) }
            bench.changes.cancel()
            await client.settled()
        }
        withExtendedLifetime(others) {}
    }

    @Test func `R24 a call withdrawn before a logout leaves no journal entry`() async throws {
        let bench = bench(journal, isOnline: false)
        for amount in 1...3 { try bench.changes.submit(Change.Step(amount)) }
        let caller = Task { try await bench.changes.mutate(with: Change.Step(4)) }
        await bench.wait { $0.history.count == 4 }
        await bench.client.settled()
        #expect(try await journal.entries().count == 4)
        caller.cancel()
        bench.client.cancelMutations()
        bench.client.reset(session: "other")
        await bench.client.settled()
        #expect(try await journal.entries().isEmpty)
    }

    @Test func `R24 a call withdrawn while the journal is being read is not resumed`() async throws {
        gate.open()
        let former = bench(journal, isOnline: false)
        let ids = try (1...2).map { try former.changes.submit(Change.Step($0)).id }
        await former.client.settled()
        let read = Gate()
        let bench = bench(SlowReadJournal(entriesOfOthers: journal, gate: read))
        let resumption = Task { try await bench.client.resumeMutations(of: [Change.self]).resumed }
        await read.arrived()
        bench.changes.cancelMutation(ids[0])
        read.open()
        #expect(try await resumption.value == [ids[1]])
        await bench.client.settled()
        #expect(bench.accounts.calls.map(\.amount) == [2])
        #expect(try await journal.entries().isEmpty)
    }

    /// Ignores its cancellation and yields once more.
    private struct Stubborn: MutationRequest {
        let gate: Gate

        static func == (left: Stubborn, right: Stubborn) -> Bool { left.gate === right.gate }
        func hash(into hasher: inout Hasher) {}

        func mutate(with number: Int, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
            continuation.yield(number)
            await Task.detached { [gate] in try? await gate.pass() }.value
            continuation.yield(-number)
            return number
        }
    }

    @Test func `R9 R24 a value yielded by a call after its end is ignored, even if the call was retried`() async throws {
        let client = QueryClient.test()
        let store = client.store(for: Stubborn(gate: gate))
        let call = try store.submit(5)
        await gate.arrived()
        call.cancel()
        await client.settled()
        let seen = Recorder<Int?>()
        let subscription = store.subscribe(with: QueryEventHandler { state, _ in seen.note(state.history.last?.progress) })
        let again = try call.retry()
        await gate.arrived(2)
        gate.open()
        #expect(try await again.value == 5)
        await client.settled()
        #expect(Set(seen.all) == [nil, 5, -5])
        #expect(seen.all.count { $0 == -5 } <= 1)
        #expect(store.history.map(\.progress) == [nil])
        subscription.cancel()
    }

    @Test func `R22 R24 the layers of calls that end together are removed in one step`() async throws {
        let bench = bench(nil, isOnline: false)
        bench.client.setValue(100, for: Number())
        let seen = Recorder<String>()
        let subscription = bench.client.store(for: Number().enabled(false)).record(seen)
        for _ in 1...20 { try bench.changes.submit(Change.Step(1)) }
        await reaches { seen.last == "120" }
        let count = seen.all.count
        bench.client.cancelMutations()
        await bench.client.settled()
        #expect(seen.all.dropFirst(count) == ["100"])
        subscription.cancel()
    }

    // MARK: Reading the journal

    /// Writes calls to the journal without executing them.
    private func writeDown(_ amounts: [Int], scope: String?) async throws {
        let offline = bench(journal, isOnline: false)
        for amount in amounts { try offline.client.store(for: Change(scope: scope)).submit(Change.Step(amount)) }
        await offline.client.settled()
    }

    @Test(arguments: [Ending.storeReset, .clientReset, .remove, .clear])
    func `R24 a call made by a handler while others end with their store stays in the history`(_ ending: Ending) async throws {
        let bench = bench(nil, isOnline: false)
        let number = bench.client.store(for: Number().enabled(false))
        number.setValue(1)
        let made = Lock<MutationCall<Change.Step, Int>?>(nil)
        let isLaid = SharedFlag()
        let subscription = number.subscribe(
            with: QueryEventHandler { [client = bench.client] state, _ in
                if state.isOptimistic { isLaid.raise() }
                // The layer of the first call has been removed.
                guard isLaid.isRaised, !state.isOptimistic else { return }
                made.withLock { $0 = $0 ?? (try? client.submit(Change(), with: Change.Step(7))) }
            }
        )
        try bench.changes.submit(Change.Step(5))
        ending.happen(bench)
        await bench.client.settled()
        let call = try #require(made.withLock { $0 })
        #expect(call.run?.isPending == true)
        #expect(bench.changes.history.last?.id == call.id)
        subscription.cancel()
    }

    @Test func `R24 overlapping resumptions make each call once and leave no scope blocked`() async throws {
        gate.open()
        for scope in [nil, "s"] {
            let reading = Gate()
            try await writeDown([1, 2, 3], scope: scope)
            let bench = bench(SlowReadJournal(entriesOfOthers: journal, gate: reading))
            let resumptions = (1...3).map { _ in Task { try await bench.client.resumeMutations(of: [Change.self]).resumed.count } }
            await reading.arrived()
            await bench.client.settled()
            // The other resumptions wait, so that calls are resumed in the order of the journal.
            #expect(reading.arrivals == 1)
            reading.open()
            var count = 0
            for resumption in resumptions { count += try await resumption.value }
            await bench.client.settled()
            #expect(count == 3)
            #expect(bench.accounts.calls.map(\.amount).sorted() == [1, 2, 3])
            #expect(try await bench.client.mutate(Change(scope: scope), with: Change.Step(4)) == 10)
        }
    }

    @Test func `R24 a call made while the journal is being read comes after the older calls of its scope`() async throws {
        gate.open()
        let reading = Gate()
        try await writeDown([1, 2], scope: "s")
        let bench = bench(SlowReadJournal(entriesOfOthers: journal, gate: reading))
        let resumption = Task { try await bench.client.resumeMutations(of: [Change.self]) }
        await reading.arrived()
        try bench.client.store(for: Change(scope: "s")).submit(Change.Step(3))
        try bench.client.store(for: Change(scope: "other")).submit(Change.Step(4))
        await bench.client.settled()
        #expect(bench.accounts.calls.isEmpty)
        reading.open()
        _ = try await resumption.value
        await bench.client.settled()
        #expect(bench.accounts.calls.map(\.amount).filter { $0 < 4 } == [1, 2, 3])
        #expect(bench.accounts.calls.count == 4)
    }

    @Test func `R24 calls that wait for a journal are made even if the journal can't be read`() async throws {
        struct Unreadable: MutationJournal {
            let gate: Gate
            func append(_ entry: MutationJournalEntry) async throws {}
            func remove(_ id: UUID) async throws {}
            func setAside(_ id: UUID, because reason: String) async throws {}
            func entries() async throws -> [MutationJournalEntry] {
                try await gate.pass()
                throw TestError("unreadable")
            }
        }
        gate.open()
        let reading = Gate()
        let bench = bench(Unreadable(gate: reading))
        let resumption = Task { try await bench.client.resumeMutations(of: [Change.self]) }
        await reading.arrived()
        try bench.client.store(for: Change(scope: "s")).submit(Change.Step(3))
        reading.open()
        await #expect(throws: TestError.self) { try await resumption.value }
        await bench.client.settled()
        #expect(bench.accounts.calls.map(\.amount) == [3])
    }

    @Test func `R24 a call that ended while the journal was being read is not made again`() async throws {
        let reading = Gate()
        let bench = bench(SlowReadJournal(entriesOfOthers: journal, gate: reading))
        try bench.changes.submit(Change.Step(5))
        await gate.arrived()
        let resumption = Task { try await bench.client.resumeMutations(of: [Change.self]).resumed }
        await reading.arrived()
        gate.open()
        await bench.client.settled()
        #expect(bench.accounts.calls.count == 1)
        reading.open()
        #expect(try await resumption.value == [])
        await bench.client.settled()
        #expect(bench.accounts.calls.count == 1)
    }
}
