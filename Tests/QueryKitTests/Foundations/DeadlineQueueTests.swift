import TestSupport
import Testing

@testable import QueryKit

struct DeadlineQueueTests {
    private func drain(_ queue: inout DeadlineQueue<Int>, at now: QueryInstant = .never) -> [Int] {
        var payloads: [Int] = []
        while let (_, payload) = queue.popDue(at: now) { payloads.append(payload) }
        return payloads
    }

    private func instant(_ nanoseconds: Int) -> QueryInstant { QueryInstant(nanoseconds: Int64(nanoseconds)) }

    @Test func `an empty queue has no earliest deadline and nothing due`() {
        var queue = DeadlineQueue<Int>()
        #expect(queue.earliest == nil)
        #expect(queue.popDue(at: .never) == nil)
        queue.removeAll { _ in true }
        #expect(queue.count == 0)
    }

    @Test func `a payload is due at its deadline and not before`() {
        var queue = DeadlineQueue<Int>()
        queue.insert(1, at: instant(10))
        #expect(queue.popDue(at: instant(9)) == nil)
        #expect(queue.earliest == instant(10))
        let due = queue.popDue(at: instant(10))
        #expect(due?.payload == 1)
        #expect(due?.deadline == instant(10))
        #expect(queue.earliest == nil)
    }

    @Test func `equal deadlines keep the order of insertion`() {
        var queue = DeadlineQueue<Int>()
        for payload in 0..<50 { queue.insert(payload, at: instant(payload % 2)) }
        #expect(drain(&queue) == Array(stride(from: 0, to: 50, by: 2)) + Array(stride(from: 1, to: 50, by: 2)))
    }

    @Test func `removeAll drops the matching payloads and keeps the order of the rest`() {
        var queue = DeadlineQueue<Int>()
        for payload in 0..<100 { queue.insert(payload, at: instant(100 - payload / 2)) }
        queue.removeAll { $0 % 3 == 0 }
        #expect(queue.count == 66)
        var expected: [Int] = []
        for half in (0..<50).reversed() { expected += [half * 2, half * 2 + 1].filter { $0 % 3 != 0 } }
        #expect(queue.earliest == instant(51))
        #expect(drain(&queue) == expected)
    }

    @Test(arguments: 0..<20) func `random operations match a sorted array`(_ seed: Int) {
        var dice = Dice(seed: seed)
        var queue = DeadlineQueue<Int>()
        var model: [(deadline: QueryInstant, payload: Int)] = []
        for payload in 0..<1_000 {
            switch dice.roll(10) {
            case 0...5:
                let deadline = instant(dice.roll(60))
                queue.insert(payload, at: deadline)
                model.insert((deadline, payload), at: model.firstIndex { $0.deadline > deadline } ?? model.count)
            case 6...8:
                let now = instant(dice.roll(60))
                let expected = model.first.flatMap { $0.deadline <= now ? $0 : nil }
                if expected != nil { model.removeFirst() }
                let due = queue.popDue(at: now)
                #expect(due?.payload == expected?.payload)
                #expect(due?.deadline == expected?.deadline)
            default:
                guard dice.roll(10) == 0 else { continue }
                let part = dice.roll(4)
                queue.removeAll { $0 % 4 == part }
                model.removeAll { $0.payload % 4 == part }
            }
            #expect(queue.count == model.count)
            #expect(queue.earliest == model.first?.deadline)
        }
        #expect(drain(&queue) == model.map(\.payload))
    }
}
