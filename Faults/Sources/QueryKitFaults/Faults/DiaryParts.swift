import Foundation

/// Removes the tables, the indexes and some columns of a food diary, one at a time.
enum DiaryParts {
    static func run(_ trial: Trial) async throws {
        guard SQLiteTool.path != nil else { return trial.note("no sqlite3 to drop parts with") }
        var diaries = try await DamagedDiaries(trial, days: 10)
        let healthy = trial.file("healthy.sqlite")
        let list = "SELECT type || ' ' || name FROM sqlite_schema WHERE type IN ('table', 'index') AND name NOT LIKE 'sqlite_%'"
        let parts = SQLiteTool.run(list, on: healthy)?.split(separator: "\n").map { String($0) } ?? []
        trial.check(parts.count > 12, "the schema has \(parts.count) parts")
        let columns = ["entries salt", "entries grams", "ingredients portions", "ingredients usage_count", "logged_calls entry"]
        let harms =
            parts.map { ("DROP \($0)", "DROP \($0)") }
            + columns.map { column in
                let words = column.split(separator: " ")
                // A column can't be dropped while indexes or constraints refer to it.
                let text =
                    "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = replace(sql, '\(words[1]) ', 'lost_\(words[1]) ') WHERE name = '\(words[0])'"
                return ("the column \(column)", text)
            }
        for (index, (name, text)) in harms.enumerated() {
            let url = trial.file("part-\(index).sqlite")
            try Data(diaries.healthy).write(to: url)
            guard SQLiteTool.run(text, on: url) != nil else { continue }
            _ = try await diaries.visit(url, name)
        }
        await diaries.end()
    }
}
