import TestSupport
import Testing

@testable import QueryKit

struct DeliveryQueueTests {
    @Test func `R33 the first element is delivered at once, and those entered during its delivery follow in order`() {
        var queue = DeliveryQueue<Int>()
        #expect(queue.enter(1) == 1)
        #expect(queue.enter(2) == nil)
        #expect(queue.enter(3) == nil)
        #expect(queue.isBusy && queue.count == 2)
        #expect(queue.next() == 2)
        #expect(queue.enter(4) == nil)
        #expect(queue.next() == 3)
        #expect(queue.next() == 4)
        #expect(queue.isBusy, "the last one is still being delivered")
        #expect(queue.next() == nil)
        #expect(!queue.isBusy && queue.isEmpty)
        #expect(queue.enter(5) == 5)
    }

    @Test func `R33 a long queue keeps its order while elements are entered and delivered`() {
        var dice = Dice(seed: 1)
        var queue = DeliveryQueue<Int>()
        var (entered, delivered) = (0, [Int]())
        while entered < 10_000 {
            for _ in 0...dice.roll(40) {
                entered += 1
                if let first = queue.enter(entered) { delivered.append(first) }
            }
            for _ in 0...dice.roll(40) {
                guard let next = queue.next() else { break }
                delivered.append(next)
            }
            var waiting: [Int] = []
            queue.visit { waiting.append($0) }
            #expect(delivered + waiting == Array(1...entered))
            #expect(queue.count == waiting.count)
        }
    }

    @Test func `R33 elements removed from the queue are not delivered`() {
        var queue = DeliveryQueue<Int>()
        queue.begin()
        for number in 1...30 { _ = queue.enter(number) }
        for number in 1...20 { #expect(queue.next() == number) }
        #expect(queue.removeAll() == Array(21...30))
        #expect(queue.isBusy)
        #expect(queue.next() == nil)
    }

    @Test func `R33 a delivered element is released even while others wait behind it`() {
        final class Element {}
        var queue = DeliveryQueue<Element>()
        queue.begin()
        let seen = (1...3).map { _ in
            let element = Element()
            _ = queue.enter(element)
            return Weakly(element)
        }
        for _ in 1...2 { #expect(queue.next() != nil) }
        #expect(seen.map { $0.object == nil } == [true, true, false])
        #expect(queue.removeAll().count == 1)
    }

    private struct Weakly {
        weak var object: AnyObject?
        init(_ object: AnyObject) { self.object = object }
    }
}
