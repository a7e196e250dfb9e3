import Foundation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// A request that runs a hook while its settings are looked up, which happens in each new session.
private struct Meddler: QueryRequest {
    enum Meddling: QueryContext.Key {
        static var defaultValue: @Sendable () -> Void { {} }
    }

    func setup(context: inout QueryContext) { context[Meddling.self]() }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int { 0 }
}

/// A request that sets its client in `setup`.
private struct Steadfast: QueryRequest {
    func setup(context: inout QueryContext) { context.queryClient = context.queryClient }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int { 1 }
}

struct SessionTests {
    @Test func `R16 a new session empties all stores and refetches the observed ones in the new session`() async throws {
        let sessions = Recorder<String?>()
        let bench = TestBench { call in
            sessions.note(call.context.session)
            return call.number
        }
        let seen = Recorder<String>()
        let watched = bench.client.store(for: Number(1).ttl(.infinity))
        let subscription = watched.record(seen)
        _ = try await bench.client.fetch(Number(2))
        await bench.client.settled()
        bench.client.reset(session: "b")
        await bench.client.settled()
        #expect(seen.all == ["idle", "loading", "1", "idle", "loading", "3"])
        #expect(sessions.all == [nil, nil, "b"])
        #expect(bench.client.value(for: Number(2)) == nil)
        #expect(bench.client.context.session == "b")
        #expect(watched.state.cause == .session)
        #expect(watched.context.ttl == .infinity)
        subscription.cancel()
    }

    @Test func `R10 nothing of the old session is shown: no late result, yield, write or layer`() async throws {
        let gate = Gate(ignoresCancellation: true)
        let late = Recorder<String>()
        let bench = TestBench { call in
            guard call.context.session == "a" else { return 1_000 }
            try? await gate.pass()
            call.continuation.yield(1)
            call.context.queryClient?.setValue(2, for: Number(2))
            late.note("\(call.context.queryClient == nil)")
            return 3
        }
        bench.client.reset(session: "a")
        let seen = Recorder<String>()
        let store = bench.client.store(for: Number(1))
        let caller = Task { try await store.fetch() }
        await gate.arrived()
        let subscription = store.record(seen)
        store.addLayer(of: UUID()) { $0 += 7 }
        bench.client.reset(session: "b")
        await #expect(throws: CancellationError.self) { try await caller.value }
        await bench.client.settled()
        let before = seen.take()
        gate.open()
        while late.count < 1 { await Task.yield() }
        await bench.client.settled()
        #expect(before == ["loading", "idle", "loading", "1000"])
        #expect(seen.all == [])
        #expect(late.all == ["true"])
        #expect(bench.client.value(for: Number(2)) == nil)
        subscription.cancel()
    }

    @Test func `R24 unfinished calls are kept for their session and made when it returns`() async throws {
        let journal = MemoryMutationJournal()
        let bench = MutationBench(journal: journal, session: "a", isOnline: false)
        bench.client.store(for: Number()).setValue(1)
        try bench.changes.submit(Change.Step(5))
        await bench.wait { if case .paused = $0.history[0].status { true } else { false } }
        await bench.client.settled()
        bench.client.reset(session: "b")
        await bench.client.settled()
        #expect(bench.changes.history.isEmpty)
        bench.client.store(for: Number()).setValue(50)
        #expect(bench.client.value(for: Number()) == 50)
        #expect(try await bench.client.resumeMutations(of: [Change.self]).resumed.isEmpty)
        bench.network.set(isOnline: true)
        await bench.client.settled()
        #expect(bench.accounts.calls.isEmpty)
        bench.client.reset(session: "a")
        #expect(try await bench.client.resumeMutations(of: [Change.self]).resumed.count == 1)
        await bench.client.settled()
        #expect(bench.accounts[1] == 5)
        #expect(try await journal.entries().isEmpty)
    }

    @Test func `a released store that is still referenced belongs to the new session too`() async throws {
        let bench = TestBench { call in call.context.session == "b" && call.context.queryClient != nil ? 2 : 1 }
        bench.client.reset(session: "a")
        let held = bench.client.store(for: Number().keep(for: .seconds(1)))
        _ = try await held.fetch()
        bench.clock.advance(by: .seconds(5))
        #expect(bench.client.storeCount == 0)
        bench.client.reset(session: "b")
        #expect(try await held.fetch() == 2)
        #expect(bench.client.store(for: Number()).context.session == "b")
    }

    @Test func `R10 a store that is looked up while a session begins joins it and shows nothing of the previous one`() async throws {
        try await meddling(expecting: ["b nothing"]) { client, _, seen in
            let found = client.store(for: Number(1).ttl(.infinity))
            seen.note("\(found.context.session ?? "-") \(found.value.map(String.init) ?? "nothing")")
        }
    }

    @Test func `R10 a value looked at in the previous session is not a placeholder in the next`() async throws {
        try await meddling(expecting: ["nothing"]) { client, former, seen in
            client.core.lookAt(former.core, former.settings, of: Number(1).identity.family)
            seen.note(client.store(for: Number(2).keepingPrevious()).value.map(String.init) ?? "nothing")
        }
    }

    /// Fetches `Number(1)` in session "a", and calls `meddle` during the change to session "b", when that store is still in session "a".
    private func meddling(
        expecting expected: [String],
        _ meddle: @escaping @Sendable (QueryClient, QueryStore<QueryState<Int?, Int>>, Recorder<String>) -> Void
    ) async throws {
        let hook = Lock<(@Sendable () -> Void)?>(nil)
        let bench = TestBench(adjusting: { context in
            context[Meddler.Meddling.self] = {
                hook.withLock { hook in
                    defer { hook = nil }
                    return hook
                }?()
            }
        })
        let client = bench.client
        client.reset(session: "a")
        // A released store that is still referenced is the first to get the new session.
        let meddler = client.store(for: Meddler().keep(for: .seconds(1)))
        bench.clock.advance(by: .seconds(5))
        #expect(client.storeCount == 0)
        let former = client.store(for: Number(1))
        _ = try await former.fetch()
        let seen = Recorder<String>()
        hook.withLock { $0 = { [weak client] in if let client { meddle(client, former, seen) } } }
        client.reset(session: "b")
        await client.settled()
        #expect(seen.all == expected)
        #expect(former.value == nil)
        withExtendedLifetime(meddler) {}
    }

    @Test func `a request that sets its client keeps its value when it is looked up again`() async throws {
        let bench = TestBench()
        #expect(try await bench.client.fetch(Steadfast().ttl(.infinity)) == 1)
        #expect(bench.client.store(for: Steadfast().ttl(.infinity)).value == 1)
        #expect(bench.client.store(for: Steadfast()).context.queryClient === bench.client)
    }

    @Test func `a request's trigger keeps working in a new session`() async {
        let network = ManualNetworkObserver()
        let bench = TestBench(network: network) { $0.number }
        let store = bench.client.store(for: Number().refetch(on: .reconnect))
        let subscription = store.record(Recorder())
        await bench.client.settled()
        bench.client.reset(session: "b")
        await bench.client.settled()
        network.set(isOnline: false)
        network.set(isOnline: true)
        await bench.client.settled()
        #expect(bench.backend.count == 3)
        subscription.cancel()
    }

    @Test func `a client made with another client's context does not affect that client`() async throws {
        let bench = TestBench { call in call.context.queryClient == nil ? 0 : 1 }
        _ = QueryClient(context: bench.client.context, configuration: .isolated)
        #expect(try await bench.client.fetch(Number()) == 1)
    }

    @Test func `R24 when a client is deallocated, its calls are cancelled but stay in the journal`() async throws {
        let journal = MemoryMutationJournal()
        let accounts = Accounts()
        let network: ManualNetworkObserver
        let call: Task<Int, any Error>
        do {
            let bench = MutationBench(journal: journal, isOnline: false, accounts: accounts)
            network = bench.network
            let store = bench.changes
            call = Task { try await store.mutate(with: Change.Step(5)) }
            for await isPaused in store.select(\.isPaused) where isPaused { break }
            await bench.client.settled()
        }
        network.set(isOnline: true)
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(accounts.calls.isEmpty)
        #expect(try await journal.entries().count == 1)
    }
}
