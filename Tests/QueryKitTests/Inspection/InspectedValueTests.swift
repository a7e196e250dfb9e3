import Testing

@testable import QueryKit

struct InspectedValueTests {
    private struct Meal {
        let name: String
        let grams: [Int]
        let note: String?
    }

    private final class Cycle {
        var next: Cycle?
        let number = 1
    }

    private enum Shape {
        case dot
        case circle(radius: Int)
    }

    /// A list that counts how many of its elements were described.
    private struct Counted: CustomStringConvertible {
        final class Count { var value = 0 }
        let count: Count
        var description: String {
            count.value += 1
            return "element"
        }
    }

    @Test func `the text of a value is what print shows, without type names of optionals`() {
        #expect(
            InspectedValue(of: Meal(name: "oats", grams: [40, 2], note: nil), limit: 1_000).text
                == "Meal(name: \"oats\", grams: [40, 2], note: nil)"
        )
        #expect(InspectedValue(of: ["a": 1], limit: 100).text == "[\"a\": 1]")
        #expect(InspectedValue(of: [String: Int](), limit: 100).text == "[:]")
        #expect(InspectedValue(of: Shape.circle(radius: 2), limit: 100).text == "circle(radius: 2)")
        #expect(InspectedValue(of: Shape.dot, limit: 100).text == "dot")
        #expect(InspectedValue(of: Optional("x"), limit: 100).text == "x")
        #expect(InspectedValue(of: (1, b: "c"), limit: 100).text == "(1, b: \"c\")")
        #expect(InspectedValue(of: 1.5, limit: 100).text == "1.5")
    }

    @Test func `a long text is cut off, and elements beyond the limit are not described`() {
        let count = Counted.Count()
        let long = InspectedValue(of: Array(repeating: Counted(count: count), count: 100_000), limit: 100)
        #expect(long.text.count == 100)
        #expect(long.isTruncated)
        #expect(count.value < 2_000)
        #expect(!InspectedValue(of: "abc", limit: 3).isTruncated)
        #expect(InspectedValue(of: "abcd", limit: 3).text == "abc")
        #expect(InspectedValue(of: "abcd", limit: -1).text == "")
    }

    @Test func `the tree has at most 1,000 nodes and 6 levels, and says what it leaves out`() {
        func size(_ node: InspectedValue.Node) -> Int { node.children.reduce(1) { $0 + size($1) } }
        func depth(_ node: InspectedValue.Node) -> Int { (node.children.map(depth).max() ?? 0) + 1 }
        let wide = InspectedValue(of: Array(0..<5_000), limit: 10).tree
        #expect(size(wide) == 1_001)
        #expect(wide.children.last == InspectedValue.Node(label: "…", text: "4001 more", children: []))
        #expect(wide.text == "5000 elements")
        let cycle = Cycle()
        cycle.next = cycle
        let deep = InspectedValue(of: cycle, limit: 50)
        cycle.next = nil
        #expect(depth(deep.tree) == 7)
        #expect(deep.text.count == 50)
    }

    @Test func `the nodes of a tree are properties, elements and entries`() {
        let tree = InspectedValue(of: ["day": Meal(name: "oats", grams: [40], note: "warm")], limit: 10).tree
        let entry = tree.children[0]
        #expect(entry.label == "day")
        #expect(entry.text == "Meal")
        #expect(entry.children.map(\.label) == ["name", "grams", "note"])
        #expect(entry.children.map(\.text) == ["oats", "1 elements", "warm"])
        #expect(entry.children[1].children == [InspectedValue.Node(label: "0", text: "40", children: [])])
    }
}
