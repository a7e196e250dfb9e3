import Foundation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

extension Compositions {
    /// No foreign code runs on the thread that cancels a caller, and the cancelled caller returns at once.
    @Suite struct CancellationTests {
        /// Cancels on its own thread, and records whether foreign code runs on that thread during the cancellation.
        private final class Canceller: Sendable {
            private let thread = Lock<Thread?>(nil)
            private let calls = Recorder<Bool>()

            var count: Int { calls.count }
            /// Whether foreign code was called by the thread that cancelled.
            var isInvolved: Bool { calls.all.contains(true) }

            func forget() { _ = calls.take() }

            /// What foreign code calls.
            func note() { calls.note(thread.withLock { $0 === Thread.current }) }

            func cancel(_ cancel: @escaping @Sendable () -> Void) async {
                await onThread {
                    self.thread.withLock { $0 = Thread.current }
                    cancel()
                    self.thread.withLock { $0 = nil }
                }
            }
        }

        private let canceller = Canceller()

        /// A request whose handler notes each state.
        private var request: some QueryRequest<Int, Number.State> {
            Number(1).onEvent(QueryEventHandler { [canceller] _, _ in canceller.note() })
        }

        private func bench(_ gate: Gate) -> TestBench {
            TestBench { call in
                try await gate.pass()
                return call.number
            }
        }

        /// Starts a caller; returns when its run has come to the gate and no other thread delivers states of number 1.
        private func caller(
            _ gate: Gate,
            in client: QueryClient,
            _ fetch: @escaping @Sendable () async throws -> Int
        ) async -> Task<Int, any Error> {
            let caller = Task { try await fetch() }
            await gate.arrived()
            await deliverHere(client)
            return caller
        }

        /// Writes until the writing thread delivers what it wrote: then no other thread is delivering.
        private func deliverHere(_ client: QueryClient) async {
            for value in 100..<1_000 {
                canceller.forget()
                await canceller.cancel { client.setValue(value, for: Number(1)) }
                if canceller.isInvolved { break }
            }
            canceller.forget()
        }

        // MARK: Whose thread

        @Test func `R7 the state after a cancellation is not delivered by the thread that cancels`() async throws {
            let gate = Gate()
            let client = bench(gate).client
            let caller = await caller(gate, in: client) { try await client.fetch(request) }
            await canceller.cancel { caller.cancel() }
            await client.settled()
            #expect(canceller.count > 0)
            #expect(!canceller.isInvolved)
        }

        @Test func `R7 the state after a cancelled fetch task is not delivered by the thread that cancels`() async throws {
            let gate = Gate()
            let client = bench(gate).client
            let task = client.store(for: request).fetchTask().start()
            let caller = Task { try await task.value }
            await gate.arrived()
            await deliverHere(client)
            await canceller.cancel { task.cancel() }
            await #expect(throws: CancellationError.self) { try await caller.value }
            await client.settled()
            #expect(!canceller.isInvolved)
        }

        @Test func `R7 handlers of an outer request are not called by the thread that cancels it`() async throws {
            let gate = Gate()
            let bench = bench(gate)
            bench.backend.behave { [request] call in
                if call.id == 2 { return try await call.context.queryClient?.fetch(request) ?? 0 }
                try await gate.pass()
                return 1
            }
            let client = bench.client
            let caller = await caller(gate, in: client) { try await client.fetch(Number(2)) }
            await canceller.cancel { caller.cancel() }
            await client.settled()
            #expect(!canceller.isInvolved)
        }

        @Test func `R7 layers are not applied by the thread that cancels`() async throws {
            struct Layered: MutationRequest {
                let canceller: Canceller
                let gate: Gate
                static func == (left: Layered, right: Layered) -> Bool { true }
                func hash(into hasher: inout Hasher) {}

                func mutate(with id: Int, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
                    try await gate.pass()
                    return id
                }

                func optimistic(with id: Int, in layers: inout QueryLayers) {
                    layers.update(Number(id)) { [canceller] value in
                        canceller.note()
                        value += 100
                    }
                }
            }
            let (gate, mutation) = (Gate(), Gate())
            let client = bench(gate).client
            client.setValue(1, for: Number(1))
            try client.store(for: Layered(canceller: canceller, gate: mutation)).submit(1)
            let caller = Task { try await client.store(for: Number(1)).fetch() }
            await gate.arrived()
            await canceller.cancel { caller.cancel() }
            mutation.open()
            await client.settled()
            #expect(!canceller.isInvolved)
        }

        @Test func `R7 the cancellation handler of a fetch is not called by the thread that cancels a caller`() async throws {
            let gate = Gate()
            let client = TestBench { [canceller] _ in
                try await withTaskCancellationHandler {
                    try await gate.pass()
                    return 1
                } onCancel: {
                    canceller.note()
                }
            }.client
            let isStarted = Recorder<Bool>()
            let request = Number(1).onEvent(QueryEventHandler(onFetchingStarted: { _ in isStarted.note(true) }))
            let caller = Task { try await client.fetch(request) }
            await gate.arrived()
            // The store has the task of the run before it tells handlers.
            await reaches { isStarted.count == 1 }
            await canceller.cancel { caller.cancel() }
            await reaches { canceller.count == 1 }
            #expect(!canceller.isInvolved)
        }

        @Test func `R7 the cancellation handler of a fetch for one caller alone is not called by the thread that cancels it`() async {
            let gate = Gate()
            let client = TestBench { [canceller] _ in
                try await withTaskCancellationHandler {
                    try await gate.pass()
                    return 1
                } onCancel: {
                    canceller.note()
                }
            }.client
            let caller = Task { try await client.fetch(Number(1).deduplicated(false)) }
            await gate.arrived()
            await canceller.cancel { caller.cancel() }
            await client.settled()
            #expect(canceller.count == 1 && !canceller.isInvolved)
        }

        @Test func `R7 a run for one caller begins nothing once that has left, even before its task is cancelled`() async {
            let bench = TestBench { $0.number }
            let core = bench.client.store(for: Number(1)).core
            let run = StoreRun(
                of: core,
                start: RunStart(number: 1, cause: .manual, origin: .caller, isPrivate: true),
                settings: core.settings,
                asOf: core.host.latestChange,
                rollback: core.box
            )
            run.leave()
            #expect(await AttemptLoop(run: run).result() == nil)
            #expect(bench.backend.count == 0)
        }

        // MARK: How long

        @Test func `R7 a cancelled caller returns while a handler is slow`() async throws {
            let gate = Gate()
            let slow = Valve()
            let client = bench(gate).client
            let request = Number(1).onEvent(QueryEventHandler { state, _ in if !state.isFetching { slow.wait() } })
            let caller = Task { try await client.fetch(request) }
            await gate.arrived()
            Thread.detachNewThread { caller.cancel() }
            let returns = await ends { _ = await caller.result }
            slow.open()
            await client.settled()
            #expect(returns)
        }

        @Test func `R7 a cancelled caller returns while a handler of another store is slow`() async throws {
            let (gate, slow) = (Gate(), Valve())
            let client = bench(gate).client
            let subscription = client.store(for: Number(2).enabled(false)).subscribe(
                with: QueryEventHandler { state, _ in if state.value == 5 { slow.wait() } }
            )
            let caller = Task { try await client.fetch(Number(1)) }
            await gate.arrived()
            Thread.detachNewThread { client.setValue(5, for: Number(2)) }
            await reaches { slow.arrivals == 1 }
            caller.cancel()
            #expect(await ends(within: .seconds(2)) { _ = await caller.result })
            slow.open()
            await client.settled()
            subscription.cancel()
        }

        @Test func `R7 a cancelled caller returns while the handler of a write to its store is slow`() async throws {
            let (gate, slow) = (Gate(), Valve())
            let client = bench(gate).client
            let request = Number(1).onEvent(
                QueryEventHandler { [canceller] state, _ in
                    canceller.note()
                    if state.value == 5 { slow.wait() }
                }
            )
            let caller = await caller(gate, in: client) { try await client.fetch(request) }
            Thread.detachNewThread { client.setValue(5, for: request) }
            await reaches { slow.arrivals == 1 }
            caller.cancel()
            #expect(await ends(within: .seconds(2)) { _ = await caller.result })
            slow.open()
            await client.settled()
            #expect(client.value(for: Number(1)) == 5)
        }

        @Test func `R7 a caller that is cancelled while a handler hears of its value returns at once`() async throws {
            let slow = Valve()
            let client = TestBench { $0.number }.client
            let request = Number(1).onEvent(QueryEventHandler { state, _ in if state.value == 1 { slow.wait() } })
            let caller = Task { try await client.fetch(request) }
            await reaches { slow.arrivals == 1 }
            caller.cancel()
            let returns = await ends(within: .seconds(2)) { _ = await caller.result }
            slow.open()
            await #expect(throws: CancellationError.self) { try await caller.value }
            await client.settled()
            #expect(returns && client.value(for: Number(1)) == 1)
        }

        @Test func `R7 a caller of a fresh value that is cancelled while a handler hears of it returns at once`() async throws {
            let slow = Valve()
            let client = TestBench { $0.number }.client
            let store = client.store(for: Number(1).ttl(.infinity))
            let subscription = store.subscribe(with: QueryEventHandler { state, _ in if state.value == 5 { slow.wait() } })
            await client.settled()
            Thread.detachNewThread { store.setValue(5) }
            await reaches { slow.arrivals == 1 }
            let caller = Task { try await client.fetch(Number(1).ttl(.infinity)) }
            await reaches { store.core.contents.withLock { !$0.outbox.isLastTurn } }
            caller.cancel()
            let returns = await ends(within: .seconds(2)) { _ = await caller.result }
            slow.open()
            await #expect(throws: CancellationError.self) { try await caller.value }
            await client.settled()
            #expect(returns)
            subscription.cancel()
        }

        @Test func `R7 a cancelled caller returns while the handler of the state that it brought about is slow`() async throws {
            let (gate, slow) = (Gate(), Valve())
            let client = bench(gate).client
            let request = Number(1).onEvent(QueryEventHandler { state, _ in if state.isFetching { slow.wait() } })
            let caller = Task { try await client.fetch(request) }
            await gate.arrived()
            await reaches { slow.arrivals == 1 }
            Thread.detachNewThread { caller.cancel() }
            let returns = await ends { _ = await caller.result }
            slow.open()
            _ = await caller.result
            await client.settled()
            #expect(returns)
        }

        // MARK: What stays

        @Test func `R7 a cancelled run leaves the value that was written during it`() async throws {
            let gate = Gate()
            let client = bench(gate).client
            client.setValue(1, for: Number(1))
            let store = client.store(for: Number(1))
            let caller = Task { try await store.fetch() }
            await gate.arrived()
            store.setValue(2)
            store.invalidate()
            caller.cancel()
            await #expect(throws: CancellationError.self) { try await caller.value }
            await client.settled()
            #expect(store.value == 2 && store.isInvalidated && !store.isFetching)
        }

        @Test func `R7 a cancelled run keeps a change that came during it`() async throws {
            let (gate, source) = (Gate(), Source())
            let client = TestBench { _ in
                let value = source.read()
                if value > 0 { try await gate.pass() }
                return value
            }.client
            let store = client.store(for: Number(1).ttl(.infinity))
            _ = try await store.fetch()
            source.change(to: 1, in: client)
            let caller = Task { try await store.fetch() }
            await gate.arrived()
            source.change(to: 2, in: client)
            caller.cancel()
            await #expect(throws: CancellationError.self) { try await caller.value }
            await client.settled()
            #expect(store.value == 0 && store.isStale)
        }
    }
}
