import Foundation

/// Zeroes each page of a food diary. After the recovery everything must work, with at least as many rows as `sqlite3 .recover` saves.
enum DiaryPages {
    static func run(_ trial: Trial) async throws {
        var diaries = try await DamagedDiaries(trial, days: trial.plan.isShort ? 20 : 60)
        let size = 4_096
        let pageCount = diaries.healthy.count / size
        let step = max(1, pageCount / trial.plan.count(long: pageCount, short: 12))
        var (compared, fewer) = (0, 0)
        for page in stride(from: 1, through: pageCount, by: step) {
            var bytes = diaries.healthy
            bytes.replaceSubrange((page - 1) * size..<page * size, with: repeatElement(0, count: size))
            let url = trial.file("page-\(page).sqlite")
            let copy = trial.file("recover-\(page).db")
            try Data(bytes).write(to: url)
            try Data(bytes).write(to: copy)
            defer { try? FileManager.default.removeItem(at: copy) }
            guard let saved = try await diaries.visit(url, "page \(page) of \(pageCount)") else { continue }
            let target = trial.file("recovered-\(page).db")
            guard let known = SQLiteTool.recover(copy, into: target, counting: ["entries", "ingredients"]) else { continue }
            compared += 1
            if saved.entries < known[0] || saved.ingredients < known[1] {
                fewer += 1
                trial.fail(
                    "page \(page): \(saved.entries) entries and \(saved.ingredients) ingredients, .recover saves \(known[0]) and \(known[1])"
                )
            }
        }
        await diaries.end()
        trial.note(compared == 0 ? "no sqlite3 with .recover to compare with" : "\(fewer) of \(compared) with fewer rows than .recover")
    }
}
