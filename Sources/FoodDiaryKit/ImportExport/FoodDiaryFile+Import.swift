import Foundation
import QueryKit

extension FoodDiaryFile {
    /// Called with the number of bytes read so far, and the number of bytes to read in all. If the file is read twice, both
    /// numbers include each byte twice.
    public typealias Progress = @Sendable (_ done: Int64, _ total: Int64) -> Void

    /// Returns what an import of the ingredients would do, without writing anything.
    public func checkIngredients(
        for repository: any IngredientRepository,
        progress: @escaping Progress = { _, _ in }
    ) async throws -> FoodDiaryImport {
        var known: Set<Int> = []
        var last: Ingredient.ID?
        while true {
            try Task.checkCancellation()
            let page = try await repository.ingredients(after: last, limit: 1000)
            for ingredient in page { known.insert(Self.mark(of: ingredient.name)) }
            last = page.last?.id
            if page.count < 1000 { break }
        }
        return try await checkIngredients(known: known, FilePass(self, of: 1, progress))
    }

    /// Checks all ingredients, and then imports all of them or, if one is invalid, none.
    ///
    /// An ingredient whose name exists replaces those parts of the existing ingredient that the file specifies. Throws a ``FoodDiaryError``
    /// that names the first invalid rows.
    @discardableResult
    public func importIngredients(
        into repository: any IngredientRepository,
        progress: @escaping Progress = { _, _ in }
    ) async throws -> FoodDiaryImport {
        let pass = try FilePass(self, of: 2, progress)
        var outcome = try await checkIngredients(known: [], pass)
        try outcome.requireNoProblem(in: name)
        let rows = Lock(try DraftReader<Ingredient.Draft>(self))
        let rowCount = outcome.rowCount
        let result = try await repository.importIngredients {
            try self.batch(rows, of: rowCount, pass)
        }
        outcome.addedCount = result.added
        outcome.knownCount = result.updated
        return outcome
    }

    @concurrent
    private func checkIngredients(known: Set<Int>, _ pass: FilePass) async throws -> FoodDiaryImport {
        var lines: [Int: Int] = [:]
        return try check(Ingredient.Draft.self, pass) { draft, line, outcome in
            let mark = Self.mark(of: draft.name)
            if let first = lines.updateValue(line, forKey: mark) {
                lines[mark] = first
                outcome.add(FoodDiaryImport.Problem(line: line, column: "name", message: "\(draft.name) is already on line \(first)."))
            } else if known.contains(mark) {
                outcome.knownCount += 1
            } else {
                outcome.addedCount += 1
            }
        }
    }

    /// Identifies a name. A hash needs less memory than a text.
    private static func mark(of name: String) -> Int { Ingredient.key(of: name).hashValue }

    /// Returns what an import of the entries would do, without writing anything.
    ///
    /// - Parameters:
    ///   - repository: The diary.
    ///   - days: The days on which an entry may be. An entry on another day is a problem. Default: all.
    ///   - progress: Called with the number of bytes read so far.
    public func checkEntries(
        for repository: any FoodEntryRepository,
        on days: ClosedRange<FoodDay> = FoodDay.range,
        progress: @escaping Progress = { _, _ in }
    ) async throws -> FoodDiaryImport {
        let pass = try FilePass(self, of: 2, progress)
        var (outcome, known) = try await checkEntries(repository, days, pass)
        guard !known.isEmpty, outcome.problemCount == 0 else { return outcome }
        outcome.knownCount = try await countKnown(&known, pass)
        outcome.addedCount = outcome.rowCount - outcome.knownCount
        return outcome
    }

    /// Checks all entries, and then imports all of them or, if one is invalid, none.
    ///
    /// Entries that are already in the diary, equal in everything except the ingredient, are left out. So importing a file again adds
    /// nothing, even if two imports run at the same time. An entry that names an unknown ingredient is imported without it. Throws a
    /// ``FoodDiaryError`` that names the first invalid rows.
    ///
    /// - Parameters:
    ///   - repository: The diary.
    ///   - days: The days on which an entry may be, for example those on which your app logs meals. If an entry is on another day,
    ///     nothing is imported. Default: all.
    ///   - progress: Called with the number of bytes read so far.
    @discardableResult
    public func importEntries(
        into repository: any FoodEntryRepository,
        on days: ClosedRange<FoodDay> = FoodDay.range,
        progress: @escaping Progress = { _, _ in }
    ) async throws -> FoodDiaryImport {
        let pass = try FilePass(self, of: 2, progress)
        let (checked, _) = try await checkEntries(days, pass)
        try checked.requireNoProblem(in: name)
        let rows = Lock(try DraftReader<FoodEntry.Draft>(self))
        let added = try await repository.importEntries(leavingOutKnown: true) {
            try self.batch(rows, of: checked.rowCount, pass)
        }
        var outcome = checked
        outcome.addedCount = added
        outcome.knownCount = outcome.rowCount - added
        return outcome
    }

    private func checkEntries(
        _ repository: any FoodEntryRepository,
        _ days: ClosedRange<FoodDay>,
        _ pass: FilePass
    ) async throws -> (FoodDiaryImport, KnownEntries) {
        let (outcome, days) = try await checkEntries(days, pass)
        guard let days else { return (outcome, KnownEntries()) }
        return (outcome, try await KnownEntries(in: days, of: repository))
    }

    @concurrent
    private func checkEntries(
        _ accepted: ClosedRange<FoodDay>,
        _ pass: FilePass
    ) async throws -> (FoodDiaryImport, ClosedRange<FoodDay>?) {
        var days: ClosedRange<FoodDay>?
        let outcome = try check(FoodEntry.Draft.self, pass) { draft, line, outcome in
            let day = draft.moment.day
            guard accepted.contains(day) else {
                let message = "\(day) is too far away for a meal: use a day between \(accepted.lowerBound) and \(accepted.upperBound)."
                return outcome.add(FoodDiaryImport.Problem(line: line, column: "date", message: message))
            }
            days = min(days?.lowerBound ?? day, day)...max(days?.upperBound ?? day, day)
            outcome.addedCount += 1
        }
        return (outcome, days)
    }

    @concurrent
    private func countKnown(_ known: inout KnownEntries, _ pass: FilePass) async throws -> Int {
        var count = 0
        _ = try check(FoodEntry.Draft.self, pass) { draft, _, _ in
            if known.take(draft) { count += 1 }
        }
        return count
    }

    /// Reads the whole file and returns its problems.
    private func check<Draft: ExchangedDraft>(
        _ type: Draft.Type,
        _ pass: FilePass,
        _ visit: (Draft, _ line: Int, inout FoodDiaryImport) throws -> Void
    ) throws -> FoodDiaryImport {
        var outcome = FoodDiaryImport()
        do {
            var reader = try DraftReader<Draft>(self)
            while let row = try reader.next() {
                switch row.draft {
                case .success(let draft):
                    outcome.rowCount += 1
                    try visit(draft, row.line, &outcome)
                case .failure(let problem): outcome.add(problem)
                }
                if (outcome.rowCount + outcome.problemCount).isMultiple(of: 1000) {
                    try Task.checkCancellation()
                    pass.tell(reader.consumed)
                }
            }
            outcome.ignoredColumns = reader.ignored
            pass.tell(reader.consumed)
        } catch let error as UnreadableFile {
            outcome.add(error.problem)
        }
        pass.end()
        return outcome
    }

    /// The next drafts; `nil` at the end of the file.
    private func batch<Draft: ExchangedDraft>(
        _ rows: Lock<DraftReader<Draft>>,
        of rowCount: Int,
        _ pass: FilePass
    ) throws -> [Draft]? {
        let (drafts, consumed) = try rows.withLock { reader in
            let changed = FoodDiaryError(.format, "\(name) was changed while it was read.")
            var drafts: [Draft] = []
            do {
                // All rows were valid in the first pass, so an error here means that the file has changed.
                while drafts.count < 1000, let row = try reader.next() { drafts.append(try row.draft.get()) }
            } catch is FoodDiaryImport.Problem, is UnreadableFile {
                throw changed
            }
            // A file that was truncated at the end of a line has no invalid row.
            if drafts.isEmpty, reader.rowCount != rowCount { throw changed }
            return (drafts, reader.consumed)
        }
        pass.tell(consumed)
        return drafts.isEmpty ? nil : drafts
    }
}
