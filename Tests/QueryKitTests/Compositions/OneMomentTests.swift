import QueryKit
import TestSupport
import Testing

extension Compositions {
    /// A change affects all its stores at once: a handler that receives it from one store finds the others changed too.
    struct OneMomentTests {
        /// Stores 1, 2 and 3 with fresh values, each with a handler that looks at the other two when its own store changes.
        private struct Trio {
            let source = Source()
            let bench: TestBench
            let seen = Recorder<String>()
            var subscriptions: [QuerySubscription] = []

            /// - Parameter look: Describes what is wrong with a store, or returns `nil`.
            init(
                _ look: @escaping @Sendable (QueryClient, QueryStore<Number.State>) -> String?,
                when isChanged: @escaping @Sendable (Number.State) -> Bool
            ) async throws {
                bench = TestBench { [source] call in source.read() }
                let client = bench.client
                for id in 1...3 { _ = try await client.fetch(Self.request(id)) }
                await client.settled()
                let hasBegun = Lock(false)
                subscriptions = (1...3).map { id in
                    client.store(for: Self.request(id)).subscribe(
                        with: QueryEventHandler { [seen] state, context in
                            guard hasBegun.withLock({ $0 }), isChanged(state), let client = context.queryClient else { return }
                            for other in 1...3 where other != id {
                                if let text = look(client, client.store(for: Number(other))) { seen.note(text) }
                            }
                        }
                    )
                }
                hasBegun.withLock { $0 = true }
            }

            private static func request(_ id: Int) -> some QueryRequest<Int, Number.State> {
                Number(id).ttl(.infinity).tagged("all").enabled(false)
            }
        }

        private func invalidated() async throws -> Trio {
            try await Trio { _, store in
                store.isStale ? nil : "\(store.path) is fresh"
            } when: {
                $0.isInvalidated
            }
        }

        @Test func `R29 a handler that receives an invalidation finds all matching stores stale`() async throws {
            let trio = try await invalidated()
            trio.bench.client.invalidate("number/*")
            await trio.bench.client.settled()
            #expect(trio.seen.all == [])
        }

        @Test func `R29 a handler that receives a change of a region finds all its readers stale`() async throws {
            let trio = try await invalidated()
            trio.source.change(to: 1, in: trio.bench.client)
            await trio.bench.client.settled()
            #expect(trio.seen.all == [])
        }

        @Test func `R29 a handler that receives the invalidation of a tag finds all stores with that tag stale`() async throws {
            let trio = try await invalidated()
            trio.bench.client.invalidate(tags: ["all"])
            await trio.bench.client.settled()
            #expect(trio.seen.all == [])
        }

        private func emptied() async throws -> Trio {
            try await Trio { client, store in
                store.value.map { "\(store.path) has \($0)" }
            } when: {
                $0.value == nil
            }
        }

        @Test func `R29 a handler that receives a reset finds all matching stores reset`() async throws {
            let trio = try await emptied()
            trio.bench.client.reset("number/*")
            await trio.bench.client.settled()
            #expect(trio.seen.all == [])
        }

        @Test func `R29 a handler that receives a removal finds all stores empty`() async throws {
            let trio = try await emptied()
            trio.bench.client.clear()
            await trio.bench.client.settled()
            #expect(trio.seen.all == [])
        }

        @Test func `R29 a handler that receives a new session finds all stores empty`() async throws {
            let trio = try await emptied()
            trio.bench.client.reset(session: "next")
            await trio.bench.client.settled()
            #expect(trio.seen.all == [])
        }

        @Test func `R29 a handler that receives a new session can't read values of the previous one by request`() async throws {
            let trio = try await Trio { client, _ in
                let values = (1...3).compactMap { client.value(for: Number($0)) }
                return values.isEmpty ? nil : "\(values) of the former session"
            } when: {
                $0.value == nil
            }
            trio.bench.client.reset(session: "next")
            await trio.bench.client.settled()
            #expect(trio.seen.all == [])
        }

        @Test func `R29 a handler that receives a new session finds no store of the previous one by pattern`() async throws {
            let trio = try await Trio { client, _ in
                let former = client.stores(matching: "number/*", of: Number.State.self).filter { $0.context.session != "next" }
                return former.isEmpty ? nil : "\(former.count) stores of the former session"
            } when: {
                $0.value == nil
            }
            trio.bench.client.reset(session: "next")
            await trio.bench.client.settled()
            #expect(trio.seen.all == [])
        }

        @Test func `R29 a handler that sees one layer of a call sees its other layers`() async throws {
            struct Double: MutationRequest {
                func mutate(with ids: [Int], in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
                    ids.count
                }

                func optimistic(with ids: [Int], in layers: inout QueryLayers) {
                    for id in ids { layers.update(Number(id)) { $0 += 100 } }
                }
            }
            let trio = try await Trio { _, store in
                store.value == 0 ? "\(store.path) has no layer" : nil
            } when: {
                $0.value == 100 && $0.isOptimistic
            }
            _ = try await trio.bench.client.mutate(Double(), with: [1, 2, 3])
            await trio.bench.client.settled()
            #expect(trio.seen.all == [])
        }
    }
}
