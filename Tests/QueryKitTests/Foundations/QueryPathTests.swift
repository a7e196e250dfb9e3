import Testing

@testable import QueryKit

struct QueryPathTests {
    private enum Meal: Hashable, Sendable { case lunch, dinner }

    private struct Place: Hashable, Sendable, CustomStringConvertible {
        let description: String
    }

    @Test(
        arguments: [
            ("", []), ("food", ["food"]), ("food/entries/today", ["food", "entries", "today"]), ("/food//entries/", ["food", "entries"]),
            ("///", []),
            (#"a\/b/c"#, ["a/b", "c"]), (#"a\\/b"#, [#"a\"#, "b"]), (#"a\b"#, ["ab"]), (#"a\"#, ["a"]), (#"\/"#, ["/"]),
            ("a b/ü", ["a b", "ü"]),
        ] as [(String, [String])]
    )
    func `text is split at unescaped slashes`(_ text: String, _ parts: [String]) {
        let path = QueryPath(stringLiteral: text)
        #expect(path == QueryPath(parts))
        #expect(path.elements.map(\.description) == parts)
    }

    @Test func `an array literal may mix types`() {
        let path: QueryPath = ["food", 5, Meal.lunch]
        #expect(path.count == 3)
        #expect(path.elements == [.init("food"), .init(5), .init(Meal.lunch)])
        #expect(path.description == "food/5/lunch")
    }

    @Test(arguments: [[], ["a"], ["a", "b"], ["a/b", #"c\d"#], [#"\"#, "/", #"\/"#]] as [[String]])
    func `a path of strings can be parsed from its description`(_ parts: [String]) {
        let path = QueryPath(parts)
        #expect(QueryPath(stringLiteral: path.description) == path)
    }

    @Test func `an element whose description contains a slash is one element, and the slash is escaped`() {
        let path: QueryPath = ["at", Place(description: "here/there")]
        #expect(path.count == 2)
        #expect(path.description == #"at/here\/there"#)
        #expect(path != "at/here/there")
    }

    @Test func `equal elements have the same type and the same value`() {
        typealias Element = QueryPath.Element
        #expect(Element("5") != Element(5))
        #expect(Element(5) != Element(UInt8(5)))
        #expect(Element(Int64(5)) != Element(UInt64(5)))
        #expect(Element(Meal.lunch) == Element(Meal.lunch))
        #expect(Element(Meal.lunch) != Element(Meal.dinner))
        #expect(Element(5) == Element(5))
        #expect(Element(UInt8(5)).hashValue == Element(UInt8(5)).hashValue)
        #expect(Set([Element("5"), Element(5), Element(UInt8(5)), Element(5)]).count == 3)
    }

    @Test func `wrapping an element again gives the same element`() {
        let element = QueryPath.Element(Meal.lunch)
        #expect(QueryPath.Element(element) == element)
        #expect(QueryPath([element]) == [Meal.lunch])
    }

    @Test func `a path does not equal its prefix`() {
        #expect(QueryPath(["a"]) != ["a", "b"])
        #expect(QueryPath(["a", "b"]).starts(with: ["a"]))
        #expect(!QueryPath(["a"]).starts(with: ["a", "b"]))
        #expect(!QueryPath(["ab"]).starts(with: ["a"]))
        #expect(QueryPath(["a"]).starts(with: ["a"]))
        #expect(QueryPath(["a"]).starts(with: []))
    }

    @Test func `appending adds one element, or all elements of a path`() {
        let path: QueryPath = "food"
        #expect(path.appending(5) == ["food", 5])
        // A string is one element here, even with slashes.
        #expect(path.appending("a/b") == ["food", "a/b"])
        #expect(path.appending(QueryPath("a/b")) == "food/a/b")
        #expect(path.appending(QueryPath()) == path)
        #expect(path == "food")
    }

    @Test func `the root path is empty`() {
        #expect(QueryPath().isEmpty)
        #expect(QueryPath() == "")
        #expect(QueryPath().description == "")
        #expect(!QueryPath([""]).isEmpty)
    }

    @Test func `equal paths of 10,000 elements have equal hashes`() {
        let left = QueryPath(Array(0..<10_000))
        let right = QueryPath(Array(0..<10_000))
        #expect(left == right)
        #expect(left.hashValue == right.hashValue)
        #expect(left != QueryPath(Array(0..<9_999)))
    }
}
