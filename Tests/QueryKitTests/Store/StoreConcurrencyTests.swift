import Foundation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// Real threads against one store. Runs under the thread sanitizer in CI.
struct StoreConcurrencyTests {
    @Test func `R6 a thousand concurrent callers share one fetch`() async throws {
        let gate = Gate()
        let bench = TestBench { call in
            try await gate.pass()
            return call.number
        }
        let store = bench.client.store(for: Number())
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<1000 { group.addTask { try await bench.client.fetch(Number()) } }
            // All callers are waiting once the store has counted them.
            while store.core.contents.withLock({ $0.waiters.count }) < 1000 { await Task.yield() }
            gate.open()
            for try await value in group { #expect(value == 1) }
        }
        #expect(bench.backend.count == 1)
    }

    @Test func `R7 callers cancelled at random never affect the others, and none hangs`() async {
        for round in 0..<50 {
            let gate = Gate()
            let bench = TestBench { call in
                try await gate.pass()
                return 7
            }
            let keeper = Task { try await bench.client.fetch(Number()) }
            await gate.arrived()
            let others = (0..<40).map { _ in Task { try await bench.client.fetch(Number()) } }
            await withTaskGroup(of: Void.self) { group in
                for (index, task) in others.enumerated() where (index + round) % 3 != 0 { group.addTask { task.cancel() } }
                group.addTask { gate.open() }
            }
            #expect((try? await keeper.value) == 7)
            for task in others {
                switch await task.result {
                case .success(let value): #expect(value == 7)
                case .failure(let error): #expect(error is CancellationError)
                }
            }
            await bench.client.settled()
            #expect(bench.client.runningCount() == 0)
        }
    }

    @Test func `R7 when all callers are cancelled at once the run ends and the state is as before`() async {
        for _ in 0..<100 {
            let gate = Gate()
            let bench = TestBench { call in
                try await gate.pass()
                return 7
            }
            let store = bench.client.store(for: Number())
            let tasks = (0..<8).map { _ in Task { try await store.fetch() } }
            await withTaskGroup(of: Void.self) { group in
                for task in tasks { group.addTask { task.cancel() } }
            }
            for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
            await bench.client.settled()
            #expect(store.status.isIdle)
            #expect(!store.isFetching)
        }
    }

    @Test func `R4 under concurrent writes every subscriber receives every revision once, in order and serially`() async {
        let bench = TestBench()
        let store = bench.client.store(for: Number().enabled(false))
        let recorders = (0..<4).map { _ in Recorder<Int>() }
        let overlaps = Recorder<String>()
        let subscriptions = recorders.map { recorder in
            let inside = Lock(false)
            return store.subscribe(
                with: QueryEventHandler { state, _ in
                    if inside.withLock({ inside in
                        defer { inside = true }
                        return inside
                    }) {
                        overlaps.note("two calls at once")
                    }
                    recorder.note(state.revision)
                    inside.withLock { $0 = false }
                }
            )
        }
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask { for value in 0..<500 { store.setValue(task * 1000 + value) } }
            }
        }
        #expect(overlaps.all.isEmpty)
        let last = store.revision
        #expect(last == 2000)
        for recorder in recorders { #expect(recorder.all == Array(0...last)) }
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func `R4 a subscriber that joins during writes starts with a state and misses none after it`() async {
        let bench = TestBench()
        let store = bench.client.store(for: Number().enabled(false))
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for value in 1...3000 { store.setValue(value) } }
            for _ in 0..<3 {
                group.addTask {
                    for _ in 0..<50 {
                        let recorder = Recorder<Int>()
                        let subscription = store.subscribe(with: QueryEventHandler { state, _ in recorder.note(state.revision) })
                        while recorder.count < 3, store.revision < 3000 { await Task.yield() }
                        subscription.cancel()
                        let received = recorder.all
                        #expect(received == Array((received.first ?? 0)..<((received.first ?? 0) + received.count)))
                    }
                }
            }
        }
        #expect(store.subscriberCount == 0)
    }

    @Test func `R4 no further call begins after cancel has returned`() async {
        let bench = TestBench()
        let store = bench.client.store(for: Number().enabled(false))
        let late = Recorder<Int>()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for value in 1...2000 { store.setValue(value) } }
            for _ in 0..<2 {
                group.addTask {
                    for _ in 0..<300 {
                        let isCancelled = Lock(false)
                        let calls = Lock(0)
                        let subscription = store.subscribe(
                            with: QueryEventHandler { state, _ in
                                calls.withLock { $0 += 1 }
                                // A call that began before may still see the mark; one that begins later counts itself first.
                                if isCancelled.withLock({ $0 }) { late.note(state.revision) }
                            }
                        )
                        subscription.cancel()
                        let before = calls.withLock { $0 }
                        await Task.yield()
                        isCancelled.withLock { $0 = true }
                        let after = calls.withLock { $0 }
                        // At most the one call that was under way during the cancellation.
                        #expect(after - before <= 1)
                    }
                }
            }
        }
        #expect(late.count <= 1)
    }

    @Test func `a store settles after invalidations, writes, subscriptions and fetches from many threads`() async throws {
        for _ in 0..<20 {
            let bench = TestBench()
            let store = bench.client.store(for: Number())
            await withTaskGroup(of: Void.self) { group in
                group.addTask { for _ in 0..<50 { bench.client.invalidate("number/**") } }
                group.addTask { for value in 0..<50 { store.setValue(-value) } }
                group.addTask { for _ in 0..<50 { store.record(Recorder()).cancel() } }
                group.addTask { for _ in 0..<50 { _ = try? await store.fetch() } }
                group.addTask { for _ in 0..<10 { store.cancel() } }
            }
            await bench.client.settled()
            let before = bench.backend.count
            let subscription = store.record(Recorder())
            store.invalidate()
            await bench.client.settled()
            #expect(!store.isFetching)
            #expect(bench.backend.count > before)
            #expect(store.value == bench.backend.count)
            subscription.cancel()
        }
    }

    @Test func `a caller of higher priority raises the priority of the run that it joins`() async throws {
        let gate = Gate()
        let bench = TestBench { call in
            try await gate.pass()
            return 1
        }
        let store = bench.client.store(for: Number())
        let slow = Task(priority: .background) { try await store.fetch() }
        await gate.arrived()
        // The run's task is known shortly after the run has begun.
        while store.core.contents.withLock({ $0.run?.task == nil }) { await Task.yield() }
        #expect(store.core.contents.withLock { $0.run?.priority } == .background)
        let fast = Task(priority: .high) { try await store.fetch() }
        while store.core.contents.withLock({ $0.waiters.count }) < 2 { await Task.yield() }
        #expect(store.core.contents.withLock { $0.run?.priority } == .high)
        gate.open()
        #expect(try await slow.value == 1)
        #expect(try await fast.value == 1)
    }

    @Test func `a caller of higher priority raises the priority of a run that has no task yet`() async throws {
        let clock = JoiningClock()
        let bench = TestBench { _ in
            for _ in 1...1_000_000 where Task.currentPriority < .high { await Task.yield() }
            return Int(Task.currentPriority.rawValue)
        } adjusting: {
            $0.clock = clock
        }
        let store = bench.client.store(for: Number())
        let fast = Lock<Task<Int, any Error>?>(nil)
        clock.onLook.withLock { action in
            action = {
                let isBegun = store.core.contents.withBasis { basis, _ in basis.loneRun != nil }
                guard isBegun, fast.withLock({ $0 == nil }) else { return }
                fast.withLock { $0 = Task.detached(priority: .high) { try await store.fetch() } }
                // The caller comes from another thread, because this one holds no lock.
                while store.core.contents.withLock({ $0.waiters.count }) < 2 {}
                #expect(store.core.contents.withLock { $0.run?.task } == nil)
            }
        }
        let slow = Task.detached(priority: .background) { try await store.fetch() }
        #expect(try await slow.value >= Int(TaskPriority.high.rawValue))
        #expect(try await fast.withLock { $0 }?.value == slow.value)
    }
}

/// A clock that runs a closure whenever it is read.
private final class JoiningClock: QueryClock {
    let onLook = Lock<(@Sendable () -> Void)?>(nil)
    private let clock = ManualClock()

    var now: QueryInstant {
        onLook.withLock { $0 }?()
        return clock.now
    }

    var date: Date { clock.date }

    func schedule(at deadline: QueryInstant, _ action: @escaping @Sendable () -> Void) -> QueryAlarm {
        clock.schedule(at: deadline, action)
    }
}
