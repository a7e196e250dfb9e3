/// Elements by range, which can be searched for overlaps with another range: a search tree ordered by lower edges, in which each node
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
    ///   - change: Returns whether to keep the element.
    mutating func update(_ range: RegionRange, _ initial: @autoclosure () -> Element, _ change: (inout Element) -> Bool) {
        if let place = place(of: range) {
            if change(&nodes[place].element) { return }
            root = removing(range, from: root)
            if isEmpty { (nodes, free) = ([], []) }
            return
        }
        var element = initial()
        guard change(&element) else { return }
        let node = Node(lower: range.lower, upper: range.upper, element: element, priority: nextPriority(), last: range.upper)
        let place: Int
        if let unused = free.popLast() {
            (place, nodes[unused]) = (unused, node)
        } else {
            place = nodes.count
            nodes.append(node)
        }
        root = inserting(place, into: root)
    }

    /// Calls a closure with each element whose range overlaps the given one.
    func visit(overlapping range: RegionRange, _ body: (Element) -> Void) {
        visit(below: root, from: range.lower, to: range.upper, body)
    }

    /// Calls a closure with each element.
    func visit(_ body: (Element) -> Void) { visit(below: root, body) }

    // MARK: Searching

    private func visit(below place: Int, from lower: Edge, to upper: Edge, _ body: (Element) -> Void) {
        guard place >= 0, lower < nodes[place].last else { return }
        visit(below: nodes[place].left, from: lower, to: upper, body)
        guard nodes[place].lower < upper else { return }
        if lower < nodes[place].upper { body(nodes[place].element) }
        visit(below: nodes[place].right, from: lower, to: upper, body)
    }

    private func visit(below place: Int, _ body: (Element) -> Void) {
        guard place >= 0 else { return }
        visit(below: nodes[place].left, body)
        body(nodes[place].element)
        visit(below: nodes[place].right, body)
    }

    private func isBefore(_ range: RegionRange, _ place: Int) -> Bool {
        let node = nodes[place]
        return range.lower < node.lower || range.lower == node.lower && range.upper < node.upper
    }

    private func isAt(_ range: RegionRange, _ place: Int) -> Bool { range.lower == nodes[place].lower && range.upper == nodes[place].upper }

    private func place(of range: RegionRange) -> Int? {
        var place = root
        while place >= 0 {
            if isAt(range, place) { return place }
            place = isBefore(range, place) ? nodes[place].left : nodes[place].right
        }
        return nil
    }

    // MARK: Balancing

    private mutating func inserting(_ new: Int, into place: Int) -> Int {
        guard place >= 0 else { return new }
        let node = nodes[new]
        let isLeft = node.lower < nodes[place].lower || node.lower == nodes[place].lower && node.upper < nodes[place].upper
        if isLeft {
            nodes[place].left = inserting(new, into: nodes[place].left)
        } else {
            nodes[place].right = inserting(new, into: nodes[place].right)
        }
        let child = isLeft ? nodes[place].left : nodes[place].right
        if nodes[child].priority > nodes[place].priority { return raising(child, over: place) }
        refresh(place)
        return place
    }

    /// Rotates the tree so that a node becomes the parent of its parent. Returns that node.
    private mutating func raising(_ child: Int, over place: Int) -> Int {
        if nodes[place].left == child {
            nodes[place].left = nodes[child].right
            nodes[child].right = place
        } else {
            nodes[place].right = nodes[child].left
            nodes[child].left = place
        }
        refresh(place)
        refresh(child)
        return child
    }

    private mutating func removing(_ range: RegionRange, from place: Int) -> Int {
        guard place >= 0 else { return place }
        if isAt(range, place) {
            free.append(place)
            return joined(nodes[place].left, nodes[place].right)
        }
        if isBefore(range, place) {
            nodes[place].left = removing(range, from: nodes[place].left)
        } else {
            nodes[place].right = removing(range, from: nodes[place].right)
        }
        refresh(place)
        return place
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

    private mutating func refresh(_ place: Int) {
        var last = nodes[place].upper
        for child in [nodes[place].left, nodes[place].right] where child >= 0 { last = max(last, nodes[child].last) }
        nodes[place].last = last
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
