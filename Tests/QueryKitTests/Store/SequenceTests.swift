import QueryKit
import QueryKitTesting
import TestSupport
import Testing

struct SequenceTests {
    private let bench = TestBench()

    private var store: QueryStore<QueryState<Int?, Int>> { bench.client.store(for: Number().enabled(false)) }

    @Test func `states begins with the current state and subscribes while it is iterated`() async {
        let store = self.store
        store.setValue(1)
        var iterator: QueryStates<QueryState<Int?, Int>>.Iterator? = store.states.makeAsyncIterator()
        #expect(store.subscriberCount == 1)
        #expect(await iterator?.next()?.value == 1)
        store.setValue(2)
        #expect(await iterator?.next()?.value == 2)
        iterator = nil
        #expect(store.subscriberCount == 0)
    }

    @Test func `a slow consumer receives the newest state`() async {
        let store = self.store
        let iterator = store.states.makeAsyncIterator()
        for value in 1...100 { store.setValue(value) }
        #expect(await iterator.next()?.value == 100)
    }

    @Test func `states ends when its task is cancelled, and unsubscribes`() async {
        let store = self.store
        let seen = Recorder<Int?>()
        let first = Gate()
        let task = Task {
            for await state in store.states {
                seen.note(state.value)
                try? await first.pass()
            }
        }
        await first.arrived()
        #expect(store.subscriberCount == 1)
        task.cancel()
        await task.value
        #expect(store.subscriberCount == 0)
        #expect(seen.all == [nil])
    }

    @Test func `states fetches like any other subscription`() async throws {
        let store = bench.client.store(for: Number())
        for await state in store.states where state.value == 1 { break }
        #expect(bench.backend.count == 1)
    }

    @Test func `select skips unchanged values`() async {
        let store = self.store
        var iterator = store.select { ($0.value ?? 0) / 10 }.makeAsyncIterator()
        #expect(await iterator.next() == 0)
        store.setValue(5)
        store.setValue(10)
        #expect(await iterator.next() == 1)
        store.setValue(19)
        store.setValue(20)
        #expect(await iterator.next() == 2)
    }

    @Test func `two iterations are two subscriptions`() async {
        let store = self.store
        let states = store.states
        let one = states.makeAsyncIterator()
        let two = states.makeAsyncIterator()
        #expect(store.subscriberCount == 2)
        store.setValue(4)
        #expect(await one.next()?.value == 4)
        #expect(await two.next()?.value == 4)
    }
}

struct QueryTaskTests {
    private let bench = TestBench()

    @Test func `a fetch task does nothing until it is started or awaited`() async throws {
        let task = bench.client.store(for: Number()).fetchTask()
        #expect(!task.isStarted)
        #expect(bench.backend.count == 0)
        #expect(try await task.value == 1)
        #expect(task.isStarted)
        #expect(try await task.value == 1)
        #expect(bench.backend.count == 1)
    }

    @Test func `a fetch task has an identity, which its copies share, and a name`() {
        let store = bench.client.store(for: Number())
        let task = store.fetchTask()
        let copy = task
        #expect(task == copy)
        #expect(task.id == copy.id)
        #expect(task != store.fetchTask())
        #expect(task.name == "number/1")
    }

    @Test func `a fetch task cancelled before it starts never runs`() async {
        let task = bench.client.store(for: Number()).fetchTask()
        task.cancel()
        #expect(task.isCancelled)
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(bench.backend.count == 0)
    }

    @Test func `cancelling a fetch task leaves the run to its other observers`() async throws {
        let gate = Gate()
        bench.backend.behave { call in
            try await gate.pass()
            return call.number
        }
        let store = bench.client.store(for: Number())
        let subscription = store.record(Recorder())
        await gate.arrived()
        let task = store.fetchTask().start()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        gate.open()
        await bench.client.settled()
        #expect(store.value == 1)
        subscription.cancel()
    }

    @Test func `a cancelled waiter returns at once, and the fetch task continues`() async throws {
        let gate = Gate()
        bench.backend.behave { call in
            try await gate.pass()
            return call.number
        }
        let task = bench.client.store(for: Number()).fetchTask().start()
        await gate.arrived()
        let waiter = Task { try await task.value }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        gate.open()
        #expect(try await task.value == 1)
    }
}
