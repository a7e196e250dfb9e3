import QueryKit
import QueryKitTesting
import TestSupport
import Testing

extension Compositions {
    /// A request that fetches another one also reads what that one reads, whenever the source changes.
    struct NestedFetchTests {
        private let source = Source()
        /// The gate where the first run of the innermost request waits after it has read.
        private let gate = Gate()
        private let outer = Holdable()
        private let middle = Holdable()

        /// 1 fetches 2, which reads the source; 3 also fetches 2; 4 fetches 1.
        private func bench() -> TestBench {
            TestBench { [source, gate, outer, middle] call in
                guard let client = call.context.queryClient else { throw TestError("no client") }
                switch call.id {
                case 1, 3:
                    return try await outer.run { try await client.fetch(Number(2)) }
                case 4: return try await middle.run { try await client.fetch(Number(1)) }
                default:
                    let value = source.read()
                    try await gate.pass()
                    return value
                }
            } adjusting: {
                $0.ttl = .infinity
            }
        }

        /// Waits until the store of a number has had the given number of results and is at rest.
        private func results(_ count: Int, of id: Int, in client: QueryClient) async {
            await reaches(within: .seconds(2)) {
                let state = client.store(for: Number(id)).state
                return state.valueUpdateCount >= count && !state.isFetching
            }
        }

        /// Holds back the outer runs once the given number of them wait for the inner one.
        private func holdOuterRuns(_ count: Int, _ events: AsyncStream<QueryEvent>) async {
            var waiting = 0
            for await event in events where event.kind == .miss && event.path == ["number", 2] {
                waiting += 1
                if waiting == count { break }
            }
            // When the actor is free, the last of them has reached its wait.
            await outer.run {}
            outer.hold()
        }

        /// Whether an observed request shows the value of a fresh fetch, or an unobserved one is stale.
        private func isCurrent(_ id: Int, _ value: Int, in client: QueryClient) -> Bool {
            let store = client.store(for: Number(id))
            return store.value == value && !store.isStale || store.isStale && store.subscriberCount == 0
        }

        // MARK: A change while the inner run is in flight

        @Test(arguments: [true, false])
        func `R18 a change during an inner run makes the outer value stale`(_ isObserved: Bool) async throws {
            let client = bench().client
            let events = client.events
            let subscription = isObserved ? client.store(for: Number(1)).record(Recorder()) : nil
            let caller = Task { try await client.fetch(Number(1)) }
            await gate.arrived()
            await holdOuterRuns(1, events)
            source.change(to: 1, in: client)
            gate.open()
            await results(2, of: 2, in: client)
            outer.release()
            _ = try await caller.value
            await client.settled()
            #expect(isCurrent(1, 1, in: client))
            subscription?.cancel()
        }

        @Test func `R18 a change during an inner run reaches an outer run that continues before the trailing run ends`() async throws {
            let again = Gate()
            let bench = bench()
            let client = bench.client
            let subscription = client.store(for: Number(1)).record(Recorder())
            await gate.arrived()
            bench.backend.behave { [source, outer] call in
                if call.id == 1 { return try await outer.run { try await client.fetch(Number(2)) } }
                let value = source.read()
                try await again.pass()
                return value
            }
            source.change(to: 1, in: client)
            gate.open()
            await again.arrived()
            await reaches { client.store(for: Number(1)).state.valueUpdateCount == 1 }
            again.open()
            await client.settled()
            #expect(isCurrent(1, 1, in: client))
            subscription.cancel()
        }

        @Test func `R18 a change during a shared inner run makes the values of all outer runs stale`() async throws {
            let client = bench().client
            let events = client.events
            let subscription = client.store(for: Number(1)).record(Recorder())
            await gate.arrived()
            let caller = Task { try await client.fetch(Number(3)) }
            await holdOuterRuns(2, events)
            source.change(to: 1, in: client)
            gate.open()
            await results(2, of: 2, in: client)
            outer.release()
            _ = try await caller.value
            await client.settled()
            #expect(isCurrent(1, 1, in: client))
            #expect(isCurrent(3, 1, in: client))
            subscription.cancel()
        }

        // MARK: A change right after the inner result

        @Test func `R18 a change right after the inner result makes the outer value stale if the inner request refetches`() async throws {
            let client = bench().client
            let events = client.events
            let inner = client.store(for: Number(2)).record(Recorder())
            let subscription = client.store(for: Number(1)).record(Recorder())
            await gate.arrived()
            await holdOuterRuns(1, events)
            gate.open()
            await results(1, of: 2, in: client)
            source.change(to: 1, in: client)
            await results(2, of: 2, in: client)
            outer.release()
            await client.settled()
            #expect(isCurrent(1, 1, in: client))
            for subscription in [inner, subscription] { subscription.cancel() }
        }

        @Test(arguments: [true, false])
        func `R18 a change right after the inner result makes the outer value stale if the inner request stays stale`(
            _ isObserved: Bool
        ) async throws {
            let client = bench().client
            let events = client.events
            let subscription = isObserved ? client.store(for: Number(1)).record(Recorder()) : nil
            let caller = Task { try await client.fetch(Number(1)) }
            await gate.arrived()
            await holdOuterRuns(1, events)
            gate.open()
            await results(1, of: 2, in: client)
            source.change(to: 1, in: client)
            outer.release()
            _ = try await caller.value
            await client.settled()
            #expect(isCurrent(1, 1, in: client))
            subscription?.cancel()
        }

        @Test func `R18 a change right after the inner result makes the value of a private outer run stale`() async throws {
            let client = bench().client
            let events = client.events
            let caller = Task { try await client.fetch(Number(1).deduplicated(false)) }
            await gate.arrived()
            await holdOuterRuns(1, events)
            gate.open()
            await results(1, of: 2, in: client)
            source.change(to: 1, in: client)
            outer.release()
            #expect(try await caller.value == 0)
            #expect(client.store(for: Number(1)).isStale)
        }

        @Test func `R18 an old result of a private inner run makes the outer value stale even if the inner store has a newer one`()
            async throws
        {
            let (source, gate) = (Source(), Gate())
            let count = Lock(0)
            let client = TestBench { call in
                if call.id == 1 { return try await call.context.queryClient?.fetch(Number(2).deduplicated(false)) ?? -1 }
                let value = source.read()
                let isFirst = count.withLock { count in
                    count += 1
                    return count == 1
                }
                if isFirst { try await gate.pass() }
                return value
            } adjusting: {
                $0.ttl = .infinity
            }.client
            let caller = Task { try await client.fetch(Number(1)) }
            await gate.arrived()
            source.change(to: 1, in: client)
            #expect(try await client.store(for: Number(2)).fetch() == 1)
            gate.open()
            #expect(try await caller.value == 0)
            await client.settled()
            #expect(client.value(for: Number(2)) == 1)
            #expect(client.value(for: Number(1)) == 1 || client.store(for: Number(1)).isStale)
        }

        // MARK: Depth 3

        @Test(arguments: [true, false])
        func `R18 a change during the innermost of three runs makes the outermost value stale`(_ isObserved: Bool) async throws {
            let client = bench().client
            let events = client.events
            let subscription = isObserved ? client.store(for: Number(4)).record(Recorder()) : nil
            let caller = Task { try await client.fetch(Number(4)) }
            await gate.arrived()
            await holdOuterRuns(1, events)
            source.change(to: 1, in: client)
            gate.open()
            await results(2, of: 2, in: client)
            outer.release()
            _ = try await caller.value
            await client.settled()
            #expect(isCurrent(4, 1, in: client))
            subscription?.cancel()
        }

        @Test func `R18 a change seen by the middle of three runs makes the outermost value stale`() async throws {
            let again = Gate()
            let bench = bench()
            let client = bench.client
            let caller = Task { try await client.fetch(Number(4)) }
            await gate.arrived()
            middle.hold()
            bench.backend.behave { [source, outer, middle] call in
                switch call.id {
                case 1: return try await outer.run { try await client.fetch(Number(2)) }
                case 4: return try await middle.run { try await client.fetch(Number(1)) }
                default:
                    let value = source.read()
                    try await again.pass()
                    return value
                }
            }
            source.change(to: 1, in: client)
            gate.open()
            await again.arrived()
            await reaches { client.store(for: Number(1)).state.valueUpdateCount == 1 }
            again.open()
            await results(2, of: 1, in: client)
            middle.release()
            _ = try await caller.value
            await client.settled()
            #expect(isCurrent(4, 1, in: client))
        }

        @Test func `R18 a change after three nested runs have ended reaches all three`() async throws {
            let client = bench().client
            gate.open()
            let subscription = client.store(for: Number(4)).record(Recorder())
            await client.settled()
            for value in 1...5 {
                source.change(to: value, in: client)
                await client.settled()
                #expect(isCurrent(4, value, in: client))
            }
            subscription.cancel()
        }
    }
}
