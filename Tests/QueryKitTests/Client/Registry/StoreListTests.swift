import TestSupport
import Testing

@testable import QueryKit

struct StoreListTests {
    /// A list together with the links that its owner stores for it.
    private struct Owner {
        var list = StoreList()
        var links = [StoreLinks](repeating: StoreLinks(), count: 40)

        mutating func append(_ number: UInt32) { list.append(number, &links) }
        mutating func remove(_ number: UInt32) { list.remove(number, &links) }

        var numbers: [UInt32] {
            var numbers: [UInt32] = []
            list.forEach(links) { numbers.append($0) }
            return numbers
        }
    }

    @Test func `a list keeps the order in which numbers were appended`() {
        var owner = Owner()
        #expect(owner.list.oldest == StoreLinks.none)
        #expect(owner.list.newest == StoreLinks.none)
        for number in [3, 0, 7] as [UInt32] { owner.append(number) }
        #expect(owner.numbers == [3, 0, 7])
        #expect(owner.list.oldest == 3)
        #expect(owner.list.newest == 7)
        #expect(owner.list.count == 3)
    }

    @Test(arguments: [3, 0, 7] as [UInt32]) func `any number can be removed and appended again as the newest`(_ number: UInt32) {
        var owner = Owner()
        for number in [3, 0, 7] as [UInt32] { owner.append(number) }
        owner.remove(number)
        #expect(owner.numbers == [3, 0, 7].filter { $0 != number })
        owner.append(number)
        #expect(owner.numbers == [3, 0, 7].filter { $0 != number } + [number])
    }

    @Test func `two lists share the links, because a number is in at most one of them`() {
        var links = [StoreLinks](repeating: StoreLinks(), count: 4)
        var first = StoreList()
        var second = StoreList()
        for number in UInt32(0)..<4 { number % 2 == 0 ? first.append(number, &links) : second.append(number, &links) }
        first.remove(0, &links)
        second.append(0, &links)
        var seen: [UInt32] = []
        first.forEach(links) { seen.append($0) }
        second.forEach(links) { seen.append($0) }
        #expect(seen == [2, 1, 3, 0])
    }

    @Test(arguments: 0..<10) func `random operations match an array`(_ seed: Int) {
        var dice = Dice(seed: seed)
        var owner = Owner()
        var model: [UInt32] = []
        for _ in 0..<2_000 {
            let number = UInt32(dice.roll(40))
            if let index = model.firstIndex(of: number) {
                owner.remove(number)
                model.remove(at: index)
            } else {
                owner.append(number)
                model.append(number)
            }
            #expect(owner.numbers == model)
            #expect(owner.list.count == model.count)
            #expect(owner.list.oldest == model.first ?? StoreLinks.none)
            #expect(owner.list.newest == model.last ?? StoreLinks.none)
        }
    }
}
