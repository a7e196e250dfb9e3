/// The end of a list at which elements are added or removed.
enum TreeEnd {
    case first, last
}

/// The path from the root of a ``TreeList`` to an element, encoded in its number: five bits for each level.
enum TreeAddress {
    /// The middle of 2⁶⁰ numbers, and of the node at each level, so that a list can grow at its beginning as well as at its end.
    static let middle = (0..<12).reduce(0) { number, _ in number << 5 | 16 }

    /// The index of the child that leads to a number, in a node at a level.
    static func childIndex(_ number: Int, _ level: Int) -> Int { number >> (5 * level) & 31 }

    /// The parent node at a level that leads to a number.
    static func parent(of number: Int, _ level: Int) -> Int { number >> (5 * (level + 1)) }
}

/// A node of a ``TreeList``: up to 32 elements at level 0, up to 32 nodes at higher levels.
///
/// The children of a node are contiguous: only indices at its beginning and end may be vacant.
struct TreeNode<Element: Sendable, Summary: TreeSummary<Element>>: Sendable {
    private(set) var summary = Summary()
    private var elements: [Element] = []
    private var nodes: [TreeNode] = []
    /// The index of the first child.
    private var firstIndex = 0

    init() {}

    /// A node with one child.
    init(above node: TreeNode, _ index: Int) {
        summary = node.summary
        nodes = [node]
        firstIndex = index
    }

    private var isEmpty: Bool { elements.isEmpty && nodes.isEmpty }

    /// The only child, if there is exactly one.
    var onlyChild: TreeNode? { nodes.count == 1 ? nodes[0] : nil }

    /// The position of a child in its array.
    private func position(_ number: Int, _ level: Int) -> Int { TreeAddress.childIndex(number, level) - firstIndex }

    func element(_ number: Int, _ level: Int) -> Element {
        let position = position(number, level)
        return level == 0 ? elements[position] : nodes[position].element(number, level - 1)
    }

    /// Inserts an element before the first or after the last.
    mutating func insert(_ element: Element, _ number: Int, _ level: Int) {
        if isEmpty { firstIndex = TreeAddress.childIndex(number, level) }
        summary.add(element)
        var position = position(number, level)
        if position < 0 {
            firstIndex -= 1
            position = 0
            if level > 0 { nodes.insert(TreeNode(), at: 0) }
        } else if level > 0, position == nodes.count {
            nodes.append(TreeNode())
        }
        if level == 0 { elements.insert(element, at: position) } else { nodes[position].insert(element, number, level - 1) }
    }

    mutating func remove(_ end: TreeEnd, _ level: Int) {
        let position = end == .first ? 0 : max(elements.count, nodes.count) - 1
        if level == 0 { elements.remove(at: position) } else { nodes[position].remove(end, level - 1) }
        let isGone = level == 0 || nodes[position].isEmpty
        if level > 0, isGone { nodes.remove(at: position) }
        if isGone, end == .first { firstIndex += 1 }
        summarize()
    }

    mutating func replace(_ number: Int, with element: Element, _ level: Int) {
        let position = position(number, level)
        if level == 0 { elements[position] = element } else { nodes[position].replace(number, with: element, level - 1) }
        summarize()
    }

    private mutating func summarize() {
        summary = Summary()
        for element in elements { summary.add(element) }
        for node in nodes { summary.add(node.summary) }
    }

    mutating func updateEach(_ change: (Element) throws -> Element?) rethrows {
        for position in elements.indices {
            if let element = try change(elements[position]) { elements[position] = element }
        }
        for position in nodes.indices { try nodes[position].updateEach(change) }
    }

    func visit(_ body: (Element) throws -> Void) rethrows {
        for element in elements { try body(element) }
        for node in nodes { try node.visit(body) }
    }

    /// Compares nodes whose elements have the same numbers.
    func isEqual(to other: TreeNode, by areEqual: (Element, Element) -> Bool) -> Bool {
        if TreeArray(elements) == TreeArray(other.elements), TreeArray(nodes) == TreeArray(other.nodes) { return true }
        return elements.elementsEqual(other.elements, by: areEqual)
            && nodes.elementsEqual(other.nodes) { $0.isEqual(to: $1, by: areEqual) }
    }

    /// The arrays that contain the elements.
    var arrays: [TreeArray] { nodes.isEmpty ? [TreeArray(elements)] : nodes.flatMap(\.arrays) }
}

/// The identity of an array's storage: copies of an array are the same until one of them changes.
struct TreeArray: Hashable {
    private let address: Int
    let count: Int

    init<Element>(_ array: [Element]) {
        address = array.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) }
        count = array.count
    }
}
