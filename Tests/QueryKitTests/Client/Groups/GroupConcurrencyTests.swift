import TestSupport
import Testing

@testable import QueryKit

/// Real threads against one group. Runs under the thread sanitizer in CI.
struct GroupConcurrencyTests {
    @Test func `R4 a group's states are delivered serially, complete and in order while lists and values change`() async {
        let bench = TestBench()
        for id in 0..<8 { bench.client.setValue(0, for: Number(id)) }
        let lists = [[0, 1, 2], [1], [2, 3, 4, 5], [], [7, 7, 0], [6, 5, 4, 3, 2, 1, 0]]
        let requests = lists.map { $0.map { Number($0).ttl(.infinity) } }
        let group = bench.client.group(requests[0])
        let isBusy = Lock(false)
        let latest = Lock<[Int: Int]>([:])
        let last = Lock<[Int]>([])
        let subscription = group.subscribe { states in
            #expect(
                isBusy.withLock { isBusy in
                    defer { isBusy = true }
                    return !isBusy
                }
            )
            // Each value encodes its store and its position among that store's writes.
            for value in states.values where value > 0 {
                let isOrdered = latest.withLock { latest in
                    defer { latest[value % 8] = value }
                    return latest[value % 8] ?? 0 <= value
                }
                #expect(isOrdered)
            }
            #expect(lists.contains { $0.count == states.count })
            last.withLock { $0 = states.values }
            isBusy.withLock { $0 = false }
        }
        await withTaskGroup(of: Void.self) { tasks in
            for id in 0..<8 {
                tasks.addTask { for number in 1...200 { bench.client.setValue(number * 8 + id, for: Number(id)) } }
            }
            for turn in 0..<3 {
                tasks.addTask { for step in 0..<100 { group.setRequests(requests[(step * (turn + 1)) % requests.count]) } }
            }
            tasks.addTask { for _ in 0..<100 { group.subscribe { _ in }.cancel() } }
        }
        group.setRequests(requests[5])
        #expect(last.withLock { $0 } == [6, 5, 4, 3, 2, 1, 0].map { 1600 + $0 })
        subscription.cancel()
        #expect((0..<8).allSatisfy { bench.client.store(for: Number($0)).subscriberCount == 0 })
    }

    @Test func `subscriptions that end while a group's list changes leave no store observed`() async {
        let bench = TestBench()
        for _ in 0..<100 {
            let group = bench.client.group([Number(1).ttl(.infinity)])
            let subscription = group.subscribe { _ in }
            await withTaskGroup(of: Void.self) { tasks in
                tasks.addTask { subscription.cancel() }
                tasks.addTask { group.setRequests([Number(2), Number(3)]) }
                tasks.addTask { group.setRequests([Number(3), Number(1)]) }
            }
            #expect((1...3).allSatisfy { bench.client.store(for: Number($0)).subscriberCount == 0 })
        }
    }
}
