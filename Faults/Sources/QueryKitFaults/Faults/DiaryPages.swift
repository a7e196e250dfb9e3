import Foundation

/// Zeroes each page of a food diary. After the recovery everything must work, with all rows that weren't on that page.
enum DiaryPages {
    private static let tables = ["entries", "ingredients", "logged_calls"]

    static func run(_ trial: Trial) async throws {
        let days = trial.plan.isShort ? 20 : 60
        var diaries = try await DamagedDiaries(trial, days: days)
        let contents = try PageContents(diaries.healthy)
        trial.expect(tables.map { contents.totals[$0] }, [days * 7, 60, days * 7], "the rows that were found in the pages")
        let canRecover = recovered(trial, diaries.healthy, "healthy") != nil
        let size = diaries.healthy.count / contents.pageCount
        let step = max(1, contents.pageCount / trial.plan.count(long: contents.pageCount, short: 12))
        var (compared, withRows, fewer) = (0, 0, 0)
        for page in stride(from: 1, through: contents.pageCount, by: step) {
            var bytes = diaries.healthy
            bytes.replaceSubrange((page - 1) * size..<page * size, with: repeatElement(0, count: size))
            let url = trial.file("page-\(page).sqlite")
            try Data(bytes).write(to: url)
            let harm = "page \(page) of \(contents.pageCount)"
            guard let saved = try await diaries.visit(url, harm)?.counts else { continue }
            var floor = tables.map { contents.remaining($0, without: page) }
            if canRecover, let known = recovered(trial, bytes, "\(page)") { floor = zip(floor, known).map { max($0, $1) } }
            compared += 1
            if contents.holdsRows(page) { withRows += 1 }
            let isKept = zip(saved, floor).allSatisfy { $0 >= $1 }
            if !isKept { fewer += 1 }
            trial.check(isKept, "\(harm): \(saved) rows of \(tables) were kept, and \(floor) are on other pages")
        }
        await diaries.end()
        let tool = canRecover ? " and with .recover" : ""
        trial.note("\(compared) pages compared with their contents\(tool): \(withRows) with rows, \(fewer) with too few rows kept")
    }

    /// The number of rows that `sqlite3 .recover` saves.
    private static func recovered(_ trial: Trial, _ bytes: [UInt8], _ name: String) -> [Int]? {
        let copy = trial.file("recover-\(name).db")
        guard (try? Data(bytes).write(to: copy)) != nil else { return nil }
        defer { try? FileManager.default.removeItem(at: copy) }
        return SQLiteTool.recover(copy, into: trial.file("recovered-\(name).db"), counting: tables)
    }
}
