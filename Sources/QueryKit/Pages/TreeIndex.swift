/// A persistent hash table of numbers: copies share their structure, and a change copies only a few short arrays, however large the table
/// is.
///
/// The numbers refer to objects stored elsewhere. Their owner computes the hashes and compares the objects, as for a ``HashIndex``. The
/// hash, four bits at a time, is the path from the root to the leaf with a number; a leaf that becomes too long is split into a branch.
struct TreeIndex: Sendable {
    fileprivate struct Entry: Sendable {
        let hash: Int
        let number: Int
    }

    fileprivate enum Node: Sendable {
        case leaf([Entry])
        case branch([Node])
    }

    fileprivate static let leafLimit = 16
    /// The maximum number of branches above a leaf, at which all bits of the hash are used.
    fileprivate static let depthLimit = Int.bitWidth / 4

    private var root = Node.leaf([])

    /// The first number with this hash that `matches`.
    func find(_ hash: Int, where matches: (Int) -> Bool) -> Int? { root.find(hash, 0, matches) }

    mutating func insert(_ number: Int, hash: Int) { root.insert(Entry(hash: hash, number: number), 0) }

    /// Removes a number; has no effect if the table doesn't contain it.
    mutating func remove(_ number: Int, hash: Int) { root.remove(number, hash, 0) }
}

extension TreeIndex.Node {
    /// The child of a branch that leads to a hash.
    private static func slot(_ hash: Int, _ depth: Int) -> Int { hash >> (4 * depth) & 15 }

    func find(_ hash: Int, _ depth: Int, _ matches: (Int) -> Bool) -> Int? {
        switch self {
        case .leaf(let entries): entries.first { $0.hash == hash && matches($0.number) }?.number
        case .branch(let nodes): nodes[Self.slot(hash, depth)].find(hash, depth + 1, matches)
        }
    }

    mutating func insert(_ entry: TreeIndex.Entry, _ depth: Int) {
        switch self {
        case .leaf(var entries):
            // Give up the reference to the array first, so that an array which only this table has is changed in place.
            self = .leaf([])
            entries.append(entry)
            guard entries.count > TreeIndex.leafLimit, depth < TreeIndex.depthLimit else {
                self = .leaf(entries)
                return
            }
            self = .branch(Array(repeating: .leaf([]), count: 16))
            for entry in entries { insert(entry, depth) }
        case .branch(var nodes):
            self = .leaf([])
            nodes[Self.slot(entry.hash, depth)].insert(entry, depth + 1)
            self = .branch(nodes)
        }
    }

    mutating func remove(_ number: Int, _ hash: Int, _ depth: Int) {
        switch self {
        case .leaf(var entries):
            guard let position = entries.firstIndex(where: { $0.number == number && $0.hash == hash }) else { return }
            self = .leaf([])
            entries.remove(at: position)
            self = .leaf(entries)
        case .branch(var nodes):
            self = .leaf([])
            nodes[Self.slot(hash, depth)].remove(number, hash, depth + 1)
            self = .branch(nodes)
        }
    }
}
