import Foundation
import QueryKit
import QueryKitTesting
import TestSupport
import Testing

extension Compositions {
    /// An invalidation in memory also invalidates the cache, so the next client fetches.
    struct PersistedInvalidationTests {
        private let cache = MemoryQueryCache(clock: ManualClock())
        private let truth = Lock(0)

        private func request(_ id: Int) -> some QueryRequest<Int, Number.State> { Number(id).ttl(.infinity).persisted(in: cache) }

        /// The values that a new client with the same cache shows, and how many fetches it needed for them.
        private func nextClient() async throws -> (values: [Int], fetches: Int) {
            let bench = TestBench { [truth] _ in truth.withLock { $0 } }
            var values: [Int] = []
            for id in 1...3 { values.append(try await bench.client.fetch(request(id))) }
            return (values, bench.backend.count)
        }

        /// Starts three runs that have read and wait; a handler that receives a change in one returns only after the other two have ended.
        private func changeWhileRunsEnd(_ change: @escaping @Sendable (QueryClient) -> Void) async throws {
            let gate = Gate()
            let bench = TestBench { [truth] call in
                let value = truth.withLock { $0 }
                try await gate.pass()
                return value
            }
            let client = bench.client
            let results = Lock(0)
            let two = Valve()
            let isFirst = Lock(true)
            let handler = QueryEventHandler<Number.State>(
                onStateChanged: { state, _ in
                    guard state.isInvalidated,
                        isFirst.withLock({ isFirst in
                            defer { isFirst = false }
                            return isFirst
                        })
                    else { return }
                    gate.open()
                    two.wait()
                },
                onResultReceived: { _, _ in
                    if results.withLock({
                        $0 += 1
                        return $0
                    }) == 2 {
                        two.open()
                    }
                }
            )
            let callers = (1...3).map { id in Task { try await client.fetch(request(id).onEvent(handler)) } }
            await gate.arrived(3)
            truth.withLock { $0 = 1 }
            await onThread { change(client) }
            for caller in callers { _ = try? await caller.value }
            await client.settled()
        }

        @Test func `R28 a run that ends while an invalidation calls handlers is not cached as fresh`() async throws {
            try await changeWhileRunsEnd { $0.invalidate("number/*") }
            let values = try await nextClient().values
            #expect(values == [1, 1, 1])
        }

        @Test func `R28 a run that ends while a removal calls handlers is not cached`() async throws {
            let gate = Gate()
            let bench = TestBench { [truth] call in
                let value = truth.withLock { $0 }
                if call.number > 3 { try await gate.pass() }
                return value
            }
            let client = bench.client
            for id in 1...3 { _ = try await client.fetch(request(id)) }
            let isFirst = Lock(true)
            let ended = Valve()
            let results = Lock(0)
            let subscriptions = (1...3).map { id in
                client.store(for: request(id).enabled(false)).subscribe(
                    with: QueryEventHandler(
                        onStateChanged: { state, _ in
                            guard state.value == nil,
                                isFirst.withLock({ isFirst in
                                    defer { isFirst = false }
                                    return isFirst
                                })
                            else { return }
                            gate.open()
                            ended.wait(upTo: 0.2)
                        },
                        onResultReceived: { _, _ in
                            if results.withLock({
                                $0 += 1
                                return $0
                            }) == 2 {
                                ended.open()
                            }
                        }
                    )
                )
            }
            let callers = (1...3).map { id in Task { try await client.store(for: Number(id)).fetch() } }
            await gate.arrived(3)
            truth.withLock { $0 = 1 }
            await onThread { client.remove("number/*") }
            for caller in callers { _ = try? await caller.value }
            await client.settled()
            for subscription in subscriptions { subscription.cancel() }
            let values = try await nextClient().values
            #expect(values == [1, 1, 1])
        }

        @Test func `R28 an invalidation of one request during its run also invalidates the cached value`() async throws {
            let gate = Gate()
            let bench = TestBench { [truth] call in
                let value = truth.withLock { $0 }
                if call.number == 1 { try await gate.pass() }
                return value
            }
            let caller = Task { try await bench.client.fetch(request(1)) }
            await gate.arrived()
            truth.withLock { $0 = 1 }
            bench.client.invalidate(Number(1), refetch: .none)
            gate.open()
            _ = try await caller.value
            await bench.client.settled()
            #expect(try await nextClient().values == [1, 1, 1])
        }

        @Test func `R28 a value written by a handler after an invalidation is cached as fresh`() async throws {
            let bench = TestBench { _ in 0 }
            let client = bench.client
            for id in 1...3 { _ = try await client.fetch(request(id)) }
            let subscriptions = (1...3).map { id in
                client.store(for: request(id).enabled(false)).subscribe(
                    with: QueryEventHandler { state, context in
                        if state.isInvalidated { context.queryClient?.setValue(7, for: Number(id)) }
                    }
                )
            }
            client.invalidate("number/*")
            await client.settled()
            for subscription in subscriptions { subscription.cancel() }
            let (values, fetches) = try await nextClient()
            #expect(values == [7, 7, 7] && fetches == 0)
        }
    }
}
