import Foundation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// Calls of mutations as values: await, cancel and retry them.
struct MutationCallTests {
    private let gate = Gate()
    private let journal = MemoryMutationJournal()

    private func bench(_ journal: (any MutationJournal)? = nil, isOnline: Bool = true) -> MutationBench {
        MutationBench(journal: journal, isOnline: isOnline) { [gate] _ in try await gate.pass() }
    }

    // MARK: Awaiting

    @Test func `R21 several tasks can await one call, and cancelling one of them does not affect it`() async throws {
        let bench = bench()
        let call = try bench.changes.submit(Change.Step(5))
        let waiters = (1...3).map { _ in Task { try await call.value } }
        await gate.arrived()
        waiters[0].cancel()
        await #expect(throws: CancellationError.self) { try await waiters[0].value }
        gate.open()
        for waiter in waiters[1...] { #expect(try await waiter.value == 5) }
        #expect(try await call.value == 5)
        #expect(bench.accounts.calls.count == 1)
    }

    @Test func `R21 a call knows its dates of submission, start and end, and its attempts`() async throws {
        let bench = MutationBench { [gate] call in
            if call.number == 1 { throw TestError() }
            try await gate.pass()
        }
        let start = bench.clock.date
        let store = bench.client.store(for: Change().retry(limit: 1, backoff: .constant(.seconds(10))))
        let call = try store.submit(Change.Step(5))
        await reaches { call.run?.failureCount == 1 }
        #expect(call.run?.startedAt == start)
        bench.clock.advance(by: .seconds(10))
        await gate.arrived()
        #expect(call.run?.attemptCount == 2)
        #expect(call.run?.endedAt == nil)
        bench.clock.advance(by: .seconds(1))
        gate.open()
        _ = try await call.value
        #expect(call.run?.submittedAt == start)
        #expect(call.run?.startedAt == start)
        #expect(call.run?.endedAt == start.addingTimeInterval(11))
        #expect(call.run?.attemptCount == 2)
    }

    @Test func `R21 a call cancelled before it started has an end date but no start date`() async throws {
        let bench = bench()
        _ = try bench.client.store(for: Change(scope: "s")).submit(Change.Step(1))
        let call = try bench.client.store(for: Change(scope: "s")).submit(Change.Step(2))
        await gate.arrived()
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(call.run?.startedAt == nil)
        #expect(call.run?.endedAt == bench.clock.date)
        #expect(call.run?.attemptCount == 0)
    }

    @Test func `R21 a cancelled attempt counts as an attempt, even after the call is retried`() async throws {
        let bench = bench()
        let call = try bench.changes.submit(Change.Step(5))
        await gate.arrived()
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(call.run?.attemptCount == 1)
        gate.open()
        let second = try call.retry()
        _ = try await second.value
        #expect(second.run?.attemptCount == 2)
        #expect(second.run?.failureCount == 0)
    }

    // MARK: Handlers

    @Test func `R21 each closure of a call is called once, onEnd last`() async throws {
        let bench = MutationBench { call in
            if call.step.amount == 2 { throw TestError() }
            if call.step.amount == 3 { throw CancellationError() }
        }
        let seen = Recorder<String>()
        for amount in 1...3 {
            try bench.client.submit(
                Change(scope: "s"),
                with: Change.Step(amount),
                onSuccess: { seen.note("\(amount) returned \($0)") },
                onFailure: { seen.note("\(amount) failed: \($0)") },
                onEnd: { result in
                    switch result {
                    case .success: seen.note("\(amount) is over")
                    case .failure(let error): seen.note("\(amount) is over: \(error is CancellationError ? "cancelled" : "\(error)")")
                    }
                }
            )
            await bench.client.settled()
        }
        #expect(
            seen.all == ["1 returned 1", "1 is over", "2 failed: broken", "2 is over: broken", "3 is over: cancelled"]
        )
    }

    @MainActor @Test func `R21 main-actor closures of a call run on the main actor before settled returns`() async throws {
        let bench = MutationBench()
        var total = 0
        try bench.changes.submit(
            Change.Step(5),
            onSuccess: { @MainActor value in
                MainActor.assertIsolated()
                total = value
            }
        )
        await bench.client.settled()
        #expect(total == 5)
    }

    // MARK: Cancelling

    @Test func `R22 R24 cancelling a call removes its layers and its journal entry`() async throws {
        let bench = bench(journal, isOnline: false)
        bench.client.setValue(100, for: Number())
        let call = try bench.changes.submit(Change.Step(5))
        #expect(bench.client.store(for: Number()).value == 105)
        await bench.client.settled()
        #expect(try await journal.entries().count == 1)
        call.cancel()
        #expect(bench.client.store(for: Number()).value == 100)
        await #expect(throws: CancellationError.self) { try await call.value }
        await bench.client.settled()
        #expect(try await journal.entries().isEmpty)
    }

    @Test(arguments: [true, false]) func `R24 a call ended by a reset can still be withdrawn from the journal`(
        _ isAtOnce: Bool
    ) async throws {
        let bench = bench(journal, isOnline: false)
        let call = try bench.changes.submit(Change.Step(5))
        await bench.client.settled()
        bench.changes.reset()
        if !isAtOnce { await bench.client.settled() }
        call.cancel()
        await bench.client.settled()
        #expect(try await journal.entries().isEmpty)
    }

    @Test func `R24 cancelling a call that has succeeded has no effect`() async throws {
        let bench = MutationBench()
        let call = try bench.changes.submit(Change.Step(5))
        _ = try await call.value
        call.cancel()
        await bench.client.settled()
        #expect(try await call.value == 5)
        #expect(bench.changes.value == 5)
    }

    // MARK: Retrying

    @Test func `R24 retrying a failed call keeps its key and its one place in the history`() async throws {
        let bench = MutationBench(journal: journal) { if $0.number == 1 { throw TestError() } }
        bench.client.setValue(100, for: Number())
        let call = try bench.changes.submit(Change.Step(5))
        await #expect(throws: TestError.self) { try await call.value }
        let second = try call.retry()
        #expect(bench.client.store(for: Number()).value == 105)
        #expect(try await second.value == 5)
        #expect(second.id == call.id)
        #expect(bench.accounts.keys == [call.id, call.id])
        #expect(bench.changes.history.map(\.id) == [call.id])
        #expect(second.run?.attemptCount == 2)
        await bench.client.settled()
        #expect(try await journal.entries().isEmpty)
    }

    @Test func `R24 R33 a call cancelled and retried at once stays journaled until it ends`() async throws {
        let bench = bench(journal, isOnline: false)
        gate.open()
        for _ in 1...50 {
            let call = try bench.changes.submit(Change.Step(5))
            await bench.client.settled()
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            let second = try call.retry()
            await bench.client.settled()
            #expect(try await journal.entries().map(\.id) == [call.id])
            second.cancel()
            await bench.client.settled()
            #expect(try await journal.entries().isEmpty)
        }
        #expect(bench.accounts.calls.isEmpty)
    }

    @Test(arguments: [true, false]) func `R24 retrying a call twice makes it once`(isRefused: Bool) async throws {
        let bench = MutationBench(journal: journal) { [gate] in
            if $0.number == 1 { throw isRefused ? QueryError(.invalidParameters) : TestError() }
            try await gate.pass()
        }
        let call = try bench.changes.submit(Change.Step(5))
        _ = try? await call.value
        let calls = [try call.retry(), try call.retry()]
        await gate.arrived()
        #expect(Set(calls.map(\.id)).count == 1)
        #expect(try bench.changes.retryLatest()?.id == nil)
        gate.open()
        for call in calls { #expect(try await call.value == 5) }
        // It is not made a third time after it has succeeded.
        #expect(try await call.retry().value == 5)
        await bench.client.settled()
        #expect(bench.accounts.calls.count == 2)
    }

    @Test func `R24 retrying a refused call uses a new key`() async throws {
        let bench = MutationBench { if $0.number == 1 { throw QueryError(.invalidParameters) } }
        let call = try bench.changes.submit(Change.Step(5))
        await #expect(throws: QueryError.self) { try await call.value }
        let second = try call.retry()
        #expect(try await second.value == 5)
        #expect(second.id != call.id)
        #expect(bench.changes.history.map(\.id) == [call.id, second.id])
    }

    @Test func `R24 retrying a call that is under way or has succeeded does not make it again`() async throws {
        let bench = bench()
        let call = try bench.changes.submit(Change.Step(5))
        await gate.arrived()
        #expect(try call.retry().id == call.id)
        gate.open()
        _ = try await call.value
        #expect(try call.retry().id == call.id)
        await bench.client.settled()
        #expect(bench.accounts.calls.count == 1)
    }

    @Test func `R24 a call retried while the journal still has it is journaled once`() async throws {
        let bench = bench(journal, isOnline: false)
        let call = try bench.changes.submit(Change.Step(5))
        await bench.client.settled()
        bench.changes.reset()
        await bench.client.settled()
        let second = try call.retry()
        await bench.client.settled()
        #expect(try await journal.entries().map(\.id) == [call.id])
        gate.open()
        bench.network.set(isOnline: true)
        #expect(try await second.value == 5)
        await bench.client.settled()
        #expect(try await journal.entries().isEmpty)
        #expect(bench.accounts.keys == [call.id])
    }

    @Test func `R24 retrying a call of an earlier session throws`() async throws {
        let bench = bench(journal)
        let call = try bench.changes.submit(Change.Step(5))
        await gate.arrived()
        bench.client.reset(session: "other")
        await #expect(throws: CancellationError.self) { try await call.value }
        gate.open()
        let error = #expect(throws: QueryError.self) { try call.retry() }
        #expect(error?.code == .sessionEnded)
        #expect(try bench.changes.retryLatest() == nil)
        await bench.client.settled()
        #expect(bench.accounts[1] == 0)
        #expect(bench.changes.history.isEmpty)
        #expect(try await journal.entries().map(\.id) == [call.id])
    }

    @Test func `R21 retryLatest retries the latest call only if it failed`() async throws {
        let bench = MutationBench { if $0.number == 2 { throw TestError() } }
        #expect(try bench.changes.retryLatest() == nil)
        _ = try await bench.changes.mutate(with: Change.Step(1))
        #expect(try bench.changes.retryLatest() == nil)
        _ = try? await bench.changes.mutate(with: Change.Step(2))
        let call = try #require(try bench.changes.retryLatest())
        #expect(try await call.value == 3)
        #expect(call.arguments.amount == 2)
        #expect(try bench.changes.retryLatest() == nil)
    }

    // MARK: History

    @Test func `R21 the history keeps as many ended calls as the request's history length`() async throws {
        gate.open()
        let bench = bench()
        for (length, kept) in [(3, 3), (30, 8), (0, 0), (-1, 0)] {
            bench.changes.reset()
            let store = bench.client.store(for: Change().historyLength(length))
            for amount in 1...8 { _ = try await store.mutate(with: Change.Step(amount)) }
            await bench.client.settled()
            #expect(store.history.map(\.arguments.amount) == Array((1...8).suffix(kept)))
        }
    }

    @Test func `R21 calls under way are kept even with a history length of zero`() async throws {
        let bench = bench()
        let store = bench.client.store(for: Change().historyLength(0))
        let calls = try (1...5).map { try store.submit(Change.Step($0)) }
        await gate.arrived(5)
        #expect(store.history.map(\.id) == calls.map(\.id))
        gate.open()
        await bench.client.settled()
        #expect(store.history.isEmpty)
        // They may end in any order; the last one finds the amounts of all.
        var sums: [Int] = []
        for call in calls { sums.append(try await call.value) }
        #expect(sums.max() == 15)
    }

    // MARK: Modifiers

    @Test func `R21 a mutation with modifiers can be called like the plain one`() async throws {
        let bench = MutationBench { if $0.number % 2 == 1 { throw TestError() } }
        let eager = Change().retry(limit: 1, backoff: .none)
        #expect(try await bench.client.mutate(eager, with: Change.Step(1)) == 1)
        #expect(try await bench.client.submit(eager.timeout(.seconds(9)), with: Change.Step(2)).value == 3)
        #expect(bench.accounts.calls.count == 4)
        #expect(bench.changes.history.count == 2)
    }

    @Test(arguments: [true, false]) func `R24 a resumed call uses only the modifiers passed to the resumption`(
        _ isModified: Bool
    ) async throws {
        let first = bench(journal, isOnline: false)
        let id = try first.client.submit(Change().retry(limit: 1, backoff: .none), with: Change.Step(5)).id
        await first.client.settled()
        // The call stays in the journal, where another client can claim it.
        first.client.clear()
        await first.client.settled()
        let second = MutationBench(journal: journal) { if $0.number == 1 { throw TestError() } }
        let mutation = isModified ? ResumableMutation(Change.self) { $0.retry(limit: 1, backoff: .none) } : ResumableMutation(Change.self)
        #expect(try await second.client.resumeMutations([mutation]).resumed == [id])
        await second.client.settled()
        #expect(second.accounts.keys == Array(repeating: id, count: isModified ? 2 : 1))
        #expect(second.accounts[1] == (isModified ? 5 : 0))
    }

    @Test(arguments: [nil, "s"], [true, false])
    func `R21 a handler that receives a failure can retry the call`(_ scope: String?, _ isDurable: Bool) async throws {
        let journal = isDurable ? MemoryMutationJournal() : nil
        let bench = MutationBench(journal: journal) { call in if call.number <= 2 { throw TestError() } }
        let store = bench.client.store(for: Change(scope: scope))
        let calls = Recorder<MutationCall<Change.Step, Int>>()
        let subscription = store.subscribe(
            with: QueryEventHandler { [store] state, _ in
                guard case .failed = state.history.last?.status else { return }
                if let call = calls.all.first { _ = try? call.retry() } else if let again = try? store.retryLatest() { calls.note(again) }
            }
        )
        let call = try store.submit(Change.Step(5))
        await #expect(throws: TestError.self) { try await call.value }
        await reaches { store.history.last.map { if case .succeeded = $0.status { true } else { false } } == true }
        await bench.client.settled()
        #expect(bench.accounts.calls.map(\.amount) == [5, 5, 5])
        #expect(Set(bench.accounts.keys).count == 1)
        #expect(bench.accounts[1] == 5)
        #expect(!bench.client.store(for: Number()).isOptimistic)
        if let journal { #expect(try await journal.entries().isEmpty) }
        subscription.cancel()
    }

    @Test func `R21 a handler that receives the cancellation of a queued call can retry it`() async throws {
        let gate = Gate()
        let bench = MutationBench { _ in try await gate.pass() }
        let store = bench.client.store(for: Change(scope: "s"))
        try store.submit(Change.Step(1))
        await gate.arrived()
        let call = try store.submit(Change.Step(2))
        let again = Recorder<MutationCall<Change.Step, Int>>()
        let subscription = store.subscribe(
            with: QueryEventHandler { state, _ in
                guard again.all.isEmpty, case .cancelled = state.history.last?.status, let made = try? call.retry() else { return }
                again.note(made)
            }
        )
        call.cancel()
        await reaches { again.count == 1 }
        gate.open()
        #expect(try await again.all[0].value == 3)
        await bench.client.settled()
        #expect(bench.accounts.calls.map(\.amount) == [1, 2])
        subscription.cancel()
    }

    /// A journal that waits before it removes an entry.
    private struct SlowRemoval: MutationJournal {
        let journal = MemoryMutationJournal()
        let gate: Gate

        func append(_ entry: MutationJournalEntry) async throws { try await journal.append(entry) }
        func setAside(_ id: UUID, because reason: String) async throws { try await journal.setAside(id, because: reason) }
        func entries() async throws -> [MutationJournalEntry] { try await journal.entries() }

        func remove(_ id: UUID) async throws {
            try await gate.pass()
            try await journal.remove(id)
        }
    }

    @Test(arguments: [true, false])
    func `R24 a retry that waits for the end of the failed call can be cancelled or left in the journal`(_ isLeft: Bool) async throws {
        let gate = Gate()
        let journal = SlowRemoval(gate: gate)
        let bench = MutationBench(journal: journal) { _ in throw TestError() }
        let call = try bench.changes.submit(Change.Step(5))
        await gate.arrived()
        // The journal has yet to remove the failed call.
        let again = try call.retry()
        if isLeft { bench.client.clear() } else { again.cancel() }
        gate.open()
        await #expect(throws: CancellationError.self) { try await again.value }
        await bench.client.settled()
        #expect(bench.accounts.calls.count == 1)
        #expect(try await journal.entries().count == (isLeft ? 1 : 0))
        #expect(!bench.client.store(for: Number()).isOptimistic)
    }
}
