package import FoodDiaryKit
package import Terminal

/// The outcome of an import, or of a dry run.
package struct ImportScreen: Sendable, TextScreen, JSONScreen {
    private let outcome: FoodDiaryImport
    private let kind: ExchangeKind
    private let isDryRun: Bool

    package init(_ outcome: FoodDiaryImport, kind: ExchangeKind, isDryRun: Bool) {
        self.outcome = outcome
        self.kind = kind
        self.isDryRun = isDryRun
    }

    static func counted(_ count: Int, _ kind: ExchangeKind) -> String {
        kind == .entries ? FoodNumber.entries(count) : Number.count(count, "ingredient", "ingredients")
    }

    package func lines(width: Int) -> [Line] {
        let known = kind == .entries ? "already in the diary and left out" : "already in the diary and replaced"
        let said = isDryRun ? Line("Checked", .good) : Line("Imported", .good)
        let counts =
            "\(Self.counted(outcome.rowCount, kind)): \(Number.whole(outcome.addedCount)) new, \(Number.whole(outcome.knownCount)) \(known)"
        var lines: [Line] = ["\(said) \(counts)"]
        if !outcome.ignoredColumns.isEmpty {
            lines.append(Line("Left out, because a diary has no such field: \(outcome.ignoredColumns.joined(separator: ", "))", .warning))
        }
        if outcome.problemCount > 0 {
            lines.append(Line("\(Number.count(outcome.problemCount, "row is", "rows are")) invalid, so nothing can be imported:", .bad))
            lines += outcome.problems.map { Line("  \($0.description)") }
            if outcome.problemCount > outcome.problems.count {
                lines.append(Line("  and \(Number.whole(outcome.problemCount - outcome.problems.count)) more", .faint))
            }
        }
        return lines.flatMap { $0.width <= width ? [$0] : Line.wrapped($0.text, to: width, $0.pieces.first?.style ?? .plain) }
    }

    private struct Answer: Encodable {
        struct Problem: Encodable {
            let line: Int
            @OrNull var column: String?
            let message: String
        }

        let isDryRun: Bool
        let rowCount: Int
        let addedCount: Int
        let knownCount: Int
        let ignoredColumns: [String]
        let problemCount: Int
        let problems: [Problem]
    }

    package func json() throws -> String {
        let answer = Answer(
            isDryRun: isDryRun,
            rowCount: outcome.rowCount,
            addedCount: outcome.addedCount,
            knownCount: outcome.knownCount,
            ignoredColumns: outcome.ignoredColumns,
            problemCount: outcome.problemCount,
            problems: outcome.problems.map { .init(line: $0.line, column: $0.column, message: $0.message) }
        )
        return try DiaryJSON.text(answer)
    }
}
