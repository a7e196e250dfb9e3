import TestSupport
import Testing

@testable import QueryKit

@Suite(.timeLimit(.minutes(5))) struct TreeIndexTests {
    @Test func `an empty index finds and removes nothing`() {
        var index = TreeIndex()
        index.remove(1, hash: 1)
        #expect(index.find(1) { _ in true } == nil)
    }

    @Test func `only the numbers with the hash are compared`() {
        var index = TreeIndex()
        for number in 0..<1_000 { index.insert(number, hash: number / 2) }
        var compared: [Int] = []
        #expect(
            index.find(7) {
                compared.append($0)
                return false
            } == nil
        )
        #expect(compared.sorted() == [14, 15])
        #expect(index.find(7) { $0 == 15 } == 15)
        #expect(index.find(500) { _ in true } == nil)
    }

    @Test(arguments: 0..<20)
    func `an index matches a dictionary, and changing a copy does not change the original`(seed: Int) {
        var random = Dice(seed: seed)
        // Few hashes collide, or many do, or they differ only in their highest bits.
        let hashes: [Int] = (0..<500).map { number in
            switch seed % 3 {
            case 0: Int(truncatingIfNeeded: random.next())
            case 1: number % 7 - 3
            default: number << 55
            }
        }
        var (index, model) = (TreeIndex(), Set<Int>())
        var copies: [(TreeIndex, Set<Int>)] = []
        func check(_ index: TreeIndex, _ model: Set<Int>) {
            for number in hashes.indices {
                #expect(index.find(hashes[number]) { $0 == number } == (model.contains(number) ? number : nil))
            }
        }
        for step in 0..<3_000 {
            let number = Int.random(in: hashes.indices, using: &random)
            // The index grows first and shrinks at the end.
            if Int.random(in: 0..<3_000, using: &random) > step {
                if model.insert(number).inserted { index.insert(number, hash: hashes[number]) }
            } else {
                index.remove(number, hash: hashes[number])
                model.remove(number)
            }
            if step % 500 == 0 { copies.append((index, model)) }
        }
        check(index, model)
        for (index, model) in copies { check(index, model) }
    }
}
