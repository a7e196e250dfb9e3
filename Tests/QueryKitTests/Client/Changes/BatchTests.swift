import Observation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// Several changes that observers receive as one (R29).
struct BatchTests {
    /// Observes two requests with values, and records their states.
    private struct Pair {
        let bench: TestBench
        let seen = Recorder<String>()
        let subscriptions: [QuerySubscription]
        var client: QueryClient { bench.client }

        init(ttl: Duration = .infinity, _ behavior: @escaping Backend.Behavior = { $0.number }) async {
            bench = TestBench(behavior)
            subscriptions = [1, 2].map { [bench, seen] id in
                bench.client.store(for: Number(id).ttl(ttl)).subscribe(
                    with: QueryEventHandler { state, _ in seen.note("\(id): \(StateSummary(state)) \(state.revision)") }
                )
            }
            await client.settled()
            bench.backend.behave { $0.number * 100 }
        }

        /// The states recorded while `body` runs.
        func noted(_ body: () async throws -> Void) async rethrows -> [String] {
            let count = seen.all.count
            try await body()
            return Array(seen.all.dropFirst(count))
        }
    }

    @Test func `R29 several writes to a store in a batch publish one state with the next revision`() async {
        let pair = await Pair()
        let before = pair.client.store(for: Number(1)).state.revision
        let noted = await pair.noted {
            pair.client.batch {
                for value in 10...13 { pair.client.setValue(value, for: Number(1)) }
                pair.client.updateValue(for: Number(1)) { $0 += 1 }
            }
        }
        #expect(noted == ["1: 14 \(before + 1)"])
    }

    @Test func `R29 nothing is published when a nested batch ends, only when the outer one does`() async {
        let pair = await Pair()
        let before = pair.client.store(for: Number(1)).state.revision
        let noted = await pair.noted {
            pair.client.batch {
                pair.client.setValue(10, for: Number(1))
                pair.client.batch { pair.client.setValue(11, for: Number(1)) }
                pair.client.setValue(12, for: Number(1))
            }
        }
        #expect(noted == ["1: 12 \(before + 1)"])
    }

    @Test func `R29 a batch that ends while another thread's batch is open publishes nothing until both have ended`() async {
        let pair = await Pair()
        let before = pair.client.store(for: Number(1)).state.revision
        let (hasWritten, mayEnd) = (Valve(), Valve())
        let noted = await pair.noted {
            let other = Task {
                await onThread {
                    pair.client.batch {
                        pair.client.setValue(10, for: Number(1))
                        hasWritten.open()
                        mayEnd.wait()
                    }
                }
            }
            await onThread { hasWritten.wait() }
            pair.client.batch { pair.client.setValue(11, for: Number(1)) }
            #expect(pair.seen.last?.hasPrefix("1: 11") == false)
            mayEnd.open()
            await other.value
        }
        #expect(noted == ["1: 11 \(before + 1)"])
    }

    @Test func `R29 a batch of another client inside a batch does not split it`() async {
        let pair = await Pair()
        let other = TestBench().client
        let before = pair.client.store(for: Number(1)).state.revision
        let noted = await pair.noted {
            pair.client.batch {
                other.batch {
                    pair.client.setValue(10, for: Number(1))
                    pair.client.setValue(11, for: Number(1))
                }
            }
        }
        #expect(noted == ["1: 11 \(before + 1)"])
    }

    /// A batch that has called `write` and stays open until the valve is opened.
    private func holdingBatch(of client: QueryClient, _ write: @escaping @Sendable () -> Void) async -> (Task<Void, Never>, Valve) {
        let (hasWritten, mayEnd) = (Valve(), Valve())
        let batch = Task {
            await onThread {
                client.batch {
                    write()
                    hasWritten.open()
                    mayEnd.wait()
                }
            }
        }
        await onThread { hasWritten.wait() }
        return (batch, mayEnd)
    }

    @Test func `R29 a result written in a batch is delivered even if a run ends during the batch`() async throws {
        let gate = Gate()
        let bench = TestBench { _ in
            try await gate.pass()
            return 5
        }
        let store = bench.client.store(for: Number(1).enabled(false))
        let seen = Recorder<Int>()
        let subscription = store.subscribe(with: QueryEventHandler(onResultReceived: { result, _ in seen.note((try? result.get()) ?? -1) }))
        let caller = Task { try await bench.client.fetch(Number(1)) }
        await gate.arrived()
        let (batch, mayEnd) = await holdingBatch(of: bench.client) { store.setValue(10) }
        gate.open()
        _ = await caller.result
        mayEnd.open()
        await batch.value
        await bench.client.settled()
        #expect(seen.all == [10])
        subscription.cancel()
    }

    @Test func `R3 R29 a value yielded during a batch is not delivered as a result`() async throws {
        let gate = Gate()
        let bench = TestBench { call in
            call.continuation.yield(20)
            try await gate.pass()
            return 30
        }
        let store = bench.client.store(for: Number(1).enabled(false))
        let seen = Recorder<Int>()
        let subscription = store.subscribe(with: QueryEventHandler(onResultReceived: { result, _ in seen.note((try? result.get()) ?? -1) }))
        let (batch, mayEnd) = await holdingBatch(of: bench.client) { store.setValue(10) }
        let caller = Task { try await bench.client.fetch(Number(1)) }
        await gate.arrived()
        mayEnd.open()
        await batch.value
        gate.open()
        #expect(try await caller.value == 30)
        #expect(seen.all == [10, 30])
        subscription.cancel()
    }

    @Test func `R29 an observer that subscribes within a batch gets the published state first and the rest at the batch's end`() async {
        let pair = await Pair()
        let before = pair.client.store(for: Number(1)).state
        let late = Recorder<String>()
        let subscription = pair.client.batch {
            pair.client.setValue(10, for: Number(1))
            let subscription = pair.client.store(for: Number(1).ttl(.infinity)).subscribe(
                with: QueryEventHandler { state, _ in late.note("\(StateSummary(state)) \(state.revision)") }
            )
            pair.client.setValue(11, for: Number(1))
            return subscription
        }
        #expect(late.all == ["\(StateSummary(before)) \(before.revision)", "11 \(before.revision + 1)"])
        subscription.cancel()
    }

    @Test(arguments: [true, false])
    func `R29 R33 an observer that subscribes after a clear or new session in a batch sees no earlier value`(
        _ isSession: Bool
    ) async {
        let pair = await Pair()
        let late = Recorder<String>()
        let subscription = pair.client.batch {
            pair.client.setValue(10, for: Number(1))
            if isSession { pair.client.reset(session: "next") } else { pair.client.clear() }
            return pair.client.store(for: Number(1).enabled(false)).subscribe(
                with: QueryEventHandler { state, _ in late.note("\(state.value.map(String.init) ?? "nothing")") }
            )
        }
        await pair.client.settled()
        #expect(late.all.first == "nothing" && !late.all.contains("1") && !late.all.contains("10"), "\(late.all)")
        subscription.cancel()
    }

    @Test(arguments: [true, false]) func `R29 a store fetching before and after a batch reports no start or end of runs within it`(
        _ isFetching: Bool
    ) async {
        let gate = Gate()
        let bench = TestBench { call in
            try await gate.pass()
            return call.number
        }
        let store = bench.client.store(for: Number(1))
        let seen = Recorder<String>()
        let subscription = store.subscribe(
            with: QueryEventHandler(onFetchingStarted: { _ in seen.note("started") }, onFetchingEnded: { _ in seen.note("ended") })
        )
        await gate.arrived()
        if !isFetching {
            store.cancel()
            await bench.client.settled()
        }
        _ = seen.take()
        bench.client.batch {
            // States are held back from here on.
            store.setValue(10)
            store.refetch()
            store.cancel()
            if isFetching { store.refetch() }
        }
        #expect(seen.all == (isFetching ? [] : ["started", "ended"]))
        gate.open()
        await bench.client.settled()
        subscription.cancel()
    }

    @Test func `R29 an invalidation in a batch waits for its own runs, not for those of other stores`() async {
        let pair = await Pair()
        let gate = Gate()
        pair.bench.backend.behave { call in
            if call.id == 2 { try await gate.pass() }
            return call.number
        }
        let (first, second) = pair.client.batch {
            pair.client.setValue(10, for: Number(3))
            return (pair.client.invalidate(Number(1)), pair.client.invalidate(Number(2)))
        }
        await gate.arrived()
        #expect(await first.finished().isEmpty)
        #expect(pair.client.store(for: Number(1)).value != 1)
        gate.open()
        #expect(await second.finished().isEmpty)
        #expect(pair.client.store(for: Number(2)).value != 1)
    }

    @Test func `R29 a batch that has just ended accepts no invalidation and holds back no store`() throws {
        let client = TestBench().client
        let store = client.store(for: Number(1))
        // A task started in a batch may have found the batch open and arrive too late.
        let batch = try #require(client.batch { ChangeBatch.current(of: client.core) })
        #expect(batch.add(.store(store.core.ticket), .manual, .active) == nil)
        batch.hold(store.core, isWritten: true)
        #expect(store.core.contents.withLock { $0.rare?.held == nil })
    }

    @Test func `R29 a write and an invalidation of one store in a batch cause one state and one run`() async {
        let pair = await Pair()
        let noted = await pair.noted {
            pair.client.batch {
                pair.client.setValue(10, for: Number(1))
                pair.client.invalidate(["number", 1])
                pair.client.invalidate(Number(1))
                pair.client.store(for: Number(1)).invalidate()
                pair.client.invalidate(.all, refetch: .none)
            }
            await pair.client.settled()
        }
        let first = noted.filter { $0.hasPrefix("1:") }.map { String($0.split(separator: " ").dropLast().joined(separator: " ")) }
        #expect(first == ["1: 10 fetching invalidated", "1: 300"])
        #expect(noted.filter { $0.hasPrefix("2:") }.map { $0.contains("invalidated") } == [true])
        #expect(pair.bench.backend.count == 3)
    }

    @Test func `R29 a value written after an invalidation in the same batch is fresh`() async {
        let pair = await Pair()
        pair.client.batch {
            pair.client.invalidate(.all)
            pair.client.setValue(10, for: Number(1))
        }
        #expect(!pair.client.store(for: Number(1).ttl(.infinity)).isStale)
        await pair.client.settled()
        #expect(pair.client.value(for: Number(1)) == 10)
        #expect(pair.bench.backend.fetched.sorted() == [1, 2, 2])
    }

    @Test func `R29 no handler sees part of a batch`() async {
        let pair = await Pair()
        let mixed = Recorder<String>()
        let client = pair.client
        let subscriptions = [1, 2].map { id in
            client.store(for: Number(id).ttl(.infinity)).subscribe(
                with: QueryEventHandler { _, _ in
                    let values = [1, 2].map { client.value(for: Number($0)) ?? 0 }
                    if (values[0] >= 10) != (values[1] >= 10) { mixed.note("\(values)") }
                }
            )
        }
        await client.settled()
        client.batch {
            client.setValue(10, for: Number(1))
            client.setValue(20, for: Number(2))
        }
        #expect(mixed.all == [])
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func `R29 a batch reads its own writes, and its invalidations take effect when it ends`() async {
        let pair = await Pair()
        let store = pair.client.store(for: Number(1).ttl(.infinity))
        let read = pair.client.batch { () -> [Int?] in
            pair.client.setValue(10, for: Number(1))
            pair.client.invalidate(.all, refetch: .none)
            #expect(!store.isStale)
            return [pair.client.value(for: Number(1)), store.value]
        }
        #expect(read == [10, 10])
        #expect(store.isStale)
    }

    @Test func `R29 a nested batch is published with the outer one`() async {
        let pair = await Pair()
        let noted = await pair.noted {
            pair.client.batch {
                pair.client.setValue(10, for: Number(1))
                pair.client.batch { pair.client.setValue(11, for: Number(1)) }
                #expect(pair.seen.all.allSatisfy { !$0.hasPrefix("1: 1\(1)") })
                pair.client.setValue(12, for: Number(1))
            }
        }
        #expect(noted.count == 1 && noted[0].hasPrefix("1: 12"))
    }

    @Test func `R29 a batch of another client does not delay this client's writes`() async {
        let (pair, other) = (await Pair(), await Pair())
        let noted = await pair.noted {
            other.client.batch { pair.client.setValue(10, for: Number(1)) }
        }
        #expect(noted.count == 1)
    }

    @Test func `R29 changes made before a batch throws take effect and are published`() async {
        let pair = await Pair()
        let noted = await pair.noted {
            #expect(throws: TestError("no")) {
                try pair.client.batch {
                    pair.client.setValue(10, for: Number(1))
                    pair.client.invalidate(Number(2), refetch: .none)
                    throw TestError("no")
                }
            }
        }
        #expect(noted.count == 2)
        #expect(pair.client.value(for: Number(1)) == 10)
        #expect(pair.client.store(for: Number(2)).isInvalidated)
    }

    @Test func `R29 no lock is held while a batch's closure runs`() async throws {
        let pair = await Pair()
        await confirmation { ran in
            pair.client.batch {
                pair.client.setValue(10, for: Number(1))
                // Only observes: a run would change the value.
                let store = pair.client.store(for: Number(1).enabled(false))
                let subscription = store.subscribe(with: QueryEventHandler { _, _ in ran() })
                _ = pair.client.snapshot()
                subscription.cancel()
            }
        }
        #expect(try await pair.client.fetch(Number(1).ttl(.infinity)) == 10)
    }

    @Test func `R29 a task that outlives the batch it was started in publishes its writes at once`() async {
        let pair = await Pair()
        let gate = Gate()
        let task = pair.client.batch {
            Task {
                try? await gate.pass()
                pair.client.setValue(10, for: Number(1))
            }
        }
        await gate.arrived()
        gate.open()
        await task.value
        #expect(pair.seen.all.last?.hasPrefix("1: 10") == true)
    }

    @Test func `R29 finished waits for the runs that a batch started`() async {
        let pair = await Pair()
        let refetches = pair.client.batch {
            pair.client.setValue(10, for: Number(1))
            return [pair.client.invalidate(Number(1)), pair.client.invalidate(Number(2))]
        }
        for refetch in refetches { await refetch.finished() }
        #expect(Set([1, 2].map { pair.client.value(for: Number($0)) }) == [300, 400])
    }

    @Test func `R29 R22 layers laid in a batch are published with its other changes`() async throws {
        struct Raise: MutationRequest {
            func mutate(with amount: Int, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
                amount
            }

            func optimistic(with amount: Int, in layers: inout QueryLayers) {
                for id in 1...2 { layers.update(Number(id)) { $0 += amount } }
            }
        }
        let pair = await Pair()
        let noted = try await pair.noted {
            try pair.client.batch {
                pair.client.setValue(10, for: Number(1))
                try pair.client.store(for: Raise()).submit(5)
            }
            await pair.client.settled()
        }
        #expect(noted.filter { $0.hasPrefix("1:") }.first?.hasPrefix("1: 15") == true)
    }

    @MainActor @Test func `R29 the main actor sees a batch in one turn`() async {
        let pair = await Pair()
        let client = pair.client
        let mirrors = [1, 2].map { QueryMirror(Number($0).ttl(.infinity), client: client) }
        await client.settled()
        let seen = Recorder<String>()
        @MainActor func watch(_ index: Int) {
            withObservationTracking {
                _ = mirrors[index].value
            } onChange: {
                Task { @MainActor in seen.note("\(mirrors.map { $0.value ?? 0 })") }
            }
        }
        watch(0)
        watch(1)
        await Task.detached {
            client.batch {
                client.setValue(10, for: Number(1))
                client.setValue(20, for: Number(2))
            }
        }.value
        await client.settled()
        #expect(mirrors.map(\.value) == [10, 20])
        #expect(seen.all.allSatisfy { $0 == "[10, 20]" })
    }

    @MainActor @Test func `R29 a value written during another thread's batch is shown once that batch has ended`() async {
        let client = TestBench().client
        let mirror = QueryMirror(Number(1).ttl(.infinity), client: client)
        await client.settled()
        let (begun, goesOn) = (Valve(), Valve())
        let batch = Task.detached {
            await onThread {
                client.batch {
                    client.setValue(20, for: Number(2))
                    begun.open()
                    goesOn.wait()
                }
            }
        }
        await onThread { begun.wait() }
        // The job that would show the value runs before this continues.
        await onThread { client.setValue(10, for: Number(1)) }
        #expect(mirror.value == 1)
        goesOn.open()
        await batch.value
        #expect(await ends(within: .seconds(20)) { await client.settled() })
        #expect(mirror.value == 10)
    }

    @Test func `R29 an action that waits for a joint change runs when the change ends, or at once if there is none`() {
        let core = TestBench().client.core
        let done = Recorder<String>()
        core.whenWhole { done.note("at once") }
        #expect(done.take() == ["at once"])
        for _ in 1...2 { core.beginJointChange() }
        core.whenWhole { done.note("at the end") }
        core.endJointChange()
        #expect(done.all == [])
        core.endJointChange()
        #expect(done.all == ["at the end"])
        core.beginJointChange()
        core.endJointChange()
        #expect(done.all == ["at the end"])
    }
}
