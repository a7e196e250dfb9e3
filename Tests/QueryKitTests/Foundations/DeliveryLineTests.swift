import TestSupport
import Testing

@testable import QueryKit

@Suite struct DeliveryLineTests {
    @Test func `R33 the first element is delivered at once, and those entered during its delivery follow in order`() {
        var line = DeliveryLine<Int>()
        #expect(line.enter(1) == 1)
        #expect(line.enter(2) == nil)
        #expect(line.enter(3) == nil)
        #expect(line.isBusy && line.count == 2)
        #expect(line.next() == 2)
        #expect(line.enter(4) == nil)
        #expect(line.next() == 3)
        #expect(line.next() == 4)
        #expect(line.isBusy, "the last one is still being delivered")
        #expect(line.next() == nil)
        #expect(!line.isBusy && line.isEmpty)
        #expect(line.enter(5) == 5)
    }

    @Test func `R33 a long line keeps its order while elements are entered and delivered`() {
        var dice = Dice(seed: 1)
        var line = DeliveryLine<Int>()
        var (entered, delivered) = (0, [Int]())
        while entered < 10_000 {
            for _ in 0...dice.roll(40) {
                entered += 1
                if let first = line.enter(entered) { delivered.append(first) }
            }
            for _ in 0...dice.roll(40) {
                guard let next = line.next() else { break }
                delivered.append(next)
            }
            var waiting: [Int] = []
            line.visit { waiting.append($0) }
            #expect(delivered + waiting == Array(1...entered))
            #expect(line.count == waiting.count)
        }
    }

    @Test func `R33 elements removed from the line are not delivered`() {
        var line = DeliveryLine<Int>()
        line.begin()
        for number in 1...30 { _ = line.enter(number) }
        for number in 1...20 { #expect(line.next() == number) }
        #expect(line.removeAll() == Array(21...30))
        #expect(line.isBusy)
        #expect(line.next() == nil)
    }

    @Test func `R33 a delivered element is released even while others wait behind it`() {
        final class Element {}
        var line = DeliveryLine<Element>()
        line.begin()
        let seen = (1...3).map { _ in
            let element = Element()
            _ = line.enter(element)
            return Weakly(element)
        }
        for _ in 1...2 { #expect(line.next() != nil) }
        #expect(seen.map { $0.object == nil } == [true, true, false])
        #expect(line.removeAll().count == 1)
    }

    private struct Weakly {
        weak var object: AnyObject?
        init(_ object: AnyObject) { self.object = object }
    }
}
