/// The readable pages of a schema with a damaged page. SQLite reads a schema only up to the damage.
struct SchemaPages {
    /// The leaves of the schema with the largest row id of each, in order.
    private let leaves: [(page: Int, last: Int64)]
    private let size: Int
    private let usable: Int

    /// - Parameter file: A copy of the damaged file, after its log was written back.
    /// - Returns: `nil` if no leaf can be read, or if it is uncertain which pages are leaves of the schema.
    init?(_ file: DamagedFile) {
        guard let pages = PageReader(file) else { return nil }
        (size, usable) = (pages.size, pages.usable)
        let below = pages.children(of: 1)
        // The first page lists the leaves of the schema. Without it, each leaf of any table may be a leaf of the schema.
        let candidates = below.isEmpty ? Array(2...max(2, pages.count)) : below
        var leaves: [(page: Int, numbers: ClosedRange<Int64>)] = []
        for page in candidates where (2...max(2, pages.count)).contains(page) && pages.kind(page) == .tableLeaf {
            let numbers = pages.cells(of: page).map { cell in pages.record(at: cell, on: page).flatMap(Self.number) }
            guard let first = numbers.first ?? nil, let last = numbers.last ?? nil, !numbers.contains(nil), first <= last else { continue }
            leaves.append((page, first...last))
        }
        leaves.sort { $0.numbers.lowerBound < $1.numbers.lowerBound }
        // A free page may still contain an older version of a leaf.
        let isCertain = zip(leaves, leaves.dropFirst()).allSatisfy { $0.numbers.upperBound < $1.numbers.lowerBound }
        guard !leaves.isEmpty, isCertain else { return nil }
        self.leaves = leaves.map { ($0.page, $0.numbers.upperBound) }
    }

    /// The row id of an entry of the schema; `nil` for another record.
    private static func number(of record: PageReader.Record) -> Int64? {
        guard record.types.count == 5, let values = record.values, case .text(let type) = values[0], case .integer = values[3] else {
            return nil
        }
        return ["table", "index", "trigger", "view"].contains(type) ? record.number : nil
    }

    /// The first page after its header, referring to the readable leaves ("B-tree Pages"); `nil` if there are too many leaves.
    var firstPage: [UInt8]? {
        guard let rightmost = leaves.last else { return nil }
        let (start, pointers) = (FileHeader.count, FileHeader.count + 12)
        var page = [UInt8](repeating: 0, count: size)
        var content = usable
        for (index, leaf) in leaves.dropLast().enumerated() {
            let cell = Self.bytes(leaf.page, 4) + Self.varint(leaf.last)
            content -= cell.count
            guard content >= pointers + 2 * leaves.count else { return nil }
            page.replaceSubrange(content..<content + cell.count, with: cell)
            page.replaceSubrange(pointers + 2 * index..<pointers + 2 * index + 2, with: Self.bytes(content, 2))
        }
        let header = [5, 0, 0] + Self.bytes(leaves.count - 1, 2) + Self.bytes(content, 2) + [0] + Self.bytes(rightmost.page, 4)
        page.replaceSubrange(start..<pointers, with: header)
        return Array(page[start...])
    }

    private static func bytes(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    /// A number of up to eight groups of seven bits, which is enough for the row ids of a schema.
    private static func varint(_ number: Int64) -> [UInt8] {
        var groups: [UInt8] = []
        var rest = UInt64(bitPattern: number)
        repeat {
            groups.append(UInt8(rest & 0x7f) | (groups.isEmpty ? 0 : 0x80))
            rest >>= 7
        } while rest > 0
        return groups.reversed()
    }
}
