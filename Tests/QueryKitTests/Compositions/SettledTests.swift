import Foundation
import Observation
import QueryKit
import TestSupport
import Testing

/// Records that an observer was notified, on any thread.
private final class Delivered: Sendable {
    private let delivered = Lock(false)
    var isDelivered: Bool { delivered.withLock { $0 } }
    func noteDelivery() { delivered.withLock { $0 = true } }
}

private final class EmptySnapshot: SourceSnapshot {
    func end() {}
}

extension Compositions {
    /// `settled()` as a barrier for the main actor and for sleeping fakes.
    struct SettledTests {
        // MARK: The main actor

        @MainActor @Test func `R33 a mirror shows a written value when settled returns`() async {
            let bench = TestBench()
            let store = bench.client.store(for: Number(1).enabled(false))
            let mirror = QueryMirror(store)
            store.setValue(1)
            await bench.client.settled()
            #expect(mirror.value == 1)
        }

        @MainActor @Test func `R33 a mirror shows a value written by another thread when settled returns`() async {
            let bench = TestBench()
            let store = bench.client.store(for: Number(1).enabled(false))
            let mirror = QueryMirror(store)
            let written = Valve()
            Thread.detachNewThread {
                store.setValue(1)
                written.open()
            }
            // Blocks the main thread, so that no other job of the main actor runs before the barrier.
            written.wait()
            await bench.client.settled()
            #expect(mirror.value == 1)
        }

        @MainActor @Test func `R33 when settled returns, a mirror shows a result that came while the main thread was busy`() async {
            let bench = TestBench()
            let ended = Valve()
            let request = Number(1).onEvent(QueryEventHandler(onFetchingEnded: { _ in ended.open() }))
            let mirror = QueryMirror(request, client: bench.client)
            ended.wait()
            await bench.client.settled()
            #expect(mirror.value == 1)
        }

        @MainActor @Test func `R33 observers of a shared query have been notified when settled returns`() async {
            let bench = TestBench()
            let query = SharedQuery(Number(1).enabled(false), client: bench.client)
            let delivered = Delivered()
            withObservationTracking {
                _ = query.wrappedValue
            } onChange: {
                delivered.noteDelivery()
            }
            query.store.setValue(1)
            await bench.client.settled()
            #expect(delivered.isDelivered)
        }

        @MainActor @Test func `R33 a mirror shows an invalidation when settled returns`() async {
            let bench = TestBench()
            bench.client.setValue(1, for: Number(1))
            let mirror = QueryMirror(bench.client.store(for: Number(1).ttl(.infinity).enabled(false)))
            bench.client.invalidate("number/*")
            await bench.client.settled()
            #expect(mirror.isInvalidated)
        }

        @MainActor @Test func `R33 a value written by a mirror's observer is shown by its mirror when settled returns`() async {
            let bench = TestBench()
            let first = QueryMirror(bench.client.store(for: Number(1).enabled(false)))
            let second = QueryMirror(bench.client.store(for: Number(2).enabled(false)))
            let client = bench.client
            withObservationTracking {
                _ = first.value
            } onChange: {
                client.setValue(2, for: Number(2))
            }
            client.setValue(1, for: Number(1))
            await client.settled()
            #expect(second.value == 2)
        }

        @Test func `R33 settled returns while the main thread is blocked if there is nothing to show there`() async {
            let bench = TestBench()
            let (isBlocked, release) = (Valve(), Valve())
            let blocker = Task { @MainActor in
                isBlocked.open()
                release.wait(upTo: 2)
            }
            await onThread { isBlocked.wait() }
            let subscription = bench.client.store(for: Number(1)).record(Recorder())
            #expect(await ends(within: .seconds(1)) { await bench.client.settled() })
            release.open()
            await blocker.value
            subscription.cancel()
        }

        @Test func `R33 settled returns while the main thread is blocked if mirrors have nothing new to show`() async {
            let bench = TestBench()
            let mirror = await QueryMirror(bench.client.store(for: Number(1).enabled(false)))
            let (isBlocked, release) = (Valve(), Valve())
            let blocker = Task { @MainActor in
                isBlocked.open()
                release.wait(upTo: 2)
            }
            await onThread { isBlocked.wait() }
            _ = try? await bench.client.fetch(Number(2))
            #expect(await ends(within: .seconds(1)) { await bench.client.settled() })
            bench.client.setValue(1, for: Number(1))
            #expect(await !ends(within: .milliseconds(100)) { await bench.client.settled() })
            release.open()
            await blocker.value
            await bench.client.settled()
            #expect(await MainActor.run { mirror.value } == 1)
        }

        @MainActor @Test func `R33 deallocating a mirror cancels its outstanding update`() async {
            let bench = TestBench()
            var mirror: QueryMirror? = QueryMirror(bench.client.store(for: Number(1).enabled(false)))
            bench.client.setValue(1, for: Number(1))
            #expect(mirror?.value == nil)
            mirror = nil
            let isSettled = Valve()
            let client = bench.client
            Task.detached {
                await client.settled()
                isSettled.open()
            }
            // Blocks the main thread, so that no job of the main actor can complete the update.
            #expect(isSettled.wait(upTo: 2))
        }

        @MainActor @Test func `R33 readers of a shared query have been notified of another request when settled returns`() async {
            let bench = TestBench()
            var query = SharedQuery(Number(1).enabled(false), client: bench.client)
            let delivered = Delivered()
            withObservationTracking {
                _ = query.value
            } onChange: {
                delivered.noteDelivery()
            }
            query.show(Number(2).enabled(false))
            await bench.client.settled()
            #expect(delivered.isDelivered)
        }

        // MARK: Writes

        @Test func `R33 R28 a value written by a handler of the result is cached when settled returns`() async throws {
            let cache = MemoryQueryCache(clock: ManualClock())
            let request = Number(1).ttl(.infinity).persisted(in: cache)
            let client = TestBench { _ in 1 }.client
            let isReturned = Valve()
            let subscription = client.store(for: request).subscribe(
                with: QueryEventHandler { state, context in
                    if state.value == 1 { context.queryClient?.setValue(2, for: Number(1)) }
                    if state.value == 2 { isReturned.wait(upTo: 1) }
                }
            )
            await client.settled()
            let next = try await TestBench { _ in 0 }.client.fetch(request)
            isReturned.open()
            // The cache writes the first value at low priority, which may take a while.
            #expect(next == 2)
            await reaches { client.store(for: Number(1)).value == 2 }
            await client.settled()
            subscription.cancel()
        }

        // MARK: Rounds

        /// The second run reads while the first one's round ends, in some of the rounds.
        @Test func `R33 settled waits for a run that waits for the next round of consistent runs`() async {
            let source = EmptySnapshot()
            var missing = 0
            for _ in 0..<500 {
                let bench = TestBench { call in
                    _ = await QueryReads.current?.snapshot(of: source) { _ in source }
                    return 7
                }
                let stores = [Number(1), Number(2)].map { bench.client.store(for: $0.consistent()) }
                let subscriptions = stores.map { $0.subscribe(with: QueryEventHandler { _, _ in }) }
                await bench.client.settled()
                missing += stores.count { $0.value != 7 }
                for subscription in subscriptions { subscription.cancel() }
            }
            #expect(missing == 0)
        }

        // MARK: Sleeping fakes

        @Test func `R33 a fetch that sleeps on the client's clock does not keep settled waiting`() async throws {
            let bench = TestBench { call in
                try await call.context.clock.sleep(for: .seconds(1))
                return 7
            }
            let subscription = bench.client.store(for: Number(1)).record(Recorder())
            await bench.client.settled()
            bench.clock.advance(by: .seconds(1))
            await bench.client.settled()
            #expect(bench.client.value(for: Number(1)) == 7)
            subscription.cancel()
        }

        @Test func `R33 settled waits for a fetch that the clock has woken`() async throws {
            let gate = BusyGate()
            let bench = TestBench { call in
                try await call.context.clock.sleep(for: .seconds(1))
                await gate.pass()
                return 7
            }
            let subscription = bench.client.store(for: Number(1)).record(Recorder())
            await bench.client.settled()
            bench.clock.advance(by: .seconds(1))
            #expect(await !ends { await bench.client.settled() })
            gate.open()
            await bench.client.settled()
            #expect(bench.client.value(for: Number(1)) == 7)
            subscription.cancel()
        }

        @Test func `R33 a mutation that sleeps on the client's clock does not keep settled waiting`() async throws {
            let bench = MutationBench()
            bench.accounts.behave { try await $0.context.clock.sleep(for: .seconds(1)) }
            try bench.changes.submit(Change.Step(5))
            await bench.client.settled()
            bench.clock.advance(by: .seconds(1))
            await bench.client.settled()
            #expect(bench.accounts[1] == 5)
        }

        @Test func `R33 advancing the clock and awaiting settled alternately completes a fetch that sleeps several times`() async throws {
            let bench = TestBench { call in
                for _ in 1...3 { try await call.context.clock.sleep(for: .seconds(1)) }
                return call.number
            }
            let store = bench.client.store(for: Number(1).enabled(false))
            for round in 1...50 {
                let fetch = Task { try await store.fetch() }
                await reaches { bench.backend.count == round }
                for _ in 1...3 {
                    await bench.client.settled()
                    #expect(bench.client.value(for: Number(1)) != round)
                    bench.clock.advance(by: .seconds(1))
                }
                await bench.client.settled()
                #expect(bench.client.value(for: Number(1)) == round)
                _ = try await fetch.value
            }
        }

        @Test(arguments: [true, false])
        func `R33 a fetch whose inner fetch sleeps on the client's clock does not keep settled waiting`(isDeduplicated: Bool) async throws {
            let bench = TestBench { call in
                if call.id == 1 { return try await call.context.queryClient?.fetch(Number(2).deduplicated(isDeduplicated)) ?? 0 }
                try await call.context.clock.sleep(for: .seconds(1))
                return call.number
            }
            let subscription = bench.client.store(for: Number(1)).record(Recorder())
            await bench.client.settled()
            #expect(bench.clock.alarmCount > 0)
            bench.clock.advance(by: .seconds(1))
            await bench.client.settled()
            #expect(bench.client.value(for: Number(1)) == 2)
            subscription.cancel()
        }

        @Test func `R33 settled waits for the rest of a fetch whose inner fetch was woken by the clock`() async throws {
            let gate = BusyGate()
            let bench = TestBench { call in
                if call.id == 2 {
                    try await call.context.clock.sleep(for: .seconds(1))
                    return 2
                }
                let inner = try await call.context.queryClient?.fetch(Number(2)) ?? 0
                await gate.pass()
                return inner + 1
            }
            let subscription = bench.client.store(for: Number(1)).record(Recorder())
            await bench.client.settled()
            bench.clock.advance(by: .seconds(1))
            #expect(await !ends(within: .milliseconds(100)) { await bench.client.settled() })
            gate.open()
            await bench.client.settled()
            #expect(bench.client.value(for: Number(1)) == 3)
            subscription.cancel()
        }

        @Test func `R33 a fetch whose sleep was cancelled counts as working again at once`() async throws {
            let gate = BusyGate()
            let bench = TestBench { call in
                let sleep = Task { try await call.context.clock.sleep(for: .seconds(1)) }
                try await (call.context.clock as? ManualClock)?.alarms(atLeast: 1)
                sleep.cancel()
                await gate.pass()
                return 7
            }
            let subscription = bench.client.store(for: Number(1)).record(Recorder())
            await gate.arrived()
            #expect(await !ends(within: .milliseconds(100)) { await bench.client.settled() })
            gate.open()
            await bench.client.settled()
            #expect(bench.client.value(for: Number(1)) == 7)
            subscription.cancel()
        }

        @Test func `R33 settled waits for a fetch that sleeps on the system's clock`() async throws {
            let request = Number(1)
            var context = QueryContext()
            context.backend = Backend { _ in
                try await SystemClock().sleep(for: .milliseconds(20))
                return 7
            }
            let client = QueryClient(context: context, configuration: .isolated)
            let subscription = client.store(for: request).record(Recorder())
            await client.settled()
            #expect(client.value(for: request) == 7)
            subscription.cancel()
        }

        @Test func `R33 settled does not wait during the pause between two attempts, but waits for the next attempt`() async throws {
            let bench = TestBench { call in
                if call.number == 1 { throw TestError() }
                return 7
            }
            let subscription = bench.client.store(for: Number(1).retry(limit: 1, backoff: .constant(.seconds(1)))).record(Recorder())
            await bench.client.settled()
            #expect(bench.backend.count == 1)
            bench.clock.advance(by: .seconds(1))
            await bench.client.settled()
            #expect(bench.client.value(for: Number(1)) == 7)
            subscription.cancel()
        }
    }
}
