import Foundation
import TestSupport
import Testing

@testable import QueryKit

/// A mutation that calls a hook while it declares its layers.
private struct Interrupted: DurableMutationRequest {
    static let journalName = "Interrupted"

    enum Hook: QueryContext.Key {
        static var defaultValue: @Sendable () -> Void { {} }
    }

    func mutate(with amount: Int, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int { amount }

    func optimistic(with amount: Int, in layers: inout QueryLayers) {
        layers.update(Number()) { $0 += amount }
        layers.context[Hook.self]()
    }
}

struct EndedSessionTests {
    @Test func `R22 a call whose session ends while its layers are declared lays no layer in the next session`() async throws {
        let journal = MemoryMutationJournal()
        let hook = Lock<(@Sendable () -> Void)?>(nil)
        let bench = TestBench(adjusting: { context in
            context.session = "a"
            context.mutationJournal = journal
            context[Interrupted.Hook.self] = { hook.withLock { $0 }?() }
        })
        let client = bench.client
        let number = client.store(for: Number())
        number.setValue(1)
        hook.withLock { hook in
            hook = { [weak client] in
                client?.reset(session: "b")
                client?.setValue(50, for: Number())
            }
        }
        let call = Task { try await client.mutate(Interrupted(), with: 5) }
        await #expect(throws: CancellationError.self) { try await call.value }
        await client.settled()
        #expect(number.value == 50)
        #expect(!number.isOptimistic)
        #expect(client.context.session == "b")
        let sessions = try await journal.entries().map(\.session)
        #expect(sessions.allSatisfy { $0 == "a" })
    }

    @Test func `R16 fetching with a context kept from an ended session throws and shows nothing of that session`() async throws {
        let bench = TestBench(
            { call in call.context.session == "a" ? 1 : 2 },
            adjusting: { $0.session = "a" }
        )
        let store = bench.client.store(for: Number())
        _ = try await store.fetch()
        let kept = store.context
        bench.client.reset(session: "b")
        let error = await #expect(throws: QueryError.self) { try await store.fetch(using: kept) }
        #expect(error?.code == .sessionEnded)
        #expect(error?.path == Number().path)
        let task = store.fetchTask(using: kept)
        await #expect(throws: QueryError.self) { try await task.value }
        let own = bench.client.store(for: Number(2).deduplicated(false))
        await #expect(throws: QueryError.self) { try await own.fetch(using: kept) }
        #expect(bench.backend.count == 1)
        #expect(store.value == nil)
        #expect(try await store.fetch() == 2)
    }

    @Test func `R24 a call with the context of an ended session throws and leaves no layer and no journal entry`() async throws {
        let journal = MemoryMutationJournal()
        let bench = MutationBench(journal: journal, session: "a")
        let number = bench.client.store(for: Number())
        number.setValue(1)
        let kept = bench.changes.context
        bench.client.reset(session: "b")
        number.setValue(2)
        let error = #expect(throws: QueryError.self) { try bench.changes.submit(Change.Step(5), using: kept) }
        #expect(error?.code == .sessionEnded)
        await #expect(throws: QueryError.self) { try await bench.changes.mutate(with: Change.Step(5), using: kept) }
        await bench.client.settled()
        #expect(number.value == 2)
        #expect(bench.changes.history.isEmpty)
        #expect(bench.accounts.calls.isEmpty)
        #expect(try await journal.entries().isEmpty)
    }

    @Test func `R24 a call with a context without a client takes the client and session of the store`() async throws {
        let journal = MemoryMutationJournal()
        let bench = MutationBench(journal: journal, session: "a", isOnline: false)
        bench.client.store(for: Number()).setValue(1)
        var context = QueryContext()
        context.clock = bench.clock
        context.accounts = bench.accounts
        context.networkMode = .online
        try bench.changes.submit(Change.Step(5), using: context)
        await bench.wait { if case .paused = $0.history.first?.status { true } else { false } }
        #expect(bench.client.store(for: Number()).value == 6)
        #expect(try await journal.entries().map(\.session) == ["a"])
    }

    @Test func `a context whose client was set again belongs to the current session`() async throws {
        let bench = MutationBench(session: "a")
        bench.client.store(for: Number()).setValue(1)
        var context = bench.changes.context
        context.queryClient = bench.client
        _ = try await bench.changes.mutate(with: Change.Step(5), using: context)
        #expect(bench.accounts[1] == 5)
    }

    @Test func `R24 a call with a context whose client was set by hand takes the session of the store`() async throws {
        let journal = MemoryMutationJournal()
        let bench = MutationBench(journal: journal, session: "a", isOnline: false)
        var context = QueryContext()
        context.queryClient = bench.client
        context.clock = bench.clock
        context.accounts = bench.accounts
        context.networkMode = .online
        try bench.changes.submit(Change.Step(5), using: context)
        await bench.wait { if case .paused = $0.history.first?.status { true } else { false } }
        #expect(try await journal.entries().map(\.session) == ["a"])
    }

    @Test func `R24 a call with a client-less context made in a handler while a session begins belongs to that session`() async throws {
        let bench = MutationBench(session: "a")
        let first = bench.client.store(for: Number(1).enabled(false))
        first.setValue(1)
        let changes = bench.changes
        let (accounts, calls, isMade) = (bench.accounts, Recorder<Bool>(), SharedFlag())
        // The mutation's store learns of the new session after this one.
        let subscription = first.subscribe(
            with: QueryEventHandler { state, context in
                guard context.session == "b", isMade.raise() else { return }
                var plain = QueryContext()
                plain.accounts = accounts
                calls.note((try? changes.submit(Change.Step(5), using: plain)) != nil)
            }
        )
        bench.client.reset(session: "b")
        await bench.client.settled()
        #expect(calls.all == [true])
        #expect(accounts.calls.count == 1)
        subscription.cancel()
    }

    @Test(arguments: [true, false])
    func `R30 fetching with another client's context uses its dependencies, but not its client or session`(isDeduplicated: Bool)
        async throws
    {
        let own = TestBench(adjusting: { $0.session = "a" })
        let seen = Recorder<String>()
        let other = TestBench { call in
            seen.note("\(call.context.session ?? "none") \(call.context.queryClient === own.client)")
            return 7
        } adjusting: {
            $0.session = "b"
        }
        let store = own.client.store(for: Number().deduplicated(isDeduplicated))
        #expect(try await store.fetch(using: other.client.context) == 7)
        #expect(seen.all == ["a true"])
        let former = other.client.context
        other.client.reset(session: "c")
        await #expect(throws: QueryError.self) { try await store.fetch(using: former) }
        #expect(seen.count == 1)
    }

    @Test func `R22 a call with another client's context lays its layers in the store's client and is made there`() async throws {
        let own = MutationBench(session: "a", isOnline: false)
        let other = MutationBench(session: "b", isOnline: false)
        for bench in [own, other] { bench.client.setValue(1, for: Number(1)) }
        try own.changes.submit(Change.Step(5), using: other.client.context)
        await own.wait { if case .paused = $0.history.first?.status { true } else { false } }
        #expect(own.client.value(for: Number(1)) == 6)
        #expect(other.client.value(for: Number(1)) == 1)
        own.client.reset(session: "c")
        await own.client.settled()
        #expect(own.changes.history.isEmpty && own.accounts.calls.isEmpty && other.accounts.calls.isEmpty)
    }

    @Test func `a store whose client was deallocated can still be fetched with its own context`() async throws {
        var bench: TestBench? = TestBench { _ in 7 }
        let store = try #require(bench?.client.store(for: Number()))
        bench = nil
        #expect(try await store.fetch() == 7)
        #expect(try await store.fetch(using: store.context) == 7)
    }
}
