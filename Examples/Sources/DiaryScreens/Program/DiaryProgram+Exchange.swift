import FoodDiaryKit
import Foundation
import Terminal

extension DiaryProgram {
    func importing(_ file: String, _ kind: ExchangeKind, _ format: ExchangeFormat, isDryRun: Bool) async throws -> Int32 {
        let repositories = try repositories
        let days = MomentWord.days(today: today)
        let source = try FoodDiaryFile(URL(fileURLWithPath: file), format: format.ofFile)
        let outcome = try await console.withProgress(isDryRun ? "Checking" : "Importing") { tell in
            let progress: FoodDiaryFile.Progress = { done, total in
                tell(Double(done) / Double(max(total, 1)), "\(Number.bytes(Int(done))) of \(Number.bytes(Int(total)))")
            }
            return switch (kind, isDryRun) {
            case (.entries, true): try await source.checkEntries(for: repositories.entries, on: days, progress: progress)
            case (.entries, false): try await source.importEntries(into: repositories.entries, on: days, progress: progress)
            case (.ingredients, true): try await source.checkIngredients(for: repositories.ingredients, progress: progress)
            case (.ingredients, false): try await source.importIngredients(into: repositories.ingredients, progress: progress)
            }
        }
        try show(ImportScreen(outcome, kind: kind, isDryRun: isDryRun))
        return outcome.problemCount == 0 ? 0 : 1
    }

    func exporting(_ file: String, _ kind: ExchangeKind, _ format: ExchangeFormat, _ wish: DiaryCommand.ExportWish) async throws {
        let days = try wish.days(today: today)
        if file == "-" {
            let export = FoodDiaryExport(as: format.ofFile, forSpreadsheets: wish.forSpreadsheets)
            return try await write(export, kind, days) { try console.write(text: String(decoding: $0, as: UTF8.self)) }
        }
        let target = try FoodDiaryFile(URL(fileURLWithPath: file), format: format.ofFile)
        let repositories = try repositories
        let (entries, ingredients) = (repositories.entries, repositories.ingredients)
        let replacing = try await mayReplace(target.url, withoutAsking: wish.replaces)
        let count = try await console.withProgress("Exporting") { tell in
            let progress: @Sendable (Int) -> Void = { tell(0, "\(Number.whole($0))") }
            return switch kind {
            case .entries:
                try await target.exportEntries(
                    in: days,
                    of: entries,
                    ingredients: ingredients,
                    replacing: replacing,
                    forSpreadsheets: wish.forSpreadsheets,
                    progress: progress
                )
            case .ingredients:
                try await target.exportIngredients(
                    of: ingredients,
                    replacing: replacing,
                    forSpreadsheets: wish.forSpreadsheets,
                    progress: progress
                )
            }
        }
        if isJSON { return try console.write(text: DiaryJSON.text(ExportAnswer(file: target.url.path, count: count))) }
        try console.write("\("Wrote", .good) \(ImportScreen.counted(count, kind)) to \(target.url.path)")
    }

    /// Writes the output in parts.
    private func write(
        _ export: FoodDiaryExport,
        _ kind: ExchangeKind,
        _ days: ClosedRange<FoodDay>,
        to write: @escaping FoodDiaryExport.Write
    ) async throws {
        let repositories = try repositories
        switch kind {
        case .entries: try await export.entries(in: days, of: repositories.entries, ingredients: repositories.ingredients, to: write)
        case .ingredients: try await export.ingredients(of: repositories.ingredients, to: write)
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
