import Foundation

/// Sets each integer column of a food diary to the extremes of its range.
enum DiaryNumbers {
    static func run(_ trial: Trial) async throws {
        guard SQLiteTool.path != nil else { return trial.note("no sqlite3 to change numbers with") }
        var diaries = try await DamagedDiaries(trial, days: 5)
        let list = """
            SELECT m.name || ' ' || c.name || ' ' || (SELECT group_concat(k.name) FROM pragma_table_info(m.name) AS k WHERE k.pk > 0)
            FROM sqlite_schema AS m, pragma_table_info(m.name) AS c
            WHERE m.type = 'table' AND c.type = 'INTEGER' AND m.name NOT LIKE 'ingredient_search%' AND m.name NOT LIKE 'sqlite_%'
            """
        let columns = SQLiteTool.run(list, on: trial.file("healthy.sqlite"))?.split(separator: "\n") ?? []
        trial.check(columns.count > 40, "there are \(columns.count) columns of integers")
        let numbers = trial.plan.isShort ? [Int64.max, .min] : [Int64.max, .min, 1 << 62, 20_261_399]
        for (index, column) in columns.enumerated() {
            // The short form tries a different part of the columns for each seed.
            if trial.plan.isShort, (index + Int(trial.plan.seed % 4)) % 4 != 0 { continue }
            let words = column.split(separator: " ")
            guard words.count == 3 else { continue }
            for number in numbers {
                let url = trial.file("number-\(index).sqlite")
                try Data(diaries.healthy).write(to: url)
                let text = """
                    PRAGMA ignore_check_constraints = 1;
                    UPDATE \(words[0]) SET \(words[1]) = \(number) WHERE (\(words[2])) = (SELECT \(words[2]) FROM \(words[0]) LIMIT 1 OFFSET 1)
                    """
                // The statement fails if another row has that key already.
                guard SQLiteTool.run(text, on: url) != nil else { continue }
                _ = try await diaries.visit(url, "\(words[0]).\(words[1]) = \(number)")
            }
        }
        await diaries.end()
    }
}
