/// A persistent hash table of numbers: copies share their structure, and a change copies only a few short arrays, however large the table
/// is.
///
/// The numbers refer to objects stored elsewhere. Their owner computes the hashes and compares the objects, as for a ``HashIndex``. The
/// hash, four bits at a time, is the path from the root to the leaf with a number; a leaf that becomes too long is split into a branch.
struct TreeIndex: Sendable {
    fileprivate struct HashedNumber: Sendable {
        let hash: Int
        let number: Int
    }

    fileprivate enum Node: Sendable {
        case leaf([HashedNumber])
        case branch([Node])
    }

    fileprivate static let leafLimit = 16
    /// The maximum number of branches above a leaf, at which all bits of the hash are used.
    fileprivate static let depthLimit = Int.bitWidth / 4

    private var root = Node.leaf([])

    /// The first number with this hash that `matches`.
    func find(_ hash: Int, where matches: (Int) -> Bool) -> Int? { root.find(hash, 0, matches) }

    mutating func insert(_ number: Int, hash: Int) { root.insert(HashedNumber(hash: hash, number: number), 0) }

    /// Removes a number; has no effect if the table doesn't contain it.
    mutating func remove(_ number: Int, hash: Int) { root.remove(number, hash, 0) }
}

extension TreeIndex.Node {
    /// The child of a branch that leads to a hash.
    private static func childIndex(_ hash: Int, _ depth: Int) -> Int { hash >> (4 * depth) & 15 }

    func find(_ hash: Int, _ depth: Int, _ matches: (Int) -> Bool) -> Int? {
        switch self {
        case .leaf(let numbers): numbers.first { $0.hash == hash && matches($0.number) }?.number
        case .branch(let nodes): nodes[Self.childIndex(hash, depth)].find(hash, depth + 1, matches)
        }
    }

    mutating func insert(_ new: TreeIndex.HashedNumber, _ depth: Int) {
        switch self {
        case .leaf(var numbers):
            // Give up the reference to the array first, so that an array which only this table has is changed in place.
            self = .leaf([])
            numbers.append(new)
            guard numbers.count > TreeIndex.leafLimit, depth < TreeIndex.depthLimit else {
                self = .leaf(numbers)
                return
            }
            self = .branch(Array(repeating: .leaf([]), count: 16))
            for number in numbers { insert(number, depth) }
        case .branch(var nodes):
            self = .leaf([])
            nodes[Self.childIndex(new.hash, depth)].insert(new, depth + 1)
            self = .branch(nodes)
        }
    }

    mutating func remove(_ number: Int, _ hash: Int, _ depth: Int) {
        switch self {
        case .leaf(var numbers):
            guard let position = numbers.firstIndex(where: { $0.number == number && $0.hash == hash }) else { return }
            self = .leaf([])
            numbers.remove(at: position)
            self = .leaf(numbers)
        case .branch(var nodes):
            self = .leaf([])
            nodes[Self.childIndex(hash, depth)].remove(number, hash, depth + 1)
            self = .branch(nodes)
        }
    }
}
