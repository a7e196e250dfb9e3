import Foundation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

extension Compositions {
    /// Cancelling a caller runs no foreign code on the cancelling thread, and the cancelled caller returns at once.
    struct CancellationTests {
        /// Cancels on its own thread, and records whether foreign code runs on that thread during the cancellation.
        private final class Canceller: Sendable {
            private let thread = Lock<Thread?>(nil)
            private let calls = Recorder<Bool>()

            var count: Int { calls.count }
            /// Whether the cancelling thread called foreign code.
            var isInvolved: Bool { calls.all.contains(true) }

            func forget() { _ = calls.take() }

            /// Records a call of foreign code.
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

        /// A request whose handler records each call.
        private var request: some QueryRequest<Int, Number.State> {
            Number(1).onEvent(QueryEventHandler { [canceller] _, _ in canceller.note() })
        }

        private func bench(_ gate: Gate) -> TestBench {
            TestBench { call in
                try await gate.pass()
                return call.number
            }
        }

        /// Starts a caller; returns when its run is at the gate and no other thread is delivering states of number 1.
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

        /// Writes until the writing thread delivers its own write, which shows that no other thread is delivering.
        private func deliverHere(_ client: QueryClient) async {
            for value in 100..<1_000 {
                canceller.forget()
                await canceller.cancel { client.setValue(value, for: Number(1)) }
                if canceller.isInvolved { break }
            }
            canceller.forget()
        }

        // MARK: Threads

        @Test func `R7 the state after a cancelled caller is not delivered on the cancelling thread`() async throws {
            let gate = Gate()
            let client = bench(gate).client
            let caller = await caller(gate, in: client) { try await client.fetch(request) }
            await canceller.cancel { caller.cancel() }
            await client.settled()
            #expect(canceller.count > 0)
            #expect(!canceller.isInvolved)
        }

        @Test func `R7 the state after a cancelled fetch task is not delivered on the cancelling thread`() async throws {
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

        @Test func `R7 cancelling a caller of an outer request calls no handlers of the inner one on the cancelling thread`() async throws {
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

        @Test func `R7 cancelling a caller does not apply layers on the cancelling thread`() async throws {
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

        @Test func `R7 cancelling a caller does not call the fetch's cancellation handler on the cancelling thread`() async throws {
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
            // The store has the run's task before it notifies handlers.
            await reaches { isStarted.count == 1 }
            await canceller.cancel { caller.cancel() }
            await reaches { canceller.count == 1 }
            #expect(!canceller.isInvolved)
        }

        @Test func `R7 cancelling a private fetch does not call its cancellation handler on the cancelling thread`() async {
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

        @Test func `R7 a private run whose caller has left starts no attempt, even before its task is cancelled`() async {
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

        // MARK: Duration

        @Test func `R7 a cancelled caller returns while a handler of its request is slow`() async throws {
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

        @Test func `R7 a caller cancelled while a handler receives its value returns at once`() async throws {
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

        @Test func `R7 a caller of a fresh value cancelled while a handler receives that value returns at once`() async throws {
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

        @Test func `R7 a cancelled caller returns while a handler of the state change that it caused is slow`() async throws {
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

        // MARK: Values

        @Test func `R7 cancelling a run keeps a value written during it`() async throws {
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

        @Test func `R7 after a cancelled run the value stays stale if its source changed during the run`() async throws {
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
