import QueryKit
import QueryKitTesting
import TestSupport
import Testing

extension Compositions {
    /// Tags computed from a value, and invalidations by tag while that value is being fetched.
    struct TagTests {
        private let source = Source()
        /// The gate where the second store's first run waits after it has read.
        private let gate = Gate()

        private func bench() -> TestBench {
            // Reads no region, so that only the tag can invalidate the value.
            TestBench { [gate] call in
                guard call.id == 2 else { return 0 }
                let value = call.context[Truth.self].withLock { $0 }
                try await gate.pass()
                return value
            } adjusting: {
                $0[Truth.self] = Lock(0)
            }
        }

        private enum Truth: QueryContext.Key {
            static var defaultValue: Lock<Int> { Lock(0) }
        }

        private var first: some QueryRequest<Int, Number.State> { Number(1).ttl(.infinity).tagged("t").enabled(false) }
        private var second: some QueryRequest<Int, Number.State> { Number(2).ttl(.infinity).tagged { _ in ["t"] } }

        /// Invalidates the tag, and lets the second store's run end while the first store's handler is being called.
        private func invalidateWhileTheRunEnds(_ client: QueryClient, _ invalidate: @escaping @Sendable (QueryClient) -> Void) async throws
        {
            let ended = Valve()
            client.setValue(5, for: first)
            let caller = Task { [second] in
                defer { ended.open() }
                return try await client.fetch(second)
            }
            await gate.arrived()
            let subscription = client.store(for: first).subscribe(
                with: QueryEventHandler { [gate] state, _ in
                    guard state.isInvalidated else { return }
                    gate.open()
                    ended.wait()
                }
            )
            client.context[Truth.self].withLock { $0 = 1 }
            await onThread { invalidate(client) }
            _ = try await caller.value
            await client.settled()
            subscription.cancel()
        }

        @Test func `R29 a tag reaches a store whose run ends while another store's observers are called`() async throws {
            let client = bench().client
            try await invalidateWhileTheRunEnds(client) { $0.invalidate(tags: ["t"]) }
            let store = client.store(for: Number(2))
            #expect(store.value == 1 || store.isStale)
        }

        @Test func `R29 a tag reaches an observed store whose run ends while another store's observers are called`() async throws {
            let client = bench().client
            let subscription = client.store(for: second).record(Recorder())
            try await invalidateWhileTheRunEnds(client) { $0.invalidate(tags: ["t"]) }
            #expect(client.store(for: Number(2)).value == 1)
            subscription.cancel()
        }

        @Test func `R29 a pattern reaches a store whose run ends while another store's observers are called`() async throws {
            let client = bench().client
            try await invalidateWhileTheRunEnds(client) { $0.invalidate("number/*") }
            let store = client.store(for: Number(2))
            #expect(store.value == 1 || store.isStale)
        }

        @Test func `R17 invalidating a tag that the current run's result will carry causes exactly one trailing run`() async throws {
            let bench = bench()
            let subscription = bench.client.store(for: second).record(Recorder())
            await gate.arrived()
            bench.client.context[Truth.self].withLock { $0 = 1 }
            for _ in 1...3 { bench.client.invalidate(tags: ["t"]) }
            gate.open()
            await bench.client.settled()
            #expect(bench.client.store(for: Number(2)).value == 1)
            #expect(bench.backend.count == 2)
            subscription.cancel()
        }

        @Test func `R29 a tag invalidated in a handler of the result that carries it invalidates that result`() async throws {
            let client = bench().client
            gate.open()
            let store = client.store(for: second)
            let hasRung = Lock(false)
            let subscription = store.subscribe(
                with: QueryEventHandler(onResultReceived: { _, context in
                    let isFirst = hasRung.withLock { hasRung in
                        defer { hasRung = true }
                        return !hasRung
                    }
                    guard isFirst else { return }
                    context[Truth.self].withLock { $0 = 1 }
                    context.queryClient?.invalidate(tags: ["t"])
                })
            )
            await client.settled()
            #expect(store.value == 1)
            subscription.cancel()
        }
    }
}
