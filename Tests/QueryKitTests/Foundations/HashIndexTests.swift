import TestSupport
import Testing

@testable import QueryKit

struct HashIndexTests {
    private func numbers(_ index: HashIndex, under hash: Int) -> [UInt32] {
        var found: [UInt32] = []
        _ = index.find(hash) { number in
            found.append(number)
            return false
        }
        return found.sorted()
    }

    @Test func `an empty index finds and removes nothing`() {
        var index = HashIndex()
        #expect(index.find(1) { _ in true } == nil)
        index.remove(1, hash: 1)
        #expect(index.count == 0)
    }

    @Test func `only the numbers with the hash are compared`() {
        var index = HashIndex()
        // 8 buckets: 1 and 9 share one, and 2 occupies the next one, where 9 would go.
        index.insert(10, hash: 1)
        index.insert(11, hash: 2)
        index.insert(12, hash: 9)
        #expect(numbers(index, under: 1) == [10])
        #expect(numbers(index, under: 9) == [12])
        #expect(numbers(index, under: 17) == [])
        #expect(index.find(9) { $0 == 12 } == 12)
        #expect(index.find(9) { $0 == 10 } == nil)
    }

    @Test func `numbers with the same hash are distinguished by comparison`() {
        var index = HashIndex()
        for number in UInt32(0)..<20 { index.insert(number, hash: -1) }
        for number in UInt32(0)..<20 { #expect(index.find(-1) { $0 == number } == number) }
        #expect(index.count == 20)
    }

    @Test(arguments: 0..<3) func `removing one entry of a chain keeps the others reachable, even across the end of the table`(
        _ removed: Int
    ) {
        var index = HashIndex()
        // All belong in the last of 8 buckets, so the second and third wrap around to the first ones.
        for number in UInt32(0)..<3 { index.insert(number, hash: 7) }
        index.remove(UInt32(removed), hash: 7)
        #expect(numbers(index, under: 7) == [0, 1, 2].filter { $0 != UInt32(removed) })
        #expect(index.count == 2)
    }

    @Test func `removing an entry does not move entries that are in their own bucket`() {
        var index = HashIndex()
        index.insert(1, hash: 3)
        index.insert(2, hash: 4)
        index.insert(3, hash: 3)
        index.remove(1, hash: 3)
        #expect(numbers(index, under: 3) == [3])
        #expect(numbers(index, under: 4) == [2])
    }

    @Test func `removing an absent number changes nothing`() {
        var index = HashIndex()
        index.insert(1, hash: 1)
        index.remove(2, hash: 1)
        index.remove(1, hash: 5)
        #expect(numbers(index, under: 1) == [1])
        #expect(index.count == 1)
    }

    @Test(arguments: [3, 17, 1 << 20, .max], 0..<8)
    func `random operations match a dictionary`(_ hashes: Int, _ seed: Int) {
        var dice = Dice(seed: seed)
        var index = HashIndex()
        var model: [UInt32: Int] = [:]
        for _ in 0..<2_000 {
            let number = UInt32(dice.roll(200))
            if let hash = model[number] {
                index.remove(number, hash: hash)
                model[number] = nil
            } else {
                let hash = dice.roll(hashes) - hashes / 2
                index.insert(number, hash: hash)
                model[number] = hash
            }
            #expect(index.count == model.count)
            let other = UInt32(dice.roll(200))
            let hash = model[other] ?? 0
            #expect(index.find(hash) { $0 == other } == (model[other] == nil ? nil : other))
        }
        for (number, hash) in model { #expect(numbers(index, under: hash).contains(number)) }
    }
}
