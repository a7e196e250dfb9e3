/// The summary of a ``TreeList``'s elements, available without visiting them.
protocol TreeSummary<Element>: Sendable {
    associatedtype Element

    /// The summary of no elements.
    init()

    /// Adds an element. The order of additions makes no difference.
    mutating func add(_ element: Element)

    /// Adds all elements of another summary.
    mutating func add(_ other: Self)
}

/// A persistent list: copies share their structure, and a change at either end copies only a few short arrays, regardless of the length of
/// the list.
///
/// Each element has a number that it keeps while elements are added or removed at the ends. The number, five bits at a time, is the path
/// from the root to the element. All elements have the same depth, the `level` of the root; a list of up to 32 elements is often a single
/// node.
struct TreeList<Element: Sendable, Summary: TreeSummary<Element>>: Sendable {
    /// The numbers of the elements, from the first to the last.
    private(set) var numbers = TreeAddress.middle..<TreeAddress.middle
    private var root = TreeNode<Element, Summary>()
    private(set) var level = 0

    var count: Int { numbers.count }

    var isEmpty: Bool { numbers.isEmpty }

    /// The summary of all elements.
    var summary: Summary { root.summary }

    subscript(number: Int) -> Element {
        precondition(numbers.contains(number), "There is no element \(number) in \(numbers)")
        return root.element(number, level)
    }

    /// Adds an element after the last. Returns its number.
    @discardableResult
    mutating func append(_ element: Element) -> Int { insert(element, numbers.upperBound) }

    /// Adds an element before the first. Returns its number.
    @discardableResult
    mutating func prepend(_ element: Element) -> Int { insert(element, numbers.lowerBound - 1) }

    private mutating func insert(_ element: Element, _ number: Int) -> Int {
        while !isEmpty, TreeAddress.parent(of: number, level) != TreeAddress.parent(of: numbers.lowerBound, level) {
            level += 1
            root = TreeNode(above: root, TreeAddress.childIndex(numbers.lowerBound, level))
        }
        root.insert(element, number, level)
        numbers = min(numbers.lowerBound, number)..<max(numbers.upperBound, number + 1)
        return number
    }

    /// Removes the element at one end.
    mutating func remove(at end: TreeEnd) {
        precondition(!isEmpty, "There is nothing to remove")
        root.remove(end, level)
        while level > 0, let child = root.onlyChild {
            root = child
            level -= 1
        }
        numbers = end == .first ? numbers.dropFirst() : numbers.dropLast()
    }

    /// Replaces an element.
    mutating func replace(_ number: Int, with element: Element) {
        precondition(numbers.contains(number), "There is no element \(number) in \(numbers)")
        root.replace(number, with: element, level)
    }

    /// Replaces the elements for which `change` returns another one. The new element must have the same summary.
    mutating func updateEach(_ change: (Element) throws -> Element?) rethrows { try root.updateEach(change) }

    func visit(_ body: (Element) throws -> Void) rethrows { try root.visit(body) }

    /// Whether two lists have equal elements in the same order. Skips nodes that are shared and have the same position.
    func isEqual(to other: TreeList, by areEqual: (Element, Element) -> Bool) -> Bool {
        if numbers == other.numbers { return root.isEqual(to: other.root, by: areEqual) }
        return count == other.count && zip(numbers, other.numbers).allSatisfy { areEqual(self[$0], other[$1]) }
    }

    /// How many elements are in arrays that two lists share, for tests.
    func sharedCount(with other: TreeList) -> Int {
        let arrays = Set(root.arrays)
        return other.root.arrays.reduce(0) { arrays.contains($1) ? $0 + $1.count : $0 }
    }
}
