#if !canImport(SwiftUI)
    import DiaryApp
    import FoodDiaryKit
    import QueryKit

    /// Uses the models of the app as its screens do, and prints what they show, where there is no
    /// SwiftUI.
    @MainActor
    struct Session {
        private let sample = SampleDiary()
        private let models: DiaryModels

        init() { models = DiaryModels(queryClient: sample.client) }

        func run() async throws {
            try await sample.fill()
            await show("Today", today)
            try await log("lentil soup")
            await show("Today, with soup", today)
            if let entry = models.today.entries.last { models.today.delete(entry) }
            await show("Today, without the last entry", today)
            await show("This week", trend)
            await models.settings.check()
            await show("Settings", settings)
        }

        /// Reads as a view does: the first read fetches.
        private func show(_ title: String, _ lines: () -> [String]) async {
            _ = lines()
            await sample.client.settled()
            print("\n\(title)")
            print(lines().joined(separator: "\n"))
        }

        /// Logs a portion of the first food that has this name.
        private func log(_ name: String) async throws {
            let found = try await sample.client.fetch(Ingredient.search(name))
            models.today.startAdding()
            guard let adding = models.today.adding, let food = found.first else { return }
            adding.choose(food)
            adding.log()
        }

        private func today() -> [String] {
            let balance = models.today.balance
            return models.today.entries.map { entry in
                "  \(entry.name), \(Int(entry.nutrients.kilocalories)) kcal"
                    + (entry.isProvisional ? " …" : "")
            } + ["  \(Int(balance.eaten)) of \(Int(balance.goal)) kcal"]
        }

        private func trend() -> [String] {
            (models.trends.trend?.days ?? []).map { "  \($0.day)  \(Int($0.kilocalories)) kcal" }
        }

        private func settings() -> [String] {
            let findings =
                models.settings.findings.map { $0.isSound ? "right" : "wrong" } ?? "unchecked"
            return [
                "  goal \(models.settings.goal) kcal", "  totals, counts and search: \(findings)",
            ]
        }
    }
#endif
