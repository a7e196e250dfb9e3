import CSQLite
import Dispatch

/// Copies the readable rows of one table out of a damaged database.
///
/// It scans forward until an error, and then from the end backward until an error. In between, it searches for rows behind the damage by
/// key, with increasing distance.
final class TableSalvage {
    /// How long to search for readable rows behind damage, in nanoseconds.
    private static let timeLimit: UInt64 = 5_000_000_000

    private let table: String
    private let source: Connection
    private let target: Connection
    private let shape: SalvageShape
    private let insertion: Statement
    /// Used if a constraint refuses the default values for lost columns: it inserts 1 instead of 0.
    private let secondInsertion: Statement?
    private(set) var rows = 0
    /// Whether all rows could be read and written.
    private(set) var isComplete = true
    /// Whether the damaged table has columns that the new table lacks.
    var losesColumns: Bool { shape.losesColumns }
    /// Whether NOT NULL columns are missing in the damaged table.
    var lacksColumns: Bool { !shape.substitutes.isEmpty }
    /// Whether any row was read.
    private(set) var hasRead = false
    /// The number of texts that were not valid UTF-8.
    private(set) var mendedTexts = 0

    /// - Returns: `nil` if the two tables have no column in common.
    init?(_ table: String, from source: Connection, to target: Connection) throws {
        guard let shape = try SalvageShape(table, source, target) else { return nil }
        self.table = table
        self.source = source
        self.target = target
        self.shape = shape
        let name = target.quoted(table)
        let insert = { (substitute: KeyPath<SalvageShape.Substitute, String>) throws -> Statement in
            let columns = (shape.written + shape.substitutes.map(\.column)).joined(separator: ", ")
            let values = (repeatElement("?", count: shape.written.count) + shape.substitutes.map { $0[keyPath: substitute] })
            return try target.prepare(
                "INSERT OR IGNORE INTO main.\(name) (\(columns)) VALUES (\(values.joined(separator: ", ")))",
                for: .engine
            )
        }
        insertion = try insert(\.value)
        secondInsertion = shape.substitutes.isEmpty ? nil : try insert(\.second)
    }

    func copy() throws {
        switch shape.key {
        case .rowID: try copyByRowID()
        case .columns(let forward, let backward):
            if try scan("ORDER BY \(forward)") { return }
            isComplete = false
            _ = try scan("ORDER BY \(backward)")
        }
    }

    // MARK: By row number

    private struct ScanResult {
        /// The last key that was read.
        var last: Int64?
        /// Whether the scan ended without an error.
        var isWhole: Bool
    }

    private func copyByRowID() throws {
        let forward = try scan(.min ... .max, isForward: true)
        if forward.isWhole { return }
        isComplete = false
        guard var low = forward.last == .max ? nil : forward.last.map({ $0 + 1 }) ?? .min else { return }
        let backward = try scan(low ... .max, isForward: false)
        if backward.isWhole { return }
        guard let high = backward.last == .min ? nil : backward.last.map({ $0 - 1 }) ?? .max else { return }
        let deadline = DispatchTime.now().uptimeNanoseconds + Self.timeLimit
        // If no row was read, the keys probably begin at 1.
        if low == .min, high > 0 { low = 0 }
        while low <= high, let next = try skipDamage(in: low...high, until: deadline) { low = next }
    }

    /// Searches for the next row behind the damage, and copies the rows from there. Returns the first key after them; `nil` if there are no
    /// more.
    private func skipDamage(in gap: ClosedRange<Int64>, until deadline: UInt64) throws -> Int64? {
        var step: Int64 = 1
        while DispatchTime.now().uptimeNanoseconds < deadline {
            let (start, isTooFar) = gap.lowerBound.addingReportingOverflow(step)
            guard !isTooFar, start <= gap.upperBound else { return nil }
            let behind = try scan(start...gap.upperBound, isForward: true)
            if behind.last != nil || behind.isWhole {
                // The keys that the search has skipped.
                _ = try scan(gap.lowerBound...(start - 1), isForward: false)
                guard !behind.isWhole, let last = behind.last, last < .max else { return nil }
                return last + 1
            }
            let (further, isTooLong) = step.multipliedReportingOverflow(by: 2)
            guard !isTooLong else { return nil }
            step = further
        }
        return nil
    }

    private func scan(_ keys: ClosedRange<Int64>, isForward: Bool) throws -> ScanResult {
        var result = ScanResult(last: nil, isWhole: true)
        let order = isForward ? "ASC" : "DESC"
        result.isWhole = try scan(
            "WHERE \(shape.rowID) BETWEEN ? AND ? ORDER BY \(shape.rowID) \(order)",
            [.integer(keys.lowerBound), .integer(keys.upperBound)]
        ) { statement in
            let key = sqlite3_column_int64(statement.handle, 0)
            // If a page is in the place of another one, it may yield wrong keys, possibly the same ones endlessly.
            if let last = result.last, isForward ? key <= last : key >= last { return false }
            guard keys.contains(key) else { return false }
            result.last = key
            return true
        }
        return result
    }

    // MARK: Rows

    /// Copies the rows of a statement. Returns false if it ended with an error or with an impossible row.
    private func scan(_ condition: String, _ values: [SQLiteValue] = [], _ isPossible: (Statement) -> Bool = { _ in true }) throws -> Bool {
        let columns = ([shape.rowID] + shape.read).joined(separator: ", ")
        // Don't use an index, which may be damaged in other places.
        let text = "SELECT \(columns) FROM main.\(source.quoted(table)) NOT INDEXED \(condition)"
        guard let statement = try? source.prepare(text, for: .engine), (try? statement.bind(values)) != nil else { return false }
        while true {
            do {
                guard try statement.step() else { return true }
            } catch {
                return false
            }
            guard isPossible(statement) else { return false }
            hasRead = true
            try write(statement)
        }
    }

    private func write(_ statement: Statement) throws {
        try bind(statement, to: insertion)
        var isWritten = try insert(insertion)
        if !isWritten, let secondInsertion {
            try bind(statement, to: secondInsertion)
            isWritten = try insert(secondInsertion)
        }
        if isWritten {
            rows += 1
        } else {
            // A row with this key exists already, or a constraint of the schema is violated: the row has been damaged.
            isComplete = false
        }
    }

    private func bind(_ statement: Statement, to insertion: Statement) throws {
        for index in shape.written.indices {
            guard let value = sqlite3_column_value(statement.handle, Int32(truncatingIfNeeded: index + shape.offset)) else { continue }
            let parameter = Int32(truncatingIfNeeded: index + 1)
            if let text = mendedText(value) {
                if insertion === self.insertion { mendedTexts += 1 }
                try insertion.bind(.text(text), parameter)
            } else {
                sqlite3_bind_value(insertion.handle, parameter, value)
            }
        }
    }

    private func insert(_ insertion: Statement) throws -> Bool {
        defer { insertion.reset() }
        do {
            while try insertion.step() {}
            return target.changes == 1
        } catch {
            let error = error as SQLiteError
            guard [.constraint, .mismatch, .tooBig].contains(error.code) else { throw error }
            return false
        }
    }
}

/// What two tables with the same name have in common.
struct SalvageShape {
    enum Key {
        case rowID
        /// The columns of the key, as ORDER BY terms forward and backward.
        case columns(forward: String, backward: String)
    }

    /// A NOT NULL column that is not read, and its substitute values.
    struct Substitute {
        let column: String
        let value: String
        let second: String
    }

    let key: Key
    let substitutes: [Substitute]
    /// The name of the row id in the source, or a constant.
    let rowID: String
    /// Quoted column names: those that are read after the row id (`read`), and those that are written (`written`).
    let read: [String]
    let written: [String]
    /// The index of the first read column that is written.
    let offset: Int
    /// Whether there are columns that are not read.
    let losesColumns: Bool

    init?(_ table: String, _ source: Connection, _ target: Connection) throws {
        let there = (try? source.columns(of: table)) ?? []
        let here = try target.columns(of: table)
        let common = here.filter { column in there.contains { $0.name.lowercased() == column.name.lowercased() } }
        guard !common.isEmpty else { return nil }
        losesColumns = common.count < there.count
        let needed = try target.rows(
            "SELECT name, upper(type) FROM pragma_table_xinfo(?) WHERE hidden = 0 AND \"notnull\" AND dflt_value IS NULL AND pk = 0",
            [.text(table)]
        ) { (name: try $0[0] as String, type: try $0[1] as String) }
        substitutes = needed.filter { column in !there.contains { $0.name.lowercased() == column.name.lowercased() } }.map { column in
            let isNumber = ["INT", "REAL", "NUM", "FLOA", "DOUB"].contains { column.type.contains($0) }
            let empty = column.type == "BLOB" ? "x''" : "''"
            return Substitute(column: target.quoted(column.name), value: isNumber ? "0" : empty, second: isNumber ? "1" : empty)
        }
        read = common.map { source.quoted($0.name) }
        let names = there.map { $0.name.lowercased() }
        let alias = ["rowid", "_rowid_", "oid"].first { !names.contains($0) }
        if (try? source.isWithoutRowID(table)) == false, let alias {
            key = .rowID
            rowID = alias
        } else {
            let columns = (try? source.keyColumns(of: table)) ?? []
            let order = { (flip: Bool) in
                columns.map {
                    "\(source.quoted($0.name)) COLLATE \(source.quoted($0.collation)) \($0.isDescending != flip ? "DESC" : "ASC")"
                }
                .joined(separator: ", ")
            }
            key = columns.isEmpty ? .columns(forward: "1", backward: "1") : .columns(forward: order(false), backward: order(true))
            rowID = "NULL"
        }
        // The row id is kept, because other rows may refer to it. A column that is its alias contains it already.
        let ours = here.map { $0.name.lowercased() }
        let hasAlias = here.contains { $0.isKey && $0.type.uppercased() == "INTEGER" } && here.count(where: \.isKey) == 1
        let keeps = try rowID != "NULL" && !hasAlias && !target.isWithoutRowID(table) && !ours.contains(rowID)
        written = keeps ? [rowID] + common.map { target.quoted($0.name) } : common.map { target.quoted($0.name) }
        offset = keeps ? 0 : 1
    }
}
