/// The changes by pattern that caches may not have received yet, with the number of the latest one for each pattern. A pure value.
///
/// A change of everything below a path replaces earlier changes of the same kind whose patterns begin with this path.
struct PatternHistory {
    /// The maximum number of patterns of each kind. Beyond it, all values count as invalidated, and the oldest removals are forgotten:
    /// if they were combined into a removal of everything, caches would lose values that were never removed.
    static let limit = 10_000

    private var invalidated = PatternTree()
    private var removed = PatternTree()
    /// How many removals were forgotten. The values that they concern still count as invalidated.
    private(set) var forgottenCount = 0

    /// Adds a change. Its number must be higher than those of all earlier changes.
    mutating func insert(_ change: PatternChange, _ number: ChangeNumber) {
        switch change {
        case .invalidated(let pattern):
            invalidated.insert(pattern, number)
            if invalidated.count > Self.limit { invalidated.insert(.all, number) }
        case .removed(let pattern):
            removed.insert(pattern, number)
            guard removed.count > Self.limit else { return }
            forgottenCount += removed.forgetOldest(Self.limit / 10)
            invalidated.insert(.all, number)
        }
    }

    /// Removes a change that was carried out.
    mutating func remove(_ change: PatternChange) {
        switch change {
        case .invalidated(let pattern): invalidated.remove(pattern)
        case .removed(let pattern): removed.remove(pattern)
        }
    }

    func contains(_ change: PatternChange) -> Bool {
        switch change {
        case .invalidated(let pattern): invalidated.contains(pattern)
        case .removed(let pattern): removed.contains(pattern)
        }
    }

    /// All changes, the oldest first.
    var changes: [PatternChange] {
        let all = invalidated.all.map { (PatternChange.invalidated($0), $1) } + removed.all.map { (PatternChange.removed($0), $1) }
        return all.sorted { $0.1 < $1.1 }.map(\.0)
    }

    /// Whether later changes than `number` have invalidated or removed what a closure recognizes by its patterns.
    func changes(since number: ChangeNumber, where matches: (QueryPattern) -> Bool) -> (isInvalidated: Bool, isRemoved: Bool) {
        (invalidated.contains(since: number, where: matches), removed.contains(since: number, where: matches))
    }
}

/// Patterns with the numbers of their latest changes, as a tree of their elements.
private struct PatternTree {
    private typealias Elements = ArraySlice<QueryPattern.Element>

    private struct Node {
        var children: [QueryPattern.Element: Node] = [:]
        /// The number of the pattern that ends here, if there is one.
        var number: ChangeNumber?
        /// The highest number here and below.
        var latest = ChangeNumber.none

        /// Returns by how much the number of patterns changes.
        mutating func insert(_ elements: Elements, _ new: ChangeNumber) -> Int {
            latest = new
            guard let first = elements.first else {
                defer { number = new }
                return number == nil ? 1 : 0
            }
            guard first == .rest, elements.count == 1 else { return children[first, default: Node()].insert(elements.dropFirst(), new) }
            let covered = count
            self = Node(children: [.rest: Node(number: new, latest: new)], latest: new)
            return 1 - covered
        }

        /// Returns whether there was such a pattern.
        mutating func remove(_ elements: Elements) -> Bool {
            guard let first = elements.first else { return number.take() != nil }
            guard let wasThere = children[first]?.remove(elements.dropFirst()) else { return false }
            if let child = children[first], child.number == nil, child.children.isEmpty { children[first] = nil }
            return wasThere
        }

        func visit(after elements: Elements, since past: ChangeNumber, _ body: (Elements, ChangeNumber) -> Bool) -> Bool {
            if let number, number > past, body(elements, number) { return true }
            return children.contains { $1.latest > past && $1.visit(after: elements + [$0], since: past, body) }
        }

        private var count: Int { children.values.reduce(number == nil ? 0 : 1) { $0 + $1.count } }
    }

    private var root = Node()
    private(set) var count = 0

    mutating func insert(_ pattern: QueryPattern, _ number: ChangeNumber) { count += root.insert(pattern.elements[...], number) }

    mutating func remove(_ pattern: QueryPattern) {
        if root.remove(pattern.elements[...]) { count -= 1 }
    }

    func contains(_ pattern: QueryPattern) -> Bool {
        var node: Node? = root
        for element in pattern.elements { node = node?.children[element] }
        return node?.number != nil
    }

    func contains(since number: ChangeNumber, where matches: (QueryPattern) -> Bool) -> Bool {
        root.visit(after: [], since: number) { elements, _ in matches(QueryPattern(Array(elements))) }
    }

    var all: [(QueryPattern, ChangeNumber)] {
        var all: [(QueryPattern, ChangeNumber)] = []
        _ = root.visit(after: [], since: .none) { elements, number in
            all.append((QueryPattern(Array(elements)), number))
            return false
        }
        return all
    }

    /// Removes the oldest patterns. Returns how many were removed.
    mutating func forgetOldest(_ forgotten: Int) -> Int {
        let all = all.sorted { $0.1 < $1.1 }
        self = PatternTree()
        for (pattern, number) in all.dropFirst(forgotten) { insert(pattern, number) }
        return all.count - count
    }
}
