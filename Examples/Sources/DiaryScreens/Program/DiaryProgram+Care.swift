import FoodDiaryKit
import FoodDiarySQLite
import FoodDiarySamples
import Foundation
import QueryKit
import QueryKitSQLite
import Terminal

extension DiaryProgram {
    func doctor(repairs: Bool, acknowledges: Bool) async throws -> Int32 {
        let repositories = try repositories
        let database = diary.database
        var problems: [String] = []
        var mendedProblems: [String] = []
        if let database {
            problems = try await self.problems(of: database)
            // A check that finds damage also recovers the file; the remaining problems could not be repaired.
            if !problems.isEmpty { (mendedProblems, problems) = (problems, try await self.problems(of: database)) }
        }
        let outcome = try await console.withProgress(repairs ? "Rebuilding totals and search" : "Checking totals and search") { tell in
            tell(0, "")
            return try await repairs ? CheckDiary(repositories).rebuild() : CheckDiary(repositories).check()
        }
        // Rows that refer to missing rows are repaired together with the totals.
        if repairs, !problems.isEmpty, let database {
            mendedProblems += problems
            problems = try await self.problems(of: database)
        }
        let health = HealthScreen(
            file: place,
            isOnServer: server != nil,
            report: database?.report,
            sizes: location.map(HealthScreen.sizes) ?? [],
            setAside: location.map(HealthScreen.setAside) ?? [],
            problems: problems,
            mendedProblems: mendedProblems.filter { !problems.contains($0) },
            outcome: outcome
        )
        try show(health)
        if acknowledges { try await database?.acknowledgeRecoveries() }
        return health.isSound ? 0 : 1
    }

    private func problems(of database: SQLiteDatabase) async throws -> [String] {
        try await console.withProgress("Checking the file") { tell in try await database.integrityCheck { tell($0, "") } }
    }

    func snapshot() async throws {
        let recorder = RunRecorder(diary.client)
        let month = FoodMonth(today)
        // The requests of a user who opens the screens twice.
        let subscription = DayViewModel(diary.client)
        let watching = Task { for await _ in subscription.days() {} }
        for _ in 1...2 {
            _ = try await diary.todayEntries
            _ = try await diary.currentTotal
            _ = try await diary.fetchTotals(for: month)
            _ = try await diary.fetchPopularIngredients(limit: 20)
        }
        await diary.client.settled()
        let snapshot = diary.client.snapshot()
        let runs = await recorder.stop()
        watching.cancel()
        if isJSON {
            try console.write(text: DiaryJSON.text(snapshot))
        } else {
            try console.write(SnapshotScreen(snapshot, runs: runs).lines(width: console.width))
        }
    }

    func evaluate(_ evaluation: DiaryCommand.Evaluation) async throws {
        let repositories = try repositories
        if evaluation.isMine, try await diary.fetchPopularIngredients(limit: 1).isEmpty {
            throw UsageError("The diary has no ingredients to search; for made-up ones use: food-diary eval-search")
        }
        if !evaluation.isMine {
            let sample = FoodDiarySample(
                seed: UInt64(evaluation.seed),
                ingredientCount: evaluation.ingredients,
                days: today...today,
                entriesPerDay: 0
            )
            try await console.withProgress("Making ingredients") { tell in
                try await sample.fill(repositories.ingredients, repositories.entries) { done, total in
                    tell(Double(done) / Double(max(total, 1)), "\(Number.whole(done)) of \(Number.whole(total))")
                }
            }
        }
        let outcome = try await console.withProgress("Searching") { tell in
            try await SearchEvaluation.run(
                repository: repositories.ingredients,
                samples: evaluation.samples,
                seed: UInt64(evaluation.seed)
            ) { tell($0, "") }
        }
        try show(EvaluationScreen(outcome))
    }
}
