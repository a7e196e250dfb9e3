import Foundation
import QueryKitSQLite
import Terminal

extension DiaryProgram {
    func importing(_ file: String, _ kind: ExchangeKind, _ format: ExchangeFormat, isDryRun: Bool) async throws -> Int32 {
        let repositories = try repositories
        // Reading the diary in use would end the locks that SQLite has on it.
        if FileSearch(diary: location?.path).target(FileSearch.absolute(file)).found.belongsToDatabase {
            throw Obstacle(
                "\(file) belongs to a diary or another database, so nothing was imported. Export its entries, and import that file."
            )
        }
        let source = try FoodDiaryFile(URL(fileURLWithPath: file), format: format.ofFile)
        let outcome = try await console.withProgress(isDryRun ? "Checking" : "Importing") { tell in
            let progress: FoodDiaryFile.Progress = { done, total in
                tell(Double(done) / Double(max(total, 1)), "\(Number.bytes(Int(done))) of \(Number.bytes(Int(total)))")
            }
            return switch (kind, isDryRun) {
            case (.entries, true): try await source.checkEntries(for: repositories.entries, progress: progress)
            case (.entries, false): try await source.importEntries(into: repositories.entries, progress: progress)
            case (.ingredients, true): try await source.checkIngredients(for: repositories.ingredients, progress: progress)
            case (.ingredients, false): try await source.importIngredients(into: repositories.ingredients, progress: progress)
            }
        }
        try show(ImportScreen(outcome, kind: kind, isDryRun: isDryRun))
        return outcome.problemCount == 0 ? 0 : 1
    }

    func exporting(_ file: String, _ kind: ExchangeKind, _ format: ExchangeFormat, _ period: Period?, replaces: Bool) async throws {
        let days = try period?.days(today: today) ?? FoodDay.range
        if file == "-" {
            _ = try await write(kind, days, as: format.ofFile) { try console.write(text: String(decoding: $0, as: UTF8.self)) }
            return
        }
        let target = try await OutputFile(file, replaces: replaces, diary: location, console: console)
        let count = try await console.withProgress("Exporting") { tell in
            try await target.write { write in
                try await self.write(kind, days, as: format.ofFile, to: write) { tell(0, "\(Number.whole($0))") }
            }
        }
        if isJSON { return try console.write(text: DiaryJSON.text(ExportAnswer(file: target.name, count: count))) }
        try console.write("\("Wrote", .good) \(ImportScreen.counted(count, kind)) to \(target.name)")
    }

    /// Writes part by part, and returns the number of rows.
    private func write(
        _ kind: ExchangeKind,
        _ days: ClosedRange<FoodDay>,
        as format: FoodDiaryFile.Format,
        to write: @escaping FoodDiaryExport.Write,
        progress: @escaping @Sendable (_ count: Int) -> Void = { _ in }
    ) async throws -> Int {
        let repositories = try repositories
        let (export, entries, ingredients) = (FoodDiaryExport(as: format), repositories.entries, repositories.ingredients)
        return switch kind {
        case .entries: try await export.entries(in: days, of: entries, ingredients: ingredients, progress: progress, to: write)
        case .ingredients: try await export.ingredients(of: ingredients, progress: progress, to: write)
        }
    }
}

extension ExchangeFormat {
    fileprivate var ofFile: FoodDiaryFile.Format {
        switch self {
        case .csv: .csv
        case .json: .json
        case .jsonl: .jsonLines
        }
    }
}

private struct ExportAnswer: Encodable {
    let file: String
    let count: Int
}
