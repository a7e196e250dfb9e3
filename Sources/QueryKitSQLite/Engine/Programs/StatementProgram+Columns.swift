import QueryKit

extension StatementProgram {
    /// The columns of each table that the program reads, if they are known; `nil` if a tree is unknown.
    ///
    /// If the program opens an index, all its columns count, because the order of its entries may be the order of the result.
    var columns: [String: RegionColumns]? {
        var read: [String: RegionColumns] = [:]
        var unknown: Set<String> = []
        for opening in openings {
            guard let tree = trees[opening.p2] else { return nil }
            if let positions = tree.holdsRows ? columns(ofCursor: opening.p1, in: tree) : tree.columns {
                read[tree.table] = (read[tree.table] ?? .rows).union(RegionColumns(positions))
            } else {
                unknown.insert(tree.table)
            }
        }
        for table in unknown { read[table] = nil }
        return read
    }

    /// The columns that are read through a cursor on a table's rows; `nil` if unknown.
    private func columns(ofCursor cursor: Int, in tree: Tree) -> [Int]? {
        guard let positions = tree.columns else { return nil }
        var read: [Int] = []
        for use in cursors[cursor] ?? [] {
            switch use.operation {
            // A table whose tree has a key of several columns has no row ids.
            case "OpenRead": if use.p4.hasPrefix("k(") { return nil }
            case "Column":
                guard positions.indices.contains(use.p2) else { return nil }
                read.append(positions[use.p2])
            case "Rowid",
                "Rewind", "Last", "Next", "Prev", "SeekRowid", "NotExists", "SeekGE", "SeekGT", "SeekLE", "SeekLT", "DeferredSeek",
                "FinishSeek", "NullRow", "IfNullRow", "Count", "Close":
                break
            default: return nil
            }
        }
        return read
    }
}
