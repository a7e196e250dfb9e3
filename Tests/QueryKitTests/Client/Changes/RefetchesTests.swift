import Foundation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// Waiting for the runs that an invalidation or a refetch starts.
struct RefetchesTests {
    /// The failures as short texts.
    private func text(_ failures: [QueryRefetches.Failure]) -> [String] {
        failures.map { "\($0.path): \(($0.error as? QueryError).map { "\($0.code)" } ?? "\($0.error)")" }.sorted()
    }

    @Test func `R29 finished returns after observers have received the results of the invalidation's runs`() async {
        let gate = Gate()
        let bench = TestBench { call in
            if call.number > 2 { try await gate.pass() }
            return call.number
        }
        let seen = Recorder<String>()
        let subscriptions = (1...2).map { bench.client.store(for: Number($0)).record(seen) }
        await bench.client.settled()
        let refetches = bench.client.invalidate("number/*")
        let finished = Task {
            let failures = await refetches.finished()
            seen.note("finished")
            return failures.count
        }
        await gate.arrived(2)
        #expect(!seen.all.contains("finished"))
        gate.open()
        #expect(await finished.value == 0)
        #expect(seen.all.last == "finished")
        #expect(Set(seen.all.suffix(3).dropLast()) == ["3", "4"])
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func `R29 finished can be awaited late and by several callers`() async {
        let bench = TestBench()
        let subscription = bench.client.store(for: Number()).record(Recorder())
        await bench.client.settled()
        let refetches = bench.client.refetch("number/**")
        await bench.client.settled()
        async let first = refetches.finished()
        async let second = refetches.finished()
        let failures = await (first, second)
        #expect(failures.0.isEmpty && failures.1.isEmpty)
        #expect(bench.backend.count == 2)
        subscription.cancel()
    }

    @Test func `R29 finished waits for a slow handler on another thread`() async throws {
        let bench = TestBench()
        let store = bench.client.store(for: Number())
        let isHeld = Promise<Void>()
        let isBack = DispatchSemaphore(value: 0)
        let wasEarly = Lock(false)
        let subscription = store.subscribe(
            with: QueryEventHandler { state, _ in
                guard state.value == 100, !state.isFetching else { return }
                isHeld.resolve(.success(()))
                while store.value == 100 { sched_yield() }
                // The run has ended, and its state is queued behind the one being delivered.
                wasEarly.withLock { $0 = isBack.wait(timeout: .now() + .milliseconds(50)) == .success }
            }
        )
        await bench.client.settled()
        Thread.detachNewThread { store.setValue(100) }
        try await isHeld.get()
        #expect(await store.refetch().finished().isEmpty)
        isBack.signal()
        await bench.client.settled()
        #expect(wasEarly.withLock { !$0 } && store.value == 2)
        subscription.cancel()
    }

    @Test func `R17 if a run was under way, finished waits for the run that follows the invalidation`() async throws {
        let (old, new) = (Gate(), Gate())
        let bench = TestBench { call in
            try await (call.number == 1 ? old : new).pass()
            return call.number
        }
        let store = bench.client.store(for: Number())
        let subscription = store.record(Recorder())
        await old.arrived()
        let refetches = store.invalidate()
        let value = Task {
            await refetches.finished()
            return store.value
        }
        old.open()
        await new.arrived()
        new.open()
        #expect(await value.value == 2)
        subscription.cancel()
    }

    @Test func `R6 a refetch joins the run under way, and finished waits for it`() async {
        let gate = Gate()
        let bench = TestBench { call in
            try await gate.pass()
            return call.number
        }
        let store = bench.client.store(for: Number())
        let subscription = store.record(Recorder())
        await gate.arrived()
        let refetches = store.refetch()
        gate.open()
        #expect(await refetches.finished().isEmpty)
        #expect(store.value == 1 && bench.backend.count == 1)
        subscription.cancel()
    }

    @Test func `R29 refetching a store runs it even if it is unobserved or fresh`() async throws {
        let bench = TestBench()
        let store = bench.client.store(for: Number().ttl(.infinity))
        #expect(try await store.fetch() == 1)
        #expect(await store.refetch().finished().isEmpty)
        #expect(store.value == 2)
    }

    @Test func `R29 refetching a store that its observers disable runs nothing and reports no failure`() async throws {
        let bench = TestBench()
        let store = bench.client.store(for: Number().enabled(false))
        let subscription = store.record(Recorder())
        #expect(await store.refetch().finished().isEmpty)
        #expect(bench.backend.count == 0)
        subscription.cancel()
    }

    @Test func `R29 finished lists failures with their paths, but not successes or cancelled runs`() async throws {
        let gate = Gate()
        let bench = TestBench { call in
            if call.number > 3, call.id == 2 { throw TestError("broken") }
            if call.number > 3, call.id == 3 { try await gate.pass() }
            return call.number
        }
        let subscriptions = (1...3).map { bench.client.store(for: Number($0).retry(limit: 0)).record(Recorder()) }
        await bench.client.settled()
        let refetches = bench.client.invalidate(.all)
        await gate.arrived()
        bench.client.cancel(["number", 3])
        #expect(text(await refetches.finished()) == ["number/2: broken"])
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func `R12 finished reports a run that waits for the network as a failure at once`() async {
        let network = ManualNetworkObserver()
        let bench = TestBench(network: network)
        let subscription = bench.client.store(for: Number()).record(Recorder())
        await bench.client.settled()
        network.set(isOnline: false)
        #expect(text(await bench.client.invalidate(.all).finished()) == ["number/1: networkUnavailable"])
        #expect(text(await bench.client.refetch(.all).finished()) == ["number/1: networkUnavailable"])
        network.set(isOnline: true)
        await bench.client.settled()
        #expect(bench.backend.count == 2)
        subscription.cancel()
    }

    @Test func `R12 finished reports a run as a failure when it pauses after its first attempt`() async {
        let network = ManualNetworkObserver()
        let bench = TestBench(network: network) { [network] call in
            if call.number == 2 {
                network.set(isOnline: false)
                throw QueryError(.networkUnavailable)
            }
            return call.number
        }
        let subscription = bench.client.store(for: Number().networkMode(.offlineFirst)).record(Recorder())
        await bench.client.settled()
        #expect(text(await bench.client.invalidate(.all).finished()) == ["number/1: networkUnavailable"])
        subscription.cancel()
    }

    @Test func `R7 cancelling a task that awaits finished cancels no run`() async {
        let gate = Gate()
        let bench = TestBench { call in
            if call.number == 2 { try await gate.pass() }
            return call.number
        }
        let store = bench.client.store(for: Number())
        let subscription = store.record(Recorder())
        await bench.client.settled()
        let refetches = store.invalidate()
        let waiting = Task { await refetches.finished().count }
        await gate.arrived()
        waiting.cancel()
        #expect(await waiting.value == 0)
        #expect(store.isFetching)
        gate.open()
        #expect(await refetches.finished().isEmpty)
        #expect(store.value == 2)
        subscription.cancel()
    }

    @Test func `R8 awaiting finished does not keep an abandoned run alive`() async {
        let gate = Gate()
        let bench = TestBench { call in
            if call.number == 2 { try await gate.pass() }
            return call.number
        }
        let store = bench.client.store(for: Number())
        let subscription = store.record(Recorder())
        await bench.client.settled()
        let refetches = store.invalidate()
        await gate.arrived()
        subscription.cancel()
        #expect(await refetches.finished().isEmpty)
        #expect(!store.isFetching && store.value == 1)
    }

    @Test func `R29 finished called inside an affected run does not wait for that run or for runs that wait for it`() async {
        let bench = TestBench()
        let other = bench.client.store(for: Number(3))
        let (outer, subscription) = (bench.client.store(for: Number(1)), other.record(Recorder()))
        await bench.client.settled()
        bench.backend.behave { call in
            guard let client = call.context.queryClient else { return 0 }
            if call.id == 1, call.number == 2 { return try await client.fetch(Number(2)) }
            if call.id == 2, call.number == 3 { await client.invalidate("number/*").finished() }
            return call.number
        }
        let observer = outer.record(Recorder())
        await bench.client.settled()
        #expect(outer.value != nil && other.value != nil && !outer.isFetching)
        for subscription in [subscription, observer] { subscription.cancel() }
    }

    @Test func `R33 a run that awaits refetches which wait for the clock does not keep settled from returning`() async {
        let bench = TestBench { call in
            if call.id == 2 {
                await call.context.queryClient?.invalidate(Number(1)).finished()
                return call.number
            }
            if call.number > 1 { throw TestError("again") }
            return call.number
        }
        let first = bench.client.store(for: Number(1).retry(limit: 1, backoff: .constant(.seconds(5)))).record(Recorder())
        await bench.client.settled()
        let second = bench.client.store(for: Number(2))
        let subscription = second.record(Recorder())
        await bench.client.settled()
        #expect(second.isFetching)
        bench.clock.advance(by: .seconds(5))
        await bench.client.settled()
        #expect(second.value != nil)
        for subscription in [first, subscription] { subscription.cancel() }
    }

    @Test func `R29 finished includes runs of stores that a background task notifies later`() async {
        let bench = TestBench()
        let subscriptions = (1...4_000).map { bench.client.store(for: Number($0)).record(Recorder()) }
        await bench.client.settled()
        #expect(await bench.client.invalidate(.all).finished().isEmpty)
        #expect(bench.backend.count == 8_000)
        #expect(bench.client.runningCount() == 0)
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func `R29 finished returns at once if nothing is observed, nothing matches or stores are only marked`() async throws {
        let bench = TestBench()
        _ = try await bench.client.fetch(Number(1))
        #expect(await bench.client.invalidate(Number(1)).finished().isEmpty)
        #expect(await bench.client.invalidate(tags: []).finished().isEmpty)
        #expect(await bench.client.invalidate("nothing/**").finished().isEmpty)
        #expect(bench.backend.count == 1)
        #expect(await bench.client.invalidate(Number(1), refetch: .all).finished().isEmpty)
        #expect(bench.backend.count == 2)
    }

    @Test func `R29 finished returns when stores are cleared, or a new session begins`() async {
        for end in [{ $0.clear() }, { $0.reset(session: "next") }] as [@Sendable (QueryClient) -> Void] {
            let gate = Gate()
            let bench = TestBench { call in
                if call.number == 2 { try await gate.pass() }
                return call.number
            }
            let subscription = bench.client.store(for: Number()).record(Recorder())
            await bench.client.settled()
            let refetches = bench.client.invalidate(.all)
            await gate.arrived()
            end(bench.client)
            #expect(await refetches.finished().isEmpty)
            gate.open()
            subscription.cancel()
        }
    }
}
