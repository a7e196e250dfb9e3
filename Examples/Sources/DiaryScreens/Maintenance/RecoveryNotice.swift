import FoodDiaryKit
import FoodDiarySQLite
import Foundation
package import QueryKitSQLite
package import Terminal

/// Reports what a recovery of the diary's file has saved and what is missing, for users and for scripts.
package struct RecoveryNotice: Sendable, Hashable, Encodable {
    /// A day on which entries are missing.
    package struct Day: Sendable, Hashable, Encodable {
        let day: FoodDay
        let entryCount: Int
    }

    /// In ISO 8601.
    let date: String
    let cause: String
    /// `nil` if no file was set aside.
    let damagedFile: String?
    let saved: [String: Int]
    let missing: [String: Int]
    let missingDays: [Day]
    let incomplete: [String]

    package init(_ recovery: SQLiteReport.Recovery) {
        date = recovery.date.formatted(.iso8601)
        cause = recovery.cause
        damagedFile = recovery.quarantine?.path
        saved = recovery.rows
        missing = recovery.missing
        incomplete = recovery.incomplete
        missingDays = recovery.missingEntries.map { Day(day: $0.key, entryCount: $0.value) }.sorted { $0.day < $1.day }
    }

    /// The unacknowledged reports of a database.
    package static func all(of database: SQLiteDatabase?) -> [RecoveryNotice] {
        (database?.report.unacknowledged ?? []).map { RecoveryNotice($0) }
    }

    /// A description of what is missing.
    var loss: String {
        if saved.isEmpty, damagedFile != nil { return "nothing could be read, and an empty diary was created" }
        var parts: [String] = []
        if let count = missing["entries"] {
            let days = missingDays.isEmpty ? "" : " of \(Number.count(missingDays.count, "day", "days"))"
            parts.append("\(Number.count(count, "entry", "entries"))\(days)")
        }
        for (table, count) in missing.sorted(by: { $0.key < $1.key }) where table != "entries" {
            parts.append("\(Number.count(count, "row", "rows")) of \(table)")
        }
        let unknown = incomplete.filter { missing[$0] == nil }
        if !unknown.isEmpty { parts.append("an unknown part of \(unknown.joined(separator: ", "))") }
        let loss = parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
        return damagedFile == nil ? loss : parts.isEmpty ? "nothing is missing" : "missing: \(loss)"
    }

    /// The lines shown with each command until the user acknowledges the notice.
    package func lines(width: Int, isFull: Bool = false) -> [Line] {
        var lines =
            damagedFile == nil
            ? Line.wrapped("Noticed on \(date): \(cause) Missing: \(loss).", to: width, .warning)
            : [Line("The diary's file was damaged and was recovered on \(date); \(loss).", .warning)]
        if !missingDays.isEmpty {
            let limit = isFull ? Int.max : 10
            let named = missingDays.prefix(limit).map { $0.entryCount == 1 ? "\($0.day)" : "\($0.day) (\($0.entryCount))" }
            let rest = missingDays.count > limit ? " and \(missingDays.count - limit) more" : ""
            lines += Line.wrapped("Entries are missing on: \(named.joined(separator: ", "))\(rest)", to: width, .warning)
        }
        if isFull, damagedFile != nil {
            lines.append(Line("Found: \(cause)", .warning))
            let rows = saved.sorted { $0.key < $1.key }.map { "\($0.key) \(Number.whole($0.value))" }
            lines += Line.wrapped("Saved rows: \(rows.isEmpty ? "none" : rows.joined(separator: ", "))", to: width, .warning)
        }
        if let damagedFile { lines.append(Line("The damaged file is kept: \(damagedFile)", .warning)) }
        lines.append(Line("This is repeated until you confirm it: food-diary doctor --acknowledge", .faint))
        return lines
    }
}

extension Console {
    /// Prints recovery notices: as text, or as one JSON object each.
    package func tell(_ notices: [RecoveryNotice]) {
        for notice in notices {
            if isJSON {
                remark(json: ["recovery": notice])
            } else {
                for line in notice.lines(width: width) { remark(line) }
            }
        }
    }
}
