import Foundation
import QueryKit
import QueryKitTesting
import TestSupport
import Testing

extension Compositions {
    /// A value carries the tags computed from it, in whichever way it got into its store.
    struct ComputedTagTests {
        /// Each value carries one tag: its own number.
        private func numbered(_ id: Int = 1) -> some QueryRequest<Int, Number.State> {
            Number(id).ttl(.infinity).tagged { [QueryTag("\($0)")] }
        }

        private func isFresh(_ client: QueryClient) -> Bool { !client.store(for: Number(1).ttl(.infinity)).isStale }

        // MARK: Sessions

        @Test func `R17 a value that observers receive in a new session carries the tags computed from it`() async {
            let client = TestBench().client
            let subscription = client.store(for: numbered()).record(Recorder())
            await client.settled()
            client.reset(session: "second")
            await client.settled()
            let store = client.store(for: Number(1))
            #expect(store.value == 2)
            client.invalidate(tags: ["2"])
            await client.settled()
            #expect(store.value == 3)
            subscription.cancel()
        }

        @Test func `R17 a tag invalidated during the first run of a new session starts another run`() async {
            let gate = Gate()
            let bench = TestBench { call in
                if call.number == 2 { try await gate.pass() }
                return call.number
            }
            let client = bench.client
            let subscription = client.store(for: numbered()).record(Recorder())
            await client.settled()
            client.reset(session: "second")
            await gate.arrived()
            client.invalidate(tags: ["2"])
            gate.open()
            await client.settled()
            #expect(client.store(for: Number(1)).value == 3)
            subscription.cancel()
        }

        @Test func `R17 tags computed for a handle while the session ends are not attached to the next session's value`() {
            let client = TestBench(adjusting: { $0.session = "a" }).client
            let logOut = LogOut()
            let request = Number(1).ttl(.infinity).tagged { value in
                if logOut.happen() { client.setValue(2, for: Number(1)) }
                return [QueryTag("\(value)")]
            }
            let store = client.store(for: request)
            store.setValue(1)
            logOut.arm(client)
            let other = client.store(for: request)
            #expect(store.value == 2 && isFresh(client))
            client.invalidate(tags: ["1"])
            #expect(isFresh(client))
            client.invalidate(tags: ["2"])
            #expect(!isFresh(client))
            withExtendedLifetime(other) {}
        }

        @Test func `R30 a disabled observer stays disabled in a new session`() async {
            let bench = TestBench()
            let plain = bench.client.store(for: Number(1))
            let subscription = bench.client.store(for: Number(1).enabled(false)).record(Recorder())
            bench.client.reset(session: "second")
            await bench.client.settled()
            #expect(bench.backend.count == 0)
            #expect(!plain.state.isFetching)
            subscription.cancel()
        }

        // MARK: Handles

        @Test func `R17 a handle created while a value is written keeps the new value's tags`() async throws {
            let client = TestBench().client
            let (entered, goesOn, isArmed) = (Valve(), Valve(), Lock(false))
            let request = Number(1).ttl(.infinity).tagged { value in
                if value == 1, isArmed.withLock({ $0 }) {
                    entered.open()
                    goesOn.wait()
                }
                return [QueryTag("\(value)")]
            }
            let store = client.store(for: request)
            _ = try await store.fetch()
            isArmed.withLock { $0 = true }
            let other = Task { await onThread { _ = client.store(for: request) } }
            await onThread { entered.wait() }
            isArmed.withLock { $0 = false }
            client.setValue(2, for: Number(1))
            goesOn.open()
            await other.value
            #expect(isFresh(client))
            client.invalidate(tags: ["2"])
            #expect(!isFresh(client))
        }

        @Test func `R17 a handle that adds computed tags while a value is being stored tags that value`() async throws {
            let client = TestBench().client
            let (entered, goesOn) = (Valve(), Valve())
            let request = Number(1).ttl(.infinity).tagged { value in
                entered.open()
                goesOn.wait()
                return ["first"]
            }
            let fetch = Task { try await client.fetch(request) }
            await onThread { entered.wait() }
            let store = client.store(for: Number(1).ttl(.infinity).tagged { _ in ["second"] })
            goesOn.open()
            _ = try await fetch.value
            #expect(isFresh(client))
            client.invalidate(tags: ["second"])
            #expect(!isFresh(client))
            withExtendedLifetime(store) {}
        }

        @Test func `R17 a tag added by a handle after a run's start reaches that run`() async throws {
            let gate = Gate()
            let bench = TestBench { call in
                try await gate.pass()
                return call.number
            }
            let client = bench.client
            let fetch = Task { try await client.fetch(Number(1).ttl(.infinity)) }
            await gate.arrived()
            let store = client.store(for: numbered())
            client.invalidate(tags: ["1"])
            gate.open()
            _ = try await fetch.value
            await client.settled()
            #expect(client.store(for: Number(1)).value == 2 || !isFresh(client))
            withExtendedLifetime(store) {}
        }

        // MARK: Sources of values

        @Test func `R17 the value kept after a cancelled run keeps its tags`() async throws {
            let gate = Gate()
            let bench = TestBench { call in
                if call.number == 2 {
                    call.continuation.yield(7)
                    try await gate.pass()
                }
                return call.number
            }
            let client = bench.client
            let store = client.store(for: numbered())
            _ = try await store.fetch()
            let fetch = Task { try await store.fetch() }
            await gate.arrived()
            #expect(store.value == 7)
            client.cancel(.path(Number(1).path))
            _ = try? await fetch.value
            #expect(store.value == 1)
            #expect(isFresh(client))
            client.invalidate(tags: ["1"])
            #expect(!isFresh(client))
        }

        @Test func `R17 the value of a private run carries the tags computed from it`() async throws {
            let client = TestBench().client
            let store = client.store(for: numbered())
            _ = try await store.fetch()
            #expect(try await client.fetch(numbered().deduplicated(false).ttl(.zero)) == 2)
            #expect(isFresh(client))
            client.invalidate(tags: ["2"])
            #expect(!isFresh(client))
        }

        @Test func `R17 an initial value carries the tags computed from it`() {
            let bench = TestBench()
            let date = Date(timeIntervalSinceNow: -1)
            let store = bench.client.store(for: numbered(), initialValue: 5, updatedAt: date)
            #expect(isFresh(bench.client))
            bench.client.invalidate(tags: ["5"])
            #expect(!isFresh(bench.client))
            withExtendedLifetime(store) {}
        }
    }
}
