/// An index of numbers by path, which can be searched by pattern. It is a trie whose nodes are in one array.
///
/// A search by exact path or by prefix takes time proportional to the pattern's length plus the number of matches. If a wildcard precedes a
/// fixed element, that element is looked up once for each branch that the wildcard spans.
struct PathIndex {
    private static let none = UInt32.max
    static let root: UInt32 = 0

    /// The children of a node form a linked list, and so do the numbers at one node.
    private struct Node {
        var element: QueryPath.Element?
        var parent = none
        var firstChild = none
        var nextSibling = none
        var previousSibling = none
        var firstNumber = none
    }

    private struct Link {
        var node = none
        var next = none
        var previous = none
    }

    private var nodes = [Node()]
    private var vacantNodes: [UInt32] = []
    private var edges = HashIndex()
    /// For each number, at the index that equals the number: its node, and its neighbors in the list of that node.
    private var links: [Link] = []

    /// The number of nodes in use, including the root. A leak of nodes would increase it.
    var nodeCount: Int { nodes.count - vacantNodes.count }

    // MARK: Inserting and removing

    mutating func insert(_ number: UInt32, at path: QueryPath) {
        var node = Self.root
        for element in path.elements { node = child(of: node, element) ?? addChild(of: node, element) }
        while links.count <= Int(number) { links.appendSparingly(Link()) }
        let next = nodes[Int(node)].firstNumber
        links[Int(number)] = Link(node: node, next: next)
        if next != Self.none { links[Int(next)].previous = number }
        nodes[Int(node)].firstNumber = number
    }

    mutating func remove(_ number: UInt32) {
        guard number < links.count, links[Int(number)].node != Self.none else { return }
        let node = links[Int(number)].node
        let link = links[Int(number)]
        links[Int(number)] = Link()
        if link.next != Self.none { links[Int(link.next)].previous = link.previous }
        if link.previous != Self.none {
            links[Int(link.previous)].next = link.next
        } else {
            nodes[Int(node)].firstNumber = link.next
        }
        prune(from: node)
        // When a large index has become empty, release its memory.
        if nodeCount == 1, nodes[Int(Self.root)].firstNumber == Self.none, links.count > 1_024 { self = PathIndex() }
    }

    // MARK: Searching

    /// The numbers whose paths match the pattern, each once, in no particular order.
    func matches(_ pattern: QueryPattern) -> [UInt32] { matches(pattern, within: .max) ?? [] }

    /// The numbers whose paths match the pattern, or `nil` if the search takes more than `limit` steps through the trie.
    func matches(_ pattern: QueryPattern, within limit: Int) -> [UInt32]? {
        var steps = 0
        var found: [UInt32] = []
        let elements = pattern.elements
        var open: [Step] = [Step(node: Self.root, position: 0)]
        // A node can be reached twice at the same position only if the pattern has two `**`.
        var seen: Set<Step>? = elements.count(where: { $0 == .rest }) > 1 ? [] : nil
        while let step = open.popLast() {
            steps += 1
            if steps + open.count + found.count > limit { return nil }
            if seen?.insert(step).inserted == false { continue }
            let node = step.node
            guard step.position < elements.count else {
                collect(at: node, into: &found)
                continue
            }
            switch elements[step.position].storage {
            case .literal(let element):
                if let child = child(of: node, element) { open.append(Step(node: child, position: step.position + 1)) }
            case .any:
                forEachChild(of: node) { open.append(Step(node: $0, position: step.position + 1)) }
            case .rest:
                if step.position == elements.count - 1 {
                    collect(at: node, into: &found)
                } else {
                    open.append(Step(node: node, position: step.position + 1))
                }
                forEachChild(of: node) { open.append(Step(node: $0, position: step.position)) }
            }
        }
        return found
    }

    private struct Step: Hashable {
        let node: UInt32
        let position: Int
    }

    private func collect(at node: UInt32, into found: inout [UInt32]) {
        var number = nodes[Int(node)].firstNumber
        while number != Self.none {
            found.append(number)
            number = links[Int(number)].next
        }
    }

    // MARK: Nodes

    private func forEachChild(of node: UInt32, _ body: (UInt32) -> Void) {
        var child = nodes[Int(node)].firstChild
        while child != Self.none {
            body(child)
            child = nodes[Int(child)].nextSibling
        }
    }

    /// The children of a node, at most `limit`.
    func children(of node: UInt32, limit: Int) -> [UInt32] {
        var children: [UInt32] = []
        var child = nodes[Int(node)].firstChild
        while child != Self.none, children.count < limit {
            children.append(child)
            child = nodes[Int(child)].nextSibling
        }
        return children
    }

    func element(of node: UInt32) -> QueryPath.Element? { nodes[Int(node)].element }

    func hasNumbers(at node: UInt32) -> Bool { nodes[Int(node)].firstNumber != Self.none }

    func path(to node: UInt32) -> QueryPath {
        var elements: [QueryPath.Element] = []
        var node = node
        while let element = nodes[Int(node)].element {
            elements.append(element)
            node = nodes[Int(node)].parent
        }
        return QueryPath(elements: elements.reversed())
    }

    private static func hash(_ parent: UInt32, _ element: QueryPath.Element) -> Int {
        var hasher = Hasher()
        hasher.combine(parent)
        hasher.combine(element)
        return hasher.finalize()
    }

    private static func hash(_ node: Node) -> Int {
        guard let element = node.element else { return 0 }
        return hash(node.parent, element)
    }

    func child(of parent: UInt32, _ element: QueryPath.Element) -> UInt32? {
        edges.find(Self.hash(parent, element)) { nodes[Int($0)].parent == parent && nodes[Int($0)].element == element }
    }

    private mutating func addChild(of parent: UInt32, _ element: QueryPath.Element) -> UInt32 {
        let next = nodes[Int(parent)].firstChild
        let node = Node(element: element, parent: parent, nextSibling: next)
        let number: UInt32
        if let vacant = vacantNodes.popLast() {
            number = vacant
            nodes[Int(number)] = node
        } else {
            number = UInt32(nodes.count)
            nodes.appendSparingly(node)
        }
        if next != Self.none { nodes[Int(next)].previousSibling = number }
        nodes[Int(parent)].firstChild = number
        edges.insert(number, hash: Self.hash(node))
        return number
    }

    /// Removes nodes without children and numbers, from a leaf upwards.
    private mutating func prune(from leaf: UInt32) {
        var number = leaf
        while number != Self.root {
            let node = nodes[Int(number)]
            guard node.firstChild == Self.none, node.firstNumber == Self.none else { return }
            edges.remove(number, hash: Self.hash(node))
            if node.nextSibling != Self.none { nodes[Int(node.nextSibling)].previousSibling = node.previousSibling }
            if node.previousSibling != Self.none {
                nodes[Int(node.previousSibling)].nextSibling = node.nextSibling
            } else {
                nodes[Int(node.parent)].firstChild = node.nextSibling
            }
            nodes[Int(number)] = Node()
            vacantNodes.append(number)
            number = node.parent
        }
    }
}
