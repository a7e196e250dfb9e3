import TestSupport
import Testing

@testable import QueryKit

struct QueryPatternTests {
    @Test(
        arguments: [
            ("", "", true), ("", "a", false), ("a", "a", true), ("a", "", false), ("a", "a/b", false), ("a/b", "a", false),
            ("a", "ab", false),
            ("*", "", false), ("*", "a", true), ("*", "a/b", false), ("*/b", "a/b", true), ("a/*", "a", false), ("a/*/c", "a/b/c", true),
            ("**", "", true), ("**", "a/b/c", true), ("a/**", "a", true), ("a/**", "a/b/c", true), ("a/**", "b", false),
            ("a/**", "", false),
            ("**/c", "c", true), ("**/c", "a/b/c", true), ("**/c", "c/a", false), ("a/**/c", "a/c", true), ("a/**/c", "a/b/b/c", true),
            ("a/**/c", "a/c/b", false), ("a/**/c", "a", false), ("**/b/**", "a/b/c", true), ("**/b/**", "b", true),
            ("**/b/**", "a/c", false),
            ("**/a/**/b", "a/x/a/b", true), ("**/a/**/b", "b/a", false), ("**/*", "", false), ("*/**/*", "a", false),
            ("*/**/*", "a/b", true),
            ("**/a/b/**/c", "a/x/a/b/a/c", true), ("**/a/*/c", "a/a/b/c", true), (#"a\/b"#, #"a\/b"#, true), (#"a\/b"#, "a/b", false),
        ] as [(QueryPattern, QueryPath, Bool)]
    )
    func `a pattern matches the expected paths`(_ pattern: QueryPattern, _ path: QueryPath, _ matches: Bool) {
        #expect(pattern.matches(path) == matches)
    }

    @Test func `an array literal distinguishes wildcards from strings that look like them`() {
        #expect(QueryPattern(["a", .any, .rest]) == "a/*/**")
        #expect(QueryPattern(["*"]) != "*")
        #expect(QueryPattern(["*"]).matches(["*"]))
        #expect(!QueryPattern(["*"]).matches(["a"]))
        #expect(!QueryPattern(["**"]).matches([]))
    }

    @Test func `a number in a pattern does not match a string`() {
        #expect(QueryPattern(["day", 5]).matches(["day", 5]))
        #expect(!QueryPattern(["day", 5]).matches("day/5"))
        #expect(!QueryPattern("day/5").matches(["day", 5]))
        #expect(QueryPattern(["day", .value(UInt8(5))]).matches(["day", UInt8(5)]))
        #expect(QueryPattern("day/*").matches(["day", 5]))
    }

    @Test func `a pattern made from a path matches only that path, and a prefix pattern also matches the paths below it`() {
        let path: QueryPath = ["*", 5]
        #expect(QueryPattern.path(path).matches(path))
        #expect(!QueryPattern.path(path).matches(["a", 5]))
        #expect(!QueryPattern.path(path).matches(path.appending("x")))
        #expect(QueryPattern.prefix(path).matches(path))
        #expect(QueryPattern.prefix(path).matches(path.appending("x").appending("y")))
        #expect(!QueryPattern.prefix(path).matches(["*"]))
        #expect(QueryPattern.path([]) == "")
        #expect(QueryPattern.prefix([]) == .all)
    }

    @Test(
        arguments: [
            ("**/**", "**"), ("a/**/**/**/b", "a/**/b"), ("**/*", "*/**"), ("**/*/**", "*/**"), ("**/*/*/a", "*/*/**/a"),
            ("a/**/*/**/*", "a/*/*/**"),
        ] as [(QueryPattern, QueryPattern)]
    )
    func `patterns that match the same paths are equal`(_ left: QueryPattern, _ right: QueryPattern) {
        #expect(left == right)
        #expect(left.hashValue == right.hashValue)
        #expect(left.description == right.description)
    }

    @Test func `a pattern's description is the text it was written as`() {
        #expect(QueryPattern("food/*/today/**").description == "food/*/today/**")
        #expect(QueryPattern(["a/b", 5]).description == #"a\/b/5"#)
        #expect(QueryPattern.all.description == "**")
        #expect(QueryPattern("").description == "")
    }

    @Test(arguments: 0..<20) func `random patterns match a reference implementation`(_ seed: Int) {
        var dice = Dice(seed: seed)
        for _ in 0..<500 {
            let elements = dice.patternElements(upTo: 6)
            let path = dice.path(upTo: 6)
            let expected = Self.matches(elements[...], path.elements[...])
            #expect(QueryPattern(elements).matches(path) == expected, "\(QueryPattern(elements)) on \(path)")
        }
    }

    /// The definition as code: `*` matches one element, `**` any number.
    private static func matches(_ pattern: ArraySlice<QueryPattern.Element>, _ path: ArraySlice<QueryPath.Element>) -> Bool {
        guard let first = pattern.first else { return path.isEmpty }
        let others = pattern.dropFirst()
        if first == .rest { return (0...path.count).contains { matches(others, path.dropFirst($0)) } }
        guard let element = path.first, first == .any || first == .element(element) else { return false }
        return matches(others, path.dropFirst())
    }

    @Test func `a pattern with very many wildcards is matched at once`() {
        // Trying every split would take longer than the universe has existed.
        let pattern = QueryPattern((0..<200).flatMap { _ in [.rest, "a"] as [QueryPattern.Element] } + ["b"])
        let path = QueryPath(Array(repeating: "a", count: 2_000))
        #expect(!pattern.matches(path))
        #expect(pattern.matches(path.appending("b")))
        var index = PathIndex()
        index.insert(0, at: path)
        index.insert(1, at: path.appending("b"))
        #expect(index.matches(pattern) == [1])
    }

    @Test func `a path of 10,000 elements is matched`() {
        let path = QueryPath((0..<10_000).map { $0 })
        #expect(QueryPattern.path(path).matches(path))
        #expect(QueryPattern([.rest, 9_999]).matches(path))
        #expect(QueryPattern([0, .rest, 5_000, .rest]).matches(path))
        #expect(!QueryPattern([.rest, 5_000, .rest, 4_999, .rest]).matches(path))
        #expect(QueryPattern(Array(repeating: .any, count: 10_000)).matches(path))
        #expect(!QueryPattern(Array(repeating: .any, count: 9_999)).matches(path))
    }
}
