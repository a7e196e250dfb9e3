import TestSupport
import Testing

@testable import QueryKit

struct PathIndexTests {
    private func index(_ paths: [QueryPath]) -> PathIndex {
        var index = PathIndex()
        for (number, path) in paths.enumerated() { index.insert(UInt32(number), at: path) }
        return index
    }

    private let food: [QueryPath] = [[], "food", "food/entries", "food/entries/today", "food/totals/today", "drink/entries/today", "foo"]

    @Test(
        arguments: [
            ("", [0]), ("food", [1]), ("food/entries", [2]), ("food/entries/today/more", []), ("fo", []), ("*", [1, 6]),
            ("**", [0, 1, 2, 3, 4, 5, 6]),
            ("food/**", [1, 2, 3, 4]), ("food/*", [2]), ("food/*/**", [2, 3, 4]), ("*/entries/today", [3, 5]), ("**/today", [3, 4, 5]),
            ("**/entries/**/today", [3, 5]), ("food/**/today", [3, 4]), ("**/food/**/today", [3, 4]), ("**/*", [1, 2, 3, 4, 5, 6]),
        ] as [(QueryPattern, [UInt32])]
    )
    func `a pattern finds the paths that it matches`(_ pattern: QueryPattern, _ numbers: [UInt32]) {
        #expect(index(food).matches(pattern).sorted() == numbers)
    }

    @Test func `an exact path matches only itself, and a prefix also matches the paths below it`() {
        let index = index(food)
        #expect(index.matches(.path("food/entries")) == [2])
        #expect(index.matches(.prefix("food/entries")).sorted() == [2, 3])
        #expect(index.matches(.prefix([])).count == food.count)
        #expect(index.matches(.path([])) == [0])
    }

    @Test(arguments: ["**/a/**", "**/a/**/b/**", "a/**/a/**"] as [QueryPattern])
    func `a path that a pattern matches in several ways is found once`(_ pattern: QueryPattern) {
        let index = index(["a/a/a/b/b", "a/a", "a/b/a/b"])
        let found = index.matches(pattern)
        #expect(found.count == Set(found).count)
        #expect(found.contains(0))
    }

    @Test func `elements of different types are different branches`() {
        let index = index([["day", 5], ["day", "5"], ["day", UInt8(5)]])
        #expect(index.matches(["day", 5]) == [0])
        #expect(index.matches("day/5") == [1])
        #expect(index.matches(.path(["day", UInt8(5)])) == [2])
        #expect(index.matches("day/*").sorted() == [0, 1, 2])
    }

    @Test(arguments: 0..<3) func `one of several numbers at a path can be removed`(_ removed: UInt32) {
        var index = index(["a", "a", "a"])
        index.remove(removed)
        #expect(index.matches("a").sorted() == [0, 1, 2].filter { $0 != removed })
        #expect(index.nodeCount == 2)
    }

    @Test func `a path is removed with its last number, unless other paths are below it`() {
        var index = index(["a", "a/b"])
        index.remove(0)
        #expect(index.nodeCount == 3)
        #expect(index.matches("**") == [1])
        index.remove(1)
        #expect(index.nodeCount == 1)
        #expect(index.matches("**") == [])
    }

    @Test(arguments: 0..<3) func `a branch is found while its siblings are added and removed`(_ removed: Int) {
        let names = ["a", "b", "c"]
        var index = index(names.map { [$0] })
        index.remove(UInt32(removed))
        #expect(index.matches("*").sorted() == [0, 1, 2].filter { $0 != UInt32(removed) })
        index.insert(UInt32(removed), at: [names[removed]])
        #expect(index.matches("*").sorted() == [0, 1, 2])
        #expect(index.matches(.path([names[removed]])) == [UInt32(removed)])
    }

    @Test func `removing an absent number changes nothing`() {
        var index = index(["a"])
        index.remove(7)
        index.remove(0)
        index.remove(0)
        index.insert(3, at: "a")
        index.remove(1)
        #expect(index.matches("**") == [3])
    }

    @Test func `a path of 10,000 elements can be added, found and removed`() {
        let path = QueryPath((0..<10_000).map { $0 % 7 })
        var index = index([path])
        #expect(index.nodeCount == 10_001)
        #expect(index.matches(.path(path)) == [0])
        #expect(index.matches(.prefix(path)) == [0])
        #expect(index.matches([.rest, .value(9_999 % 7)]) == [0])
        #expect(index.matches([.rest, 3, .rest, .value(9_999 % 7)]) == [0])
        #expect(index.matches([.rest, 9]) == [])
        index.remove(0)
        #expect(index.nodeCount == 1)
    }

    @Test func `nodes of removed paths are reused`() {
        var index = PathIndex()
        for round in 0..<100 {
            index.insert(0, at: ["a", round, "b"])
            #expect(index.nodeCount == 4)
            #expect(index.matches([.any, .value(round), .any]) == [0])
            index.remove(0)
        }
        #expect(index.nodeCount == 1)
    }

    @Test(arguments: 0..<20) func `random paths are found by exactly the patterns that match them`(_ seed: Int) {
        var dice = Dice(seed: seed)
        var index = PathIndex()
        var model: [UInt32: QueryPath] = [:]
        for _ in 0..<600 {
            let number = UInt32(dice.roll(40))
            if model.removeValue(forKey: number) != nil {
                index.remove(number)
            } else {
                let path = dice.path(upTo: 4)
                index.insert(number, at: path)
                model[number] = path
            }
            let pattern = dice.pattern(upTo: 5)
            #expect(index.matches(pattern).sorted() == model.keys.filter { pattern.matches(model[$0] ?? []) }.sorted(), "\(pattern)")
        }
        for number in model.keys { index.remove(number) }
        #expect(index.nodeCount == 1)
    }

    @Test func `numbers at one path can be removed in any order`() {
        var index = PathIndex()
        for number in 0..<6 { index.insert(UInt32(number), at: "search") }
        for (removed, left) in [(2, [0, 1, 3, 4, 5]), (0, [1, 3, 4, 5]), (5, [1, 3, 4]), (3, [1, 4]), (4, [1]), (1, [])] {
            index.remove(UInt32(removed))
            #expect(index.matches("search").sorted() == left.map { UInt32($0) })
        }
        #expect(index.nodeCount == 1)
    }

    @Test func `a search gives up above its limit of steps, but not at or below it`() {
        var index = PathIndex()
        for number in 0..<100 { index.insert(UInt32(number), at: ["a", number]) }
        #expect(index.matches("a/**", within: 50) == nil)
        #expect(index.matches(["a", 7], within: 50) == [7])
        #expect(index.matches("a/**", within: 1000)?.count == 100)
    }
}

extension Dice {
    /// A path of few different elements, so that random patterns match sometimes.
    mutating func path(upTo count: Int) -> QueryPath {
        QueryPath(elements: (0..<roll(count + 1)).map { _ in element() })
    }

    mutating func pattern(upTo count: Int) -> QueryPattern { QueryPattern(patternElements(upTo: count)) }

    mutating func patternElements(upTo count: Int) -> [QueryPattern.Element] {
        (0..<roll(count + 1)).map { _ in
            switch roll(4) {
            case 0: .any
            case 1: .rest
            default: .element(element())
            }
        }
    }

    private mutating func element() -> QueryPath.Element { pick([.init("a"), .init("b"), .init(5), .init("5")]) }
}
