import TestSupport
import Testing

@testable import QueryKit

@Suite(.timeLimit(.minutes(5))) struct TreeListTests {
    /// The number of elements and their sum.
    private struct Sum: TreeSummary {
        typealias Element = Int

        var count = 0
        var total = 0

        mutating func add(_ element: Int) {
            count += 1
            total += element
        }

        mutating func add(_ other: Sum) {
            count += other.count
            total += other.total
        }
    }

    /// Counts how often an element or summary is added to any summary. For a single test.
    private struct Additions: TreeSummary {
        typealias Element = Int

        static let count = Lock(0)

        mutating func add(_ element: Int) { Self.count.withLock { $0 += 1 } }

        mutating func add(_ other: Additions) { Self.count.withLock { $0 += 1 } }
    }

    private typealias List = TreeList<Int, Sum>

    private func list(_ elements: some Sequence<Int>) -> List {
        var list = List()
        for element in elements { list.append(element) }
        return list
    }

    private func elements(_ list: List) -> [Int] { list.numbers.map { list[$0] } }

    /// Whether a list equals an array, by every way to read it.
    private func check(_ list: List, _ model: [Int]) {
        #expect(elements(list) == model)
        #expect(list.count == model.count && list.isEmpty == model.isEmpty)
        #expect(list.summary.count == model.count && list.summary.total == model.reduce(0, +))
        var visited: [Int] = []
        list.visit { visited.append($0) }
        #expect(visited == model)
    }

    @Test(arguments: 0..<20)
    func `a list matches an array, and changing a copy does not change the original`(seed: Int) {
        var random = Dice(seed: seed)
        var (list, model) = (List(), [Int]())
        var copies: [(List, [Int])] = []
        // Each phase prefers another kind of change, so that lists become long, short and empty, at either end.
        for stretch in 0..<30 {
            let favorite = Int.random(in: 0..<6, using: &random)
            for _ in 0..<Int.random(in: 1..<200, using: &random) {
                let element = Int.random(in: 0..<1_000, using: &random)
                switch Int.random(in: 0..<4, using: &random) == 0 ? Int.random(in: 0..<6, using: &random) : favorite {
                case 0, 5:
                    #expect(list.append(element) == list.numbers.upperBound - 1)
                    model.append(element)
                case 1:
                    #expect(list.prepend(element) == list.numbers.lowerBound)
                    model.insert(element, at: 0)
                case 2 where !model.isEmpty:
                    list.remove(at: .first)
                    model.removeFirst()
                case 3 where !model.isEmpty:
                    list.remove(at: .last)
                    model.removeLast()
                case 4 where !model.isEmpty:
                    let position = model.indices.randomElement(using: &random) ?? 0
                    list.replace(list.numbers.lowerBound + position, with: element)
                    model[position] = element
                default: break
                }
            }
            check(list, model)
            if stretch % 5 == 0 { copies.append((list, model)) }
        }
        for (list, model) in copies { check(list, model) }
    }

    @Test func `elements keep their numbers while others are added and removed at the ends`() {
        var list = list(0..<5_000)
        let number = list.numbers.lowerBound + 2_000
        for _ in 0..<1_500 {
            list.remove(at: .first)
            list.prepend(-1)
            list.remove(at: .last)
            list.remove(at: .first)
        }
        #expect(list[number] == 2_000)
        #expect(list.count == 2_000)
    }

    // MARK: Sharing

    @Test func `a change at an end or in the middle copies at most one array of 32 elements`() {
        let list = list(0..<40_000)
        let changes: [@Sendable (inout List) -> Void] = [
            { $0.append(1) }, { $0.prepend(1) }, { $0.remove(at: .first) }, { $0.remove(at: .last) },
            { $0.replace($0.numbers.lowerBound + 20_000, with: 1) },
        ]
        for change in changes {
            var copy = list
            change(&copy)
            #expect(list.sharedCount(with: copy) >= list.count - 32)
            #expect(copy.sharedCount(with: copy) == copy.count)
        }
        #expect(elements(list) == Array(0..<40_000))
    }

    @Test func `adding an element updates one summary per level, and a removal summarizes at most 32 elements or nodes per level`() {
        var list = TreeList<Int, Additions>()
        for element in 0..<40_000 { list.append(element) }
        func additions(_ change: (inout TreeList<Int, Additions>) -> Void) -> Int {
            let before = Additions.count.withLock { $0 }
            change(&list)
            return Additions.count.withLock { $0 } - before
        }
        let levels = list.level + 1
        #expect(additions { $0.append(1) } == levels)
        #expect(additions { $0.prepend(1) } == levels)
        #expect(additions { $0.remove(at: .first) } <= 32 * levels)
        #expect(additions { $0.remove(at: .last) } <= 32 * levels)
        #expect(additions { $0.replace($0.numbers.lowerBound + 20_000, with: 1) } <= 32 * levels)
    }

    @Test func `a list that is appended to and shortened at its front stays as shallow as its length allows`() {
        var list = list(0..<3)
        for element in 0..<50_010 {
            list.append(element)
            list.remove(at: .first)
        }
        #expect(elements(list) == [50_007, 50_008, 50_009])
        #expect(list.level == 0)
    }

    // MARK: Updating and comparing

    @Test func `an update replaces the changed elements and shares the rest`() {
        let list = list(0..<1_000)
        var copy = list
        copy.updateEach { $0 == 500 ? 500 : nil }
        #expect(elements(copy) == Array(0..<1_000))
        #expect(list.sharedCount(with: copy) >= 1_000 - 32)
        copy.updateEach { _ in nil }
        #expect(list.sharedCount(with: copy) >= 1_000 - 32)
        copy.updateEach { -$0 }
        #expect(elements(copy) == (0..<1_000).map { -$0 })
        #expect(elements(list) == Array(0..<1_000))
    }

    @Test func `lists are equal if their elements are, wherever those are in the tree`() {
        let list = list(0..<1_000)
        func isEqual(_ other: List) -> (result: Bool, comparisons: Int) {
            var comparisons = 0
            let result = list.isEqual(to: other) {
                comparisons += 1
                return $0 == $1
            }
            return (result, comparisons)
        }
        #expect(isEqual(list) == (true, 0))
        var copy = list
        copy.replace(copy.numbers.lowerBound + 500, with: 500)
        #expect(isEqual(copy).result)
        #expect(isEqual(copy).comparisons <= 32)
        copy.replace(copy.numbers.lowerBound + 500, with: 0)
        #expect(!isEqual(copy).result)
        // The same elements with other numbers.
        var moved = self.list(-1..<1_000)
        moved.remove(at: .first)
        #expect(isEqual(moved).result)
        moved.remove(at: .last)
        #expect(!isEqual(moved).result)
        #expect(isEqual(List()) == (false, 0))
    }
}
