import CSQLite
import Dispatch

/// Copies the rows of one table out of a damaged database, as far as they can be read.
///
/// Forward until an error, then from the end backwards until an error; and for what lies between, a look behind the damage by key, further away each time.
final class TableSalvage {
    /// How long it looks for readable rows behind damage.
    private static let patience: UInt64 = 5_000_000_000

    private let table: String
    private let source: Connection
    private let target: Connection
    private let shape: SalvageShape
    private let insertion: Statement
    /// For rows that a rule refuses with nothing in the place of lost columns: 1 instead of 0.
    private let secondInsertion: Statement?
    private(set) var rows = 0
    /// Whether each row was read and could be written.
    private(set) var isComplete = true
    /// Whether the damaged table has columns for which there is no place.
    var losesColumns: Bool { shape.losesColumns }
    /// Whether columns are lost that must hold something.
    var lacksColumns: Bool { !shape.substitutes.isEmpty }
    /// Whether any row was read.
    private(set) var hasRead = false
    /// How many texts were no UTF-8.
    private(set) var mendedTexts = 0

    /// - Returns: `nil` where the two tables have nothing in common.
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

    private struct Stretch {
        /// The key that was read last.
        var last: Int64?
        /// Whether it ended without an error.
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
        let deadline = DispatchTime.now().uptimeNanoseconds + Self.patience
        // Where not one row was read, the keys probably begin at 1.
        if low == .min, high > 0 { low = 0 }
        while low <= high, let next = try goRound(low...high, until: deadline) { low = next }
    }

    /// Looks for the next row behind the damage, and copies what is there. Returns the first key behind it; `nil` when there is no more.
    private func goRound(_ hole: ClosedRange<Int64>, until deadline: UInt64) throws -> Int64? {
        var step: Int64 = 1
        while DispatchTime.now().uptimeNanoseconds < deadline {
            let (probe, isTooFar) = hole.lowerBound.addingReportingOverflow(step)
            guard !isTooFar, probe <= hole.upperBound else { return nil }
            let behind = try scan(probe...hole.upperBound, isForward: true)
            if behind.last != nil || behind.isWhole {
                // What was jumped over on the way.
                _ = try scan(hole.lowerBound...(probe - 1), isForward: false)
                guard !behind.isWhole, let last = behind.last, last < .max else { return nil }
                return last + 1
            }
            let (further, isTooLong) = step.multipliedReportingOverflow(by: 2)
            guard !isTooLong else { return nil }
            step = further
        }
        return nil
    }

    private func scan(_ keys: ClosedRange<Int64>, isForward: Bool) throws -> Stretch {
        var stretch = Stretch(last: nil, isWhole: true)
        let order = isForward ? "ASC" : "DESC"
        stretch.isWhole = try scan(
            "WHERE \(shape.rowID) BETWEEN ? AND ? ORDER BY \(shape.rowID) \(order)",
            [.integer(keys.lowerBound), .integer(keys.upperBound)]
        ) { statement in
            let key = sqlite3_column_int64(statement.handle, 0)
            // A page in the place of another tells the wrong keys, and maybe the same ones for ever.
            if let last = stretch.last, isForward ? key <= last : key >= last { return false }
            guard keys.contains(key) else { return false }
            stretch.last = key
            return true
        }
        return stretch
    }

    // MARK: Rows

    /// Copies what a statement gives. False if it ended with an error, or with a row that can not be there.
    private func scan(_ condition: String, _ values: [SQLiteValue] = [], _ isPossible: (Statement) -> Bool = { _ in true }) throws -> Bool {
        let columns = ([shape.rowID] + shape.read).joined(separator: ", ")
        // Not through an index, which may be damaged in other places.
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
            // A row of that key is there already, or a rule of the schema is broken: the row is not what it was.
            isComplete = false
        }
    }

    private func bind(_ statement: Statement, to insertion: Statement) throws {
        for index in shape.written.indices {
            guard let value = sqlite3_column_value(statement.handle, Int32(truncatingIfNeeded: index + shape.offset)) else { continue }
            let place = Int32(truncatingIfNeeded: index + 1)
            if let text = mendedText(value) {
                if insertion === self.insertion { mendedTexts += 1 }
                try insertion.bind(.text(text), place)
            } else {
                sqlite3_bind_value(insertion.handle, place, value)
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

/// What two tables of the same name have in common.
struct SalvageShape {
    enum Key {
        case rowID
        /// The columns of the key, as an order forward and backward.
        case columns(forward: String, backward: String)
    }

    /// A column that must hold something and is not read, with what stands in its place.
    struct Substitute {
        let column: String
        let value: String
        let second: String
    }

    let key: Key
    let substitutes: [Substitute]
    /// The name under which the source gives the number of a row, or a constant.
    let rowID: String
    /// Names of columns, quoted: those that are read after the row's number, and those that are written.
    let read: [String]
    let written: [String]
    /// At which place of what is read that begins which is written.
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
        // The number of a row is kept, since others may refer to it; a column that stands for it has it already.
        let ours = here.map { $0.name.lowercased() }
        let hasAlias = here.contains { $0.isKey && $0.type.uppercased() == "INTEGER" } && here.count(where: \.isKey) == 1
        let keeps = try rowID != "NULL" && !hasAlias && !target.isWithoutRowID(table) && !ours.contains(rowID)
        written = keeps ? [rowID] + common.map { target.quoted($0.name) } : common.map { target.quoted($0.name) }
        offset = keeps ? 0 : 1
    }
}
