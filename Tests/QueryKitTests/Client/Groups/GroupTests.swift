import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

struct GroupTests {
    private func glance(_ states: [QueryState<Int?, Int>]) -> [String] { states.map { StateSummary($0).description } }

    private func numbers(_ bench: TestBench, _ ids: [Int]) -> QueryGroup<QueryState<Int?, Int>> {
        bench.client.group(ids.map { Number($0).ttl(.infinity) })
    }

    @Test func `a group delivers its states in list order, current states first, and keeps duplicates`() async {
        let bench = TestBench { $0.id * 10 }
        bench.client.setValue(20, for: Number(2))
        bench.client.setValue(10, for: Number(1))
        let group = numbers(bench, [2, 1, 2])
        let seen = Recorder<[String]>()
        let subscription = group.subscribe { seen.note(glance($0)) }
        #expect(bench.client.store(for: Number(2)).subscriberCount == 1)
        bench.client.setValue(21, for: Number(2))
        bench.client.setValue(11, for: Number(1))
        #expect(seen.all == [["20", "10", "20"], ["21", "10", "21"], ["21", "11", "21"]])
        #expect(group.currentStates.values == [21, 11, 21])
        #expect(group.stores.map(\.path) == [["number", 2], ["number", 1], ["number", 2]])
        #expect(bench.backend.count == 0)
        subscription.cancel()
        bench.client.setValue(12, for: Number(1))
        #expect(seen.count == 3)
        #expect(group.stores.allSatisfy { $0.subscriberCount == 0 })
    }

    @Test func `a group fetches its requests and reports whether any is fetching and which failed`() async {
        let gate = Gate()
        let bench = TestBench { call in
            try await gate.pass()
            if call.id == 2 { throw TestError() }
            return call.id * 10
        }
        let group = bench.client.group((1...3).map { Number($0).retry(limit: 0) })
        let seen = Recorder<Bool>()
        let subscription = group.subscribe { seen.note($0.isFetching) }
        gate.open()
        await bench.client.settled()
        #expect(seen.all.first == true && seen.last == false)
        #expect(group.currentStates.values == [10, 30])
        #expect(group.currentStates.errors.map { $0 as? TestError } == [TestError()])
        subscription.cancel()
    }

    @Test func `changing a group's list keeps remaining stores, releases removed ones and delivers one update`() async {
        let bench = TestBench { $0.id * 10 }
        for id in 1...4 { bench.client.setValue(id, for: Number(id)) }
        let group = numbers(bench, [1, 2])
        let seen = Recorder<[String]>()
        let subscription = group.subscribe { seen.note(glance($0)) }
        group.setRequests([Number(3).ttl(.infinity), Number(2).ttl(.infinity), Number(4).ttl(.infinity)])
        #expect(seen.take() == [["1", "2"], ["3", "2", "4"]])
        #expect((1...4).map { bench.client.store(for: Number($0)).subscriberCount } == [0, 1, 1, 1])
        bench.client.setValue(0, for: Number(1))
        bench.client.setValue(22, for: Number(2))
        #expect(seen.take() == [["3", "22", "4"]])
        group.setRequests([Number(2), Number(2)])
        group.setRequests([Number(2), Number(2)])
        #expect(seen.take() == [["22", "22"]])
        group.setRequests([Number]())
        #expect(seen.take() == [[]])
        #expect((1...4).allSatisfy { bench.client.store(for: Number($0)).subscriberCount == 0 })
        group.setRequests([Number(1).ttl(.infinity)])
        #expect(seen.take() == [["0"]])
        subscription.cancel()
        group.setRequests([Number(2)])
        #expect(seen.count == 0)
        #expect(bench.client.store(for: Number(2)).subscriberCount == 0)
    }

    @Test func `an empty group delivers one empty list`() {
        let group = numbers(TestBench(), [])
        let seen = Recorder<[String]>()
        let subscription = group.subscribe { seen.note(glance($0)) }
        #expect(seen.all == [[]])
        #expect(!group.currentStates.isFetching)
        subscription.cancel()
    }

    @Test func `R4 changes made in a group's handler are delivered after it returns, and it may change the list or cancel itself`() {
        let bench = TestBench()
        for id in 1...3 { bench.client.setValue(id, for: Number(id)) }
        let group = numbers(bench, [1, 2])
        let seen = Recorder<String>()
        let own = Lock<QuerySubscription?>(nil)
        let subscription = group.subscribe { states in
            seen.note("begin \(states.values)")
            switch states.values {
            case [1, 2]:
                bench.client.setValue(5, for: Number(1))
                bench.client.setValue(6, for: Number(2))
            case [5, 6]:
                group.setRequests([Number(3).ttl(.infinity)])
            case [4]:
                own.withLock { $0 }?.cancel()
                bench.client.setValue(8, for: Number(3))
            default: break
            }
            seen.note("end")
        }
        own.withLock { $0 = subscription }
        bench.client.setValue(4, for: Number(3))
        bench.client.setValue(9, for: Number(3))
        #expect(seen.all == ["begin [1, 2]", "end", "begin [5, 6]", "end", "begin [3]", "end", "begin [4]", "end"])
    }

    @Test func `a group's sequence skips to the newest states for a slow reader and unsubscribes with its iterator`() async {
        let bench = TestBench()
        for id in 1...2 { bench.client.setValue(id, for: Number(id)) }
        let group = numbers(bench, [1, 2])
        do {
            let iterator = group.states.makeAsyncIterator()
            #expect(await iterator.next()?.values == [1, 2])
            bench.client.setValue(3, for: Number(1))
            bench.client.setValue(4, for: Number(2))
            #expect(await iterator.next()?.values == [3, 4])
            #expect(group.stores.allSatisfy { $0.subscriberCount == 1 })
        }
        #expect(group.stores.allSatisfy { $0.subscriberCount == 0 })
    }

    @Test func `cancelling a task ends a group's sequence and its subscription`() async {
        let bench = TestBench()
        let group = numbers(bench, [1])
        let task = Task {
            var count = 0
            for await _ in group.states { count += 1 }
            return count
        }
        task.cancel()
        _ = await task.value
        #expect(group.stores[0].subscriberCount == 0)
    }

    @Test func `a combination skips unchanged values`() async {
        let bench = TestBench()
        for id in 1...2 { bench.client.setValue(id, for: Number(id)) }
        var sums = numbers(bench, [1, 2]).combine { $0.values.reduce(0, +) }.makeAsyncIterator()
        #expect(await sums.next() == 3)
        bench.client.setValue(2, for: Number(1))
        bench.client.setValue(1, for: Number(2))
        bench.client.setValue(5, for: Number(2))
        #expect(await sums.next() == 7)
        let next = Task { [sums] in
            var sums = sums
            return await sums.next()
        }
        bench.client.setValue(5, for: Number(1))
        bench.client.setValue(2, for: Number(2))
        bench.client.setValue(0, for: Number(2))
        #expect(await next.value != 7)
    }

    @Test func `a combination delivers no value equal to the one before, even if its inputs changed`() async {
        let bench = TestBench()
        for id in 1...2 { bench.client.setValue(id, for: Number(id)) }
        let (looks, look) = AsyncStream.makeStream(of: Int.self)
        let areMany = numbers(bench, [1, 2]).combine { states in
            let sum = states.values.reduce(0, +)
            look.yield(sum)
            return sum > 10
        }
        let received = Recorder<Bool>()
        let reader = Task {
            for await isMany in areMany {
                received.note(isMany)
                if received.count == 3 { break }
            }
        }
        var sums = looks.makeAsyncIterator()
        #expect(await sums.next() == 3)
        // Wait until each value was combined before writing the next.
        for value in [20, 30, 40, 0] {
            bench.client.setValue(value, for: Number(1))
            #expect(await sums.next() == value + 2)
        }
        await reader.value
        #expect(received.all == [false, true, false])
    }

    @Test func `stores with different state types can be combined`() async {
        struct Name: QueryRequest {
            func fetch(in context: QueryContext, with continuation: QueryContinuation<String>) async throws -> String { "name" }
        }
        let bench = TestBench { $0.id * 10 }
        let (name, number) = (bench.client.store(for: Name().ttl(.infinity)), bench.client.store(for: Number(1).ttl(.infinity)))
        name.setValue("a")
        number.setValue(1)
        var texts = QueryCombination(name, number, number) { "\($0.value ?? "")\($1.value ?? 0)\($2.value ?? 0)" }.makeAsyncIterator()
        #expect(await texts.next() == "a11")
        #expect(number.subscriberCount == 1)
        number.setValue(2)
        #expect(await texts.next() == "a22")
        name.setValue("b")
        #expect(await texts.next() == "b22")
    }

    @Test func `a subscription keeps working after its group was deallocated`() {
        let bench = TestBench()
        bench.client.setValue(1, for: Number(1))
        let seen = Recorder<[String]>()
        let subscription = numbers(bench, [1]).subscribe { seen.note(glance($0)) }
        bench.client.setValue(2, for: Number(1))
        #expect(seen.all == [["1"], ["2"]])
        subscription.cancel()
    }
}
