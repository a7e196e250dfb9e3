/// The number of rows that each page of a database holds, by table, according to <https://www.sqlite.org/fileformat2.html>.
///
/// It reads the bytes of an undamaged file itself, so that it can say what may be missing once a page is lost.
struct PageContents {
    /// A file that doesn't follow the format.
    struct FormatError: Error {
        let page: Int
    }

    /// The number of rows by table.
    private(set) var totals: [String: Int] = [:]
    /// The rows that are lost with a page, by page and table.
    private var lost: [Int: [String: Int]] = [:]
    private let bytes: [UInt8]
    private let size: Int
    private let usable: Int

    init(_ bytes: [UInt8]) throws {
        self.bytes = bytes
        let size = Int(bytes[16]) << 8 | Int(bytes[17])
        self.size = size == 1 ? 65_536 : size
        usable = self.size - Int(bytes[20])
        var tables: [(page: Int, name: String, root: Int)] = []
        _ = try walk(1, of: "sqlite_schema") { page, record in
            guard record[0].text == "table", let root = record[3].number, root > 0 else { return }
            tables.append((page, record[1].text, root))
        }
        for table in tables { totals[table.name] = try walk(table.root, of: table.name) }
        // Without its entry in the schema, a table can't be told from others.
        for table in tables { lost[table.page, default: [:]][table.name] = totals[table.name] }
    }

    var pageCount: Int { bytes.count / size }

    /// The number of rows that must remain of a table when a page is lost.
    func remaining(_ table: String, without page: Int) -> Int { (totals[table] ?? 0) - (lost[page]?[table] ?? 0) }

    /// Whether a page holds rows, or a part of one.
    func holdsRows(_ page: Int) -> Bool { lost[page]?.values.contains { $0 > 0 } ?? false }

    // MARK: Trees

    /// Notes the rows of a tree, and returns their number.
    private mutating func walk(_ page: Int, of table: String, _ visit: (Int, [Field]) -> Void = { _, _ in }) throws -> Int {
        let start = (page - 1) * size
        let header = page == 1 ? start + 100 : start
        guard page > 0, start + size <= bytes.count, let kind = Kind(rawValue: bytes[header]) else { throw FormatError(page: page) }
        var count = 0
        for index in 0..<number(header + 3, 2) {
            var cell = start + number(header + (kind.isLeaf ? 8 : 12) + 2 * index, 2)
            if !kind.isLeaf {
                count += try walk(number(cell, 4), of: table, visit)
                cell += 4
            }
            // The inner pages of a table with row ids contain only row ids.
            if kind == .innerTable { continue }
            let length = varint(&cell)
            if kind == .leafTable { _ = varint(&cell) }
            let local = localLength(length, isTable: kind == .leafTable)
            if kind == .leafTable { visit(page, fields(cell)) }
            if local < length { try noteOverflow(number(cell + local, 4), of: table) }
            lost[page, default: [:]][table, default: 0] += 1
            count += 1
        }
        if !kind.isLeaf { count += try walk(number(header + 8, 4), of: table, visit) }
        // Below an inner page of a table without row ids, nothing shows to which table a page belongs.
        if kind == .innerIndex { lost[page, default: [:]][table] = count }
        return count
    }

    private enum Kind: UInt8 {
        case innerIndex = 2
        case innerTable = 5
        case leafIndex = 10
        case leafTable = 13

        var isLeaf: Bool { rawValue >= 10 }
    }

    /// A row is lost with each page of its overflow.
    private mutating func noteOverflow(_ first: Int, of table: String) throws {
        var page = first
        while page != 0 {
            guard page * size <= bytes.count else { throw FormatError(page: page) }
            lost[page, default: [:]][table, default: 0] += 1
            page = number((page - 1) * size, 4)
        }
    }

    /// How many bytes of a record are in its cell.
    private func localLength(_ length: Int, isTable: Bool) -> Int {
        let most = isTable ? usable - 35 : (usable - 12) * 64 / 255 - 23
        if length <= most { return length }
        let least = (usable - 12) * 32 / 255 - 23
        let local = least + (length - least) % (usable - 4)
        return local <= most ? local : least
    }

    // MARK: Records

    private enum Field {
        case number(Int)
        case text(String)
        case other

        var number: Int? { if case .number(let number) = self { number } else { nil } }
        var text: String { if case .text(let text) = self { text } else { "" } }
    }

    /// The numbers and texts of a record. A text that continues on another page ends at the end of this one.
    private func fields(_ start: Int) -> [Field] {
        var position = start
        let end = start + varint(&position)
        var types: [Int] = []
        while position < end { types.append(varint(&position)) }
        let limit = (start / size + 1) * size
        position = end
        return types.map { type in
            let length = type >= 12 ? (type - 12) / 2 : [0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0][type]
            defer { position += length }
            switch type {
            case 1...6: return .number(number(position, length))
            case 8, 9: return .number(type - 8)
            case 13... where type % 2 == 1:
                return .text(String(decoding: bytes[min(position, limit)..<min(position + length, limit)], as: UTF8.self))
            default: return .other
            }
        }
    }

    private func number(_ offset: Int, _ count: Int) -> Int { bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) } }

    private func varint(_ position: inout Int) -> Int {
        var value: UInt64 = 0
        for index in 0..<9 {
            let byte = UInt64(bytes[position])
            position += 1
            if index == 8 { return Int(truncatingIfNeeded: value << 8 | byte) }
            value = value << 7 | byte & 0x7f
            if byte < 0x80 { break }
        }
        return Int(truncatingIfNeeded: value)
    }
}
