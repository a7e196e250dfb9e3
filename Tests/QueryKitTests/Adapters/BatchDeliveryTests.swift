import Foundation
import QueryKit
import TestSupport
import Testing

/// Threads that write to other stores in batches, one batch after the other, until they are stopped.
private final class Batches: Sendable {
    private let isOver = Lock(false)
    private let begun = Recorder<Int>()
    private let threads: [Task<Void, Never>]

    init(threads count: Int, lasting limit: TimeInterval, in client: QueryClient) {
        let (isOver, begun) = (isOver, begun)
        threads = (1...count).map { id in
            Task.detached {
                await onThread {
                    while !isOver.withLock({ $0 }) {
                        client.batch {
                            client.setValue(begun.count, for: Number(100 + id))
                            begun.note(id)
                            Valve().wait(upTo: limit)
                        }
                    }
                }
            }
        }
    }

    /// Waits until each thread is in a batch.
    func begin() async { await reaches { Set(self.begun.all).count == self.threads.count } }

    func end() async {
        isOver.withLock { $0 = true }
        for thread in threads { await thread.value }
    }
}

/// What is shown while other threads batch changes of other requests.
@MainActor
@Suite(.serialized, .timeLimit(.minutes(5)))
struct BatchDeliveryTests {
    private let bench = TestBench()
    private nonisolated static let changeCount = 10
    private nonisolated static let limit = Duration.milliseconds(100)

    private func store(_ id: Int = 1) -> QueryStore<Number.State> { bench.client.store(for: Number(id).enabled(false)) }

    @Test func `R29 a mirror shows each change at once beside batches of two threads`() async {
        let mirror = QueryMirror(store())
        let store = store()
        let batches = Batches(threads: 2, lasting: 0.002, in: bench.client)
        await batches.begin()
        var current = 0
        for value in 1...Self.changeCount {
            await onThread { store.setValue(value) }
            if await reaches(within: Self.limit, { mirror.value == value }) { current += 1 }
        }
        await batches.end()
        withKnownIssue("R29 a mirror waits until no batch is open", isIntermittent: true) { #expect(current == Self.changeCount) }
    }

    @Test func `R29 a group shows each change at once beside batches of two threads`() async {
        let seen = Recorder<[Int]>()
        let subscription = bench.client.group([Number(1).enabled(false), Number(2).enabled(false)]).subscribe { seen.note($0.values) }
        let store = store()
        let batches = Batches(threads: 2, lasting: 0.002, in: bench.client)
        await batches.begin()
        var current = 0
        for value in 1...Self.changeCount {
            await onThread { store.setValue(value) }
            if await reaches(within: Self.limit, { seen.last == [value] }) { current += 1 }
        }
        await batches.end()
        withKnownIssue("R29 a group waits until no batch is open", isIntermittent: true) { #expect(current == Self.changeCount) }
        subscription.cancel()
    }

    @Test func `R4 writing through a mirror returns at once beside long batches of another thread`() async {
        let mirror = QueryMirror(store())
        let batches = Batches(threads: 1, lasting: 0.08, in: bench.client)
        await batches.begin()
        var times: [Duration] = []
        for value in 1...9 {
            let begin = ContinuousClock.now
            mirror.setValue(value)
            times.append(ContinuousClock.now - begin)
            await reaches(within: .milliseconds(10)) { false }
        }
        await batches.end()
        #expect(mirror.value == 9)
        withKnownIssue("R4 a write on the main thread waits for the batch", isIntermittent: true) {
            #expect(times.sorted()[4] < .milliseconds(10))
        }
    }
}
