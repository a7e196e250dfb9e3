import Foundation

/// Finds the rows of a table on pages that are no longer reachable, because the page above them is damaged.
///
/// It reads the file page by page ("B-tree Pages" and "Record Format" in SQLite's documentation). A page counts only if it is a leaf of a
/// table, is neither reachable nor free, and each of its records has the columns of that table: deleted rows must not be restored.
struct PageCarver {
    /// A stored row: its row id, and the values of its columns.
    typealias Row = (number: Int64, values: [SQLiteValue])

    private let pages: PageReader
    /// The leaf pages of tables that are not reachable.
    private let orphans: [Int]

    /// - Parameters:
    ///   - file: The copy of the damaged file, after its log was written back.
    ///   - roots: The root page of each table and index.
    /// - Returns: `nil` if the free pages can't be determined.
    init?(_ file: DamagedFile, roots: [Int]) {
        guard let pages = PageReader(file), let free = pages.freePages() else { return nil }
        self.pages = pages
        var seen = free
        for root in roots { pages.visit(root, &seen) }
        orphans = (2...max(2, pages.count)).filter { !seen.contains($0) && pages.kind($0) == .tableLeaf }
    }

    /// The rows on orphaned pages whose records all fit.
    ///
    /// - Parameter fits: Returns whether a record with these column types, in SQLite's encoding, can belong to the table.
    func rows(where fits: ([Int64]) -> Bool) -> [Row] {
        orphans.flatMap { page -> [Row] in
            var rows: [Row] = []
            for cell in pages.cells(of: page) {
                guard let record = pages.record(at: cell, on: page), fits(record.types) else { return [] }
                // A record with a missing overflow page is lost.
                if let values = record.values { rows.append((record.number, values)) }
            }
            return rows
        }
    }
}

/// The readable pages of a file. No value in them is trusted.
struct PageReader {
    enum Kind {
        case tableLeaf, tableInner, indexLeaf, indexInner
    }

    /// A record; without values if they can't be read.
    struct Record {
        let number: Int64
        let types: [Int64]
        let values: [SQLiteValue]?
    }

    let count: Int
    private let file: DamagedFile
    let size: Int
    let usable: Int

    init?(_ file: DamagedFile) {
        let head = file.bytes(FileHeader.count, at: 0)
        let number = Int(head[16]) << 8 | Int(head[17])
        size = number == 1 ? 65_536 : number
        usable = size - Int(head[20])
        // Supports only the text encoding UTF-8.
        guard size >= 512, size & (size - 1) == 0, usable >= 480, head[59] == 1 else { return nil }
        self.file = file
        count = file.size / size
    }

    private func bytes(_ page: Int) -> [UInt8] { file.bytes(size, at: Int64(page - 1) * Int64(size)) }

    private func head(_ page: Int) -> Int { page == 1 ? FileHeader.count : 0 }

    func kind(_ page: Int) -> Kind? { kind(bytes(page), page) }

    private func kind(_ bytes: [UInt8], _ page: Int) -> Kind? {
        switch bytes[head(page)] {
        case 13: .tableLeaf
        case 5: .tableInner
        case 10: .indexLeaf
        case 2: .indexInner
        default: nil
        }
    }

    /// The free pages; `nil` if the list of free pages is damaged.
    func freePages() -> Set<Int>? {
        let head = file.bytes(FileHeader.count, at: 0)
        var (trunk, wanted) = (head.number(32, 4), head.number(36, 4))
        var free: Set<Int> = []
        while trunk != 0 {
            guard (2...max(2, count)).contains(trunk), free.insert(trunk).inserted else { return nil }
            let page = bytes(trunk)
            let leaves = page.number(4, 4)
            guard leaves <= usable / 4 - 2 else { return nil }
            for index in 0..<leaves { free.insert(page.number(8 + 4 * index, 4)) }
            trunk = page.number(0, 4)
        }
        wanted -= free.count
        return wanted == 0 ? free : nil
    }

    /// The maximum number of levels: no tree of SQLite has more.
    private static let depth = 20

    /// Adds all pages of a tree.
    func visit(_ page: Int, _ seen: inout Set<Int>, level: Int = 0) {
        guard (1...max(1, count)).contains(page), level <= Self.depth, seen.insert(page).inserted else { return }
        let bytes = bytes(page)
        guard let kind = kind(bytes, page), kind == .tableInner || kind == .indexInner else { return }
        for cell in cells(bytes, page) where cell + 4 <= size { visit(bytes.number(cell, 4), &seen, level: level + 1) }
        visit(bytes.number(head(page) + 8, 4), &seen, level: level + 1)
    }

    /// The pages directly below a page, in order.
    func children(of page: Int) -> [Int] {
        let bytes = bytes(page)
        guard let kind = kind(bytes, page), kind == .tableInner || kind == .indexInner else { return [] }
        return cells(bytes, page).map { bytes.number($0, 4) } + [bytes.number(head(page) + 8, 4)]
    }

    /// The offsets of a page's cells.
    func cells(of page: Int) -> [Int] { cells(bytes(page), page) }

    private func cells(_ bytes: [UInt8], _ page: Int) -> [Int] {
        let inner = bytes[head(page)] == 5 || bytes[head(page)] == 2
        let start = head(page) + (inner ? 12 : 8)
        let count = bytes.number(head(page) + 3, 2)
        guard start + 2 * count <= size else { return [] }
        return (0..<count).map { bytes.number(start + 2 * $0, 2) }
    }

    /// The record of a cell; `nil` if the cell is invalid.
    func record(at cell: Int, on page: Int) -> Record? {
        let bytes = bytes(page)
        var offset = cell
        guard let length = bytes.varint(&offset), let number = bytes.varint(&offset), length > 0, length < 1 << 30 else { return nil }
        let payload = payload(Int(length), bytes, offset)
        var end = 0
        guard let headerLength = payload.bytes.varint(&end), headerLength <= payload.bytes.count else { return nil }
        var types: [Int64] = []
        while end < headerLength {
            guard let type = payload.bytes.varint(&end), type >= 0, type != 10, type != 11 else { return nil }
            types.append(type)
        }
        guard end == Int(headerLength) else { return nil }
        return Record(number: number, types: types, values: payload.isWhole ? values(types, payload.bytes, end) : nil)
    }

    /// The bytes of a record on its page and on its overflow pages ("Cell Payload Overflow Pages").
    private func payload(_ length: Int, _ bytes: [UInt8], _ offset: Int) -> (bytes: [UInt8], isWhole: Bool) {
        let most = usable - 35
        if length <= most { return (Array(bytes[min(offset, size)..<min(offset + length, size)]), offset + length <= usable) }
        let least = (usable - 12) * 32 / 255 - 23
        let rest = least + (length - least) % (usable - 4)
        let local = rest <= most ? rest : least
        guard offset + local + 4 <= size else { return ([], false) }
        var payload = Array(bytes[offset..<offset + local])
        var next = bytes.number(offset + local, 4)
        var pagesLeft = count
        while payload.count < length {
            // A chain that is longer than the file contains a cycle.
            guard (2...max(2, count)).contains(next), pagesLeft > 0 else { return (payload, false) }
            pagesLeft -= 1
            let page = self.bytes(next)
            payload += page[4..<4 + min(usable - 4, length - payload.count)]
            next = page.number(0, 4)
        }
        return (payload, next == 0)
    }

    private func values(_ types: [Int64], _ bytes: [UInt8], _ start: Int) -> [SQLiteValue]? {
        var offset = start
        var values: [SQLiteValue] = []
        for type in types {
            let length = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0][safe: type] ?? Int((type - 12) / 2)
            guard offset + length <= bytes.count else { return nil }
            let part = bytes[offset..<offset + length]
            offset += length
            switch type {
            case 0: values.append(.null)
            case 1...6:
                let bits = part.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                let shift = UInt64(64 - 8 * length)
                values.append(.integer(Int64(bitPattern: bits << shift) >> Int64(shift)))
            case 7: values.append(.real(Double(bitPattern: part.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })))
            case 8, 9: values.append(.integer(type - 8))
            default: values.append(type % 2 == 1 ? .text(String(decoding: part, as: UTF8.self)) : .blob(.init(part)))
            }
        }
        return values
    }
}

extension [Int] {
    fileprivate subscript(safe index: Int64) -> Int? { index >= 0 && index < count ? self[Int(index)] : nil }
}

extension [UInt8] {
    /// A big-endian number.
    fileprivate func number(_ offset: Int, _ length: Int) -> Int {
        offset + length <= count ? self[offset..<offset + length].reduce(0) { $0 << 8 | Int($1) } : 0
    }

    /// A variable-length number of one to nine bytes; `nil` beyond the end.
    fileprivate func varint(_ offset: inout Int) -> Int64? {
        var bits: UInt64 = 0
        for index in 0..<9 {
            guard offset >= 0, offset < count else { return nil }
            let byte = self[offset]
            offset += 1
            if index == 8 { return Int64(bitPattern: bits << 8 | UInt64(byte)) }
            bits = bits << 7 | UInt64(byte & 0x7f)
            if byte & 0x80 == 0 { break }
        }
        return Int64(bitPattern: bits)
    }
}
