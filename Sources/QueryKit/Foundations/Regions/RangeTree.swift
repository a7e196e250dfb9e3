/// Elements by range, which can be searched for overlaps with another range. It is a search tree ordered by lower edges, and each node
/// stores the last upper edge of its subtree.
///
/// Random priorities keep it balanced (a treap), so the time of a search depends on the number of results and the logarithm of the size.
struct RangeTree<Element> {
    typealias Edge = RegionRange.Edge

    private struct Node {
        let lower: Edge
        let upper: Edge
        var element: Element
        let priority: UInt64
        /// The last upper edge in the subtree of this node.
        var last: Edge
        var left = -1
        var right = -1
    }

    private var nodes: [Node] = []
    /// Unused indices in `nodes`.
    private var free: [Int] = []
    private var root = -1
    private var seed: UInt64 = 0

    var isEmpty: Bool { root < 0 }

    /// Changes the element of a range, or adds one.
    ///
    /// - Parameters:
    ///   - initial: The element to begin with if the range has none yet.
    ///   - change: Changes the element, and returns whether to keep it.
    mutating func update(_ range: RegionRange, _ initial: @autoclosure () -> Element, _ change: (inout Element) -> Bool) {
        if let index = index(of: range) {
            if change(&nodes[index].element) { return }
            root = removing(range, from: root)
            if isEmpty { (nodes, free) = ([], []) }
            return
        }
        var element = initial()
        guard change(&element) else { return }
        let node = Node(lower: range.lower, upper: range.upper, element: element, priority: nextPriority(), last: range.upper)
        let index: Int
        if let unused = free.popLast() {
            (index, nodes[unused]) = (unused, node)
        } else {
            index = nodes.count
            nodes.append(node)
        }
        root = inserting(index, into: root)
    }

    /// Calls a closure with each element whose range overlaps the given one.
    func visit(overlapping range: RegionRange, _ body: (Element) -> Void) {
        visit(below: root, from: range.lower, to: range.upper, body)
    }

    /// Calls a closure with each element.
    func visit(_ body: (Element) -> Void) { visit(below: root, body) }

    // MARK: Searching

    private func visit(below index: Int, from lower: Edge, to upper: Edge, _ body: (Element) -> Void) {
        guard index >= 0, lower < nodes[index].last else { return }
        visit(below: nodes[index].left, from: lower, to: upper, body)
        guard nodes[index].lower < upper else { return }
        if lower < nodes[index].upper { body(nodes[index].element) }
        visit(below: nodes[index].right, from: lower, to: upper, body)
    }

    private func visit(below index: Int, _ body: (Element) -> Void) {
        guard index >= 0 else { return }
        visit(below: nodes[index].left, body)
        body(nodes[index].element)
        visit(below: nodes[index].right, body)
    }

    private func isBefore(_ range: RegionRange, _ index: Int) -> Bool {
        let node = nodes[index]
        return range.lower < node.lower || range.lower == node.lower && range.upper < node.upper
    }

    private func isAt(_ range: RegionRange, _ index: Int) -> Bool { range.lower == nodes[index].lower && range.upper == nodes[index].upper }

    private func index(of range: RegionRange) -> Int? {
        var index = root
        while index >= 0 {
            if isAt(range, index) { return index }
            index = isBefore(range, index) ? nodes[index].left : nodes[index].right
        }
        return nil
    }

    // MARK: Balancing

    private mutating func inserting(_ new: Int, into index: Int) -> Int {
        guard index >= 0 else { return new }
        let node = nodes[new]
        let isLeft = node.lower < nodes[index].lower || node.lower == nodes[index].lower && node.upper < nodes[index].upper
        if isLeft {
            nodes[index].left = inserting(new, into: nodes[index].left)
        } else {
            nodes[index].right = inserting(new, into: nodes[index].right)
        }
        let child = isLeft ? nodes[index].left : nodes[index].right
        if nodes[child].priority > nodes[index].priority { return raising(child, over: index) }
        refresh(index)
        return index
    }

    /// Rotates the tree so that a node becomes the parent of its parent. Returns that node.
    private mutating func raising(_ child: Int, over index: Int) -> Int {
        if nodes[index].left == child {
            nodes[index].left = nodes[child].right
            nodes[child].right = index
        } else {
            nodes[index].right = nodes[child].left
            nodes[child].left = index
        }
        refresh(index)
        refresh(child)
        return child
    }

    private mutating func removing(_ range: RegionRange, from index: Int) -> Int {
        guard index >= 0 else { return index }
        if isAt(range, index) {
            free.append(index)
            return joined(nodes[index].left, nodes[index].right)
        }
        if isBefore(range, index) {
            nodes[index].left = removing(range, from: nodes[index].left)
        } else {
            nodes[index].right = removing(range, from: nodes[index].right)
        }
        refresh(index)
        return index
    }

    /// Joins two trees. All nodes of the first must be ordered before those of the second.
    private mutating func joined(_ first: Int, _ second: Int) -> Int {
        if first < 0 { return second }
        if second < 0 { return first }
        if nodes[first].priority > nodes[second].priority {
            nodes[first].right = joined(nodes[first].right, second)
            refresh(first)
            return first
        }
        nodes[second].left = joined(first, nodes[second].left)
        refresh(second)
        return second
    }

    private mutating func refresh(_ index: Int) {
        var last = nodes[index].upper
        for child in [nodes[index].left, nodes[index].right] where child >= 0 { last = max(last, nodes[child].last) }
        nodes[index].last = last
    }

    /// The next number of a fixed pseudorandom sequence (splitmix64).
    private mutating func nextPriority() -> UInt64 {
        seed &+= 0x9E37_79B9_7F4A_7C15
        var value = seed
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
