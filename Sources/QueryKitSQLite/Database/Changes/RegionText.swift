import QueryKit

/// Encodes changes as text for the log.
///
/// The text lists tables and partitions. Details of a table follow as parts of their own, which begin with a character and the number of
/// their format. A process that doesn't know the format ignores these parts, and treats the tables as changed as a whole.
enum RegionText {
    /// The maximum number of row ids in one text.
    private static let rowLimit = 64

    // MARK: Tables and partitions

    static func encode(_ regions: Set<SQLiteRegion>) -> String {
        let parts = regions.map { region in
            guard let table = region.table else { return everything }
            return region.partition.map { "\(table)\(unit)\($0)" } ?? table
        }
        // A name that contains a separator is too rare for an escape rule.
        let isPlain = regions.allSatisfy { region in ![region.table, region.partition].contains { $0.map(isReserved) == true } }
        return isPlain ? parts.sorted().joined(separator: String(record)) : everything
    }

    private static func isReserved(_ name: String) -> Bool {
        name == everything || name.unicodeScalars.contains { $0 == unit || $0 == record || $0 == detail }
    }

    static func decode(_ text: String) -> Set<SQLiteRegion> {
        Set(
            parts(of: text).compactMap { part in
                if part.unicodeScalars.first == detail { return nil }
                if part == everything { return SQLiteRegion.everything }
                guard let cut = part.unicodeScalars.firstIndex(of: unit) else { return SQLiteRegion(table: String(part)) }
                let after = part.unicodeScalars.index(after: cut)
                return SQLiteRegion(table: String(part[..<cut]), partition: String(part[after...]))
            }
        )
    }

    // MARK: Details

    /// The text of a change: its regions, followed by the written rows and the updated columns of each table. If the rows of a table exceed
    /// what is left of the limit for the whole text, they are left out, which means all rows.
    ///
    /// - Parameter regions: The text of the regions.
    static func encode(_ change: SQLiteChangeSet, _ regions: String) -> String {
        // A change of everything has no details.
        if change.tables.isEmpty || regions == everything { return regions }
        // Bytes rather than a string, because each commit waits for this code.
        var text = Array(regions.utf8)
        var rest = rowLimit
        for table in change.tables {
            let rows = table.rows.flatMap { $0.count <= rest ? $0 : nil }
            if rows == nil, table.columns == .all { continue }
            rest -= rows?.count ?? 0
            text.append(UInt8(ascii: record))
            text.append(UInt8(ascii: detail))
            text.append(UInt8(ascii: format))
            text += table.table.utf8
            text.append(UInt8(ascii: unit))
            text += (table.columns == .all ? everything : String(table.columns.bits, radix: 16)).utf8
            text.append(UInt8(ascii: unit))
            guard let rows else {
                text += everything.utf8
                continue
            }
            for (index, row) in rows.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                text += String(row).utf8
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The change that a text describes.
    static func change(_ text: String) -> SQLiteChangeSet {
        let regions = decode(text)
        if regions.contains(.everything) { return SQLiteChangeSet(.otherProcess, [.everything]) }
        return SQLiteChangeSet(.otherProcess, regions, parts(of: text).compactMap(details))
    }

    /// The details in a part of a text; `nil` if it contains none, or if their format is unknown.
    private static func details(in part: Substring) -> TableChange? {
        let scalars = part.unicodeScalars
        guard scalars.first == detail, scalars.dropFirst().first == format else { return nil }
        let fields = scalars.dropFirst(2).split(separator: unit, omittingEmptySubsequences: false).map(String.init)
        guard fields.count == 3 else { return nil }
        guard let columns = fields[1] == everything ? .all : UInt64(fields[1], radix: 16).map(RegionColumns.init(bits:)) else { return nil }
        if fields[2] == everything { return TableChange(fields[0], nil, columns) }
        let rows = fields[2].split(separator: ",").map { Int64($0) }
        return rows.contains(nil) ? nil : TableChange(fields[0], rows.compactMap(\.self), columns)
    }

    private static func parts(of text: String) -> [Substring] {
        text.unicodeScalars.split(separator: record).map(Substring.init)
    }

    private static let everything = "*"
    private static let detail: Unicode.Scalar = "\u{1D}"
    private static let record: Unicode.Scalar = "\u{1E}"
    private static let unit: Unicode.Scalar = "\u{1F}"
    private static let format: Unicode.Scalar = "1"
}
