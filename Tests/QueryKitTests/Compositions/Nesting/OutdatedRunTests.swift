import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// A stream that opens at a gate and yields the number of its opening.
private struct Numbered: StreamRequest {
    struct Openings: Sendable {
        let gate = Gate()
        let count = Lock(0)
    }

    enum Key: QueryContext.Key {
        static var defaultValue: Openings { Openings() }
    }

    func stream(in context: QueryContext) async throws -> AsyncStream<Int> {
        let openings = context[Key.self]
        let number = openings.count.withLock { count in
            count += 1
            return count
        }
        try await openings.gate.pass()
        return AsyncStream { $0.yield(number) }
    }
}

extension Compositions {
    /// A run that becomes outdated before it ends is followed by another run, and the store is never shown at rest in between.
    struct OutdatedRunTests {
        private let gate = Gate()

        private func bench(_ behavior: @escaping Backend.Behavior = { $0.number }) -> TestBench {
            TestBench { [gate] call in
                if call.number == 1 { try await gate.pass() }
                return try await behavior(call)
            } adjusting: {
                $0.ttl = .infinity
            }
        }

        /// Observes a store while `change` makes its first run outdated; returns the observed states.
        private func states(
            _ bench: TestBench,
            _ request: some QueryRequest<Int, Number.State> = Number(1),
            during change: (QueryStore<Number.State>) -> Void
        ) async -> [String] {
            let seen = Recorder<String>()
            let store = bench.client.store(for: request)
            let subscription = store.record(seen)
            await gate.arrived()
            change(store)
            gate.open()
            await bench.client.settled()
            subscription.cancel()
            return seen.all
        }

        @Test func `R17 a store is not shown as idle between an outdated run and its trailing run`() async {
            let bench = bench()
            let seen = await states(bench) { _ in bench.client.invalidate("number/*") }
            #expect(seen == ["idle", "loading", "loading invalidated", "1 fetching invalidated", "2"])
        }

        @Test func `R17 R18 a store is not shown at rest after a change of what its run had read`() async {
            let source = Source()
            let bench = TestBench { [gate] call in
                _ = source.read()
                if call.number == 1 { try await gate.pass() }
                return call.number
            } adjusting: {
                $0.ttl = .infinity
            }
            let seen = await states(bench) { _ in source.change(to: 1, in: bench.client) }
            #expect(seen == ["idle", "loading", "loading invalidated", "1 fetching invalidated", "2"])
        }

        @Test func `R17 R19 a store is not shown as idle between a run overtaken by a write and its trailing run`() async {
            let bench = bench()
            let seen = await states(bench) { $0.setValue(9) }
            #expect(seen == ["idle", "loading", "9 fetching", "2"])
        }

        @Test func `R17 an observer that waits for the end of fetching gets the value of the trailing run`() async {
            let bench = bench()
            let first = Recorder<Int?>()
            let store = bench.client.store(for: Number(1))
            let subscription = store.subscribe(
                with: QueryEventHandler { state, _ in if !state.isFetching, state.value != nil { first.note(state.value) } }
            )
            await gate.arrived()
            store.invalidate()
            gate.open()
            await bench.client.settled()
            #expect(first.all == [2])
            subscription.cancel()
        }

        @Test func `R17 an outdated run and its trailing run report the end of fetching once`() async {
            let bench = bench()
            let seen = Recorder<String>()
            let store = bench.client.store(for: Number(1))
            let subscription = store.subscribe(
                with: QueryEventHandler(onFetchingStarted: { _ in seen.note("started") }, onFetchingEnded: { _ in seen.note("ended") })
            )
            await gate.arrived()
            store.invalidate()
            gate.open()
            await bench.client.settled()
            #expect(seen.all == ["started", "ended"])
            subscription.cancel()
        }

        @Test func `R17 a caller that comes after the invalidation sees no idle state before its run ends`() async throws {
            let bench = bench()
            let seen = Recorder<Bool>()
            let request = Number(1).onEvent(QueryEventHandler { state, _ in seen.note(state.isFetching) })
            // The handler is called as long as the handle exists.
            let handle = bench.client.store(for: request)
            let early = Task { try await handle.fetch() }
            await gate.arrived()
            bench.client.invalidate("number/*", refetch: .none)
            let late = Task { try await bench.client.store(for: Number(1)).fetch() }
            await reaches { bench.client.store(for: Number(1)).core.contents.withLock { $0.waiters.count } == 2 }
            gate.open()
            #expect(try await early.value == 1)
            #expect(try await late.value == 2)
            await bench.client.settled()
            #expect(seen.all.dropLast().allSatisfy { $0 })
            #expect(seen.last == false)
            withExtendedLifetime(handle) {}
        }

        @Test func `R17 a store is not shown as idle between a failed outdated run and its trailing run`() async {
            let bench = bench { call in
                if call.number == 1 { throw TestError() }
                return call.number
            }
            let rests = Recorder<String>()
            let store = bench.client.store(for: Number(1).retry(limit: 0))
            let subscription = store.subscribe(
                with: QueryEventHandler { state, _ in
                    if !state.isFetching, !state.status.isIdle { rests.note(StateSummary(state).description) }
                }
            )
            await gate.arrived()
            store.invalidate()
            gate.open()
            await bench.client.settled()
            #expect(rests.all == ["2"])
            subscription.cancel()
        }

        @Test func `R17 a stream invalidated before its first element is reopened without being shown at rest`() async {
            let openings = Numbered.Openings()
            let bench = TestBench(adjusting: { $0[Numbered.Key.self] = openings })
            let seen = Recorder<String>()
            let store = bench.client.store(for: Numbered())
            let subscription = store.subscribe(with: QueryEventHandler { state, _ in seen.note(StateSummary(state).description) })
            await openings.gate.arrived()
            store.invalidate()
            openings.gate.open()
            await reaches { seen.last == "2" }
            #expect(seen.all == ["idle", "loading", "loading invalidated", "1 fetching invalidated", "2"])
            subscription.cancel()
        }

        @Test func `R17 an open stream that is invalidated is reopened without being shown at rest`() async {
            let openings = Numbered.Openings()
            openings.gate.open()
            let bench = TestBench(adjusting: { $0[Numbered.Key.self] = openings })
            let seen = Recorder<String>()
            let store = bench.client.store(for: Numbered())
            let subscription = store.subscribe(with: QueryEventHandler { state, _ in seen.note("\(StateSummary(state)) \(state.isLive)") })
            await reaches { seen.last == "1 true" }
            store.invalidate()
            await reaches { seen.last == "2 true" }
            #expect(seen.all == ["idle false", "loading false", "1 true", "1 fetching invalidated false", "2 true"])
            subscription.cancel()
        }

        @Test(arguments: [false, true])
        func `R3 R17 a caller that comes after the invalidation sees no idle state before its run if the earlier one leaves`(yields: Bool)
            async throws
        {
            let second = Gate()
            let bench = TestBench { [gate] call in
                if yields, call.number == 2 { call.continuation.yield(20) }
                if call.number > 1 { try await (call.number == 2 ? gate : second).pass() }
                return call.number
            }
            let store = bench.client.store(for: Number(1))
            _ = try await store.fetch()
            let first = Task { try await store.fetch() }
            await gate.arrived()
            store.invalidate()
            let seen = Recorder<String>()
            let request = Number(1).onEvent(QueryEventHandler { state, _ in seen.note(StateSummary(state).description) })
            let follower = Task { try await bench.client.fetch(request) }
            await reaches { store.core.contents.withLock { $0.waiters.contains { $0.run == RunMachine.following } } }
            first.cancel()
            await second.arrived()
            second.open()
            #expect(try await follower.value == 3)
            await bench.client.settled()
            #expect(seen.all == (yields ? ["1 fetching invalidated", "3"] : ["3"]))
        }

        @Test func `R7 R11 R17 the run after a cancelled one starts without the failure of an earlier run`() async throws {
            let second = Gate()
            let bench = TestBench { [gate] call in
                if call.number == 1 { throw TestError() }
                try await (call.number == 2 ? gate : second).pass()
                return call.number
            }
            let store = bench.client.store(for: Number(1))
            await #expect(throws: TestError.self) { try await store.fetch() }
            #expect(StateSummary(store.state).description == "failed(broken) 1x")
            let first = Task { try await store.fetch() }
            await gate.arrived()
            store.invalidate()
            let follower = Task { try await store.fetch() }
            await reaches { store.core.contents.withLock { $0.waiters.contains { $0.run == RunMachine.following } } }
            first.cancel()
            await second.arrived()
            #expect(StateSummary(store.state).description == "loading invalidated")
            follower.cancel()
            _ = await follower.result
            #expect(StateSummary(store.state).description == "failed(broken) invalidated 1x")
        }

        @Test func `R17 any number of invalidations during a run cause exactly one trailing run`() async {
            let bench = bench()
            _ = await states(bench) { store in
                for _ in 1...10 { bench.client.invalidate("**") }
                store.setValue(9)
                for _ in 1...10 { store.invalidate() }
            }
            #expect(bench.backend.count == 2)
            #expect(bench.client.value(for: Number(1)) == 2)
        }
    }
}
