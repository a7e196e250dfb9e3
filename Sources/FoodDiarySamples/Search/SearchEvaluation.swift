public import FoodDiaryKit

/// How well a repository finds ingredients whose names are misspelled, and how fast: the same questions each time from the same seed.
///
/// ```swift
/// let report = try await SearchEvaluation.run(repository: diary.ingredients)
/// print(report.oneError.recall, report.latency.p95)
/// ```
public struct SearchEvaluation: Hashable, Sendable {
    /// What became of the names with one number of errors.
    public struct Score: Hashable, Sendable {
        /// How many names were looked for.
        public internal(set) var count = 0
        /// How many of them were among the first 20.
        public internal(set) var found = 0
        /// How many of them were the first.
        public internal(set) var first = 0

        /// The share that was among the first 20, from 0 to 1.
        public var recall: Double { count == 0 ? 1 : Double(found) / Double(count) }

        /// The share that came first, from 0 to 1.
        public var precision: Double { count == 0 ? 1 : Double(first) / Double(count) }
    }

    /// How long searches took.
    public struct Latency: Hashable, Sendable {
        /// Half of them took less.
        public private(set) var p50 = Duration.zero
        /// Of twenty one took longer.
        public private(set) var p95 = Duration.zero
        /// Of a hundred one took longer.
        public private(set) var p99 = Duration.zero

        init(_ durations: [Duration]) {
            let sorted = durations.sorted()
            guard !sorted.isEmpty else { return }
            let percentile = { (share: Double) in sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))] }
            (p50, p95, p99) = (percentile(0.5), percentile(0.95), percentile(0.99))
        }
    }

    /// Names as they are.
    public internal(set) var exact = Score()

    /// Names with one error.
    public internal(set) var oneError = Score()

    /// Names with two errors.
    public internal(set) var twoErrors = Score()

    /// How many words that mean nothing were looked for.
    public internal(set) var noiseCount = 0

    /// For how many of them something was found, where nothing should be.
    public internal(set) var noiseFound = 0

    /// How long all of these took.
    public internal(set) var latency = Latency([])

    /// What was not found, or not first: what was typed, and what was meant.
    public internal(set) var misses: [Miss] = []

    /// A name that was not found as it should be.
    public struct Miss: Hashable, Sendable {
        /// What was typed.
        public let typed: String
        /// What was meant.
        public let name: String
        /// At which place it came, from 0; `nil` if it was not among the first 20.
        public let place: Int?
    }

    /// Asks a repository.
    ///
    /// - Parameters:
    ///   - repository: Whose search it is. It should hold some hundred ingredients at least.
    ///   - samples: How many names are taken, each as it is, with one error and with two. Default: 500.
    ///   - noise: How many words that mean nothing. Default: 100.
    ///   - seed: What is taken, and which errors are made. Default: 1.
    ///   - progress: Told the share that is done, from 0 to 1. Default: nobody.
    public static func run(
        repository: any IngredientRepository,
        samples: Int = 500,
        noise: Int = 100,
        seed: UInt64 = 1,
        progress: (Double) -> Void = { _ in }
    ) async throws -> SearchEvaluation {
        var misspelling = Misspelling(seed: seed)
        let chosen = try await choose(samples, from: repository, &misspelling)
        var evaluation = SearchEvaluation()
        var durations: [Duration] = []
        let clock = ContinuousClock()
        func place(of id: Ingredient.ID?, _ typed: String) async throws -> Int? {
            let start = clock.now
            let found = try await repository.search(typed, category: nil, limit: 20)
            durations.append(clock.now - start)
            return id.map { id in found.firstIndex { $0.id == id } } ?? (found.isEmpty ? nil : 0)
        }
        func score(_ typed: String?, _ ingredient: Ingredient, _ score: WritableKeyPath<SearchEvaluation, Score>) async throws {
            guard let typed else { return }
            let place = try await place(of: ingredient.id, typed)
            evaluation[keyPath: score].count += 1
            if place != nil { evaluation[keyPath: score].found += 1 }
            if place == 0 { evaluation[keyPath: score].first += 1 }
            if place != 0 { evaluation.misses.append(Miss(typed: typed, name: ingredient.name, place: place)) }
        }
        for (index, ingredient) in chosen.enumerated() {
            try await score(ingredient.name, ingredient, \.exact)
            try await score(misspelling.misspelled(ingredient.name, errors: 1), ingredient, \.oneError)
            try await score(misspelling.misspelled(ingredient.name, errors: 2), ingredient, \.twoErrors)
            progress(Double(index + 1) / Double(chosen.count + 1))
        }
        for _ in 0..<noise {
            evaluation.noiseCount += 1
            if try await place(of: nil, misspelling.noise()) != nil { evaluation.noiseFound += 1 }
        }
        evaluation.latency = Latency(durations)
        progress(1)
        return evaluation
    }

    /// Takes ingredients at random, each as likely as any other, in one passage through all of them.
    private static func choose(
        _ count: Int,
        from repository: any IngredientRepository,
        _ misspelling: inout Misspelling
    ) async throws -> [Ingredient] {
        var chosen: [Ingredient] = []
        var seen = 0
        var last: Ingredient.ID?
        while true {
            let page = try await repository.ingredients(after: last, limit: 1_000)
            guard let end = page.last else { return chosen }
            for ingredient in page {
                seen += 1
                if chosen.count < count {
                    chosen.append(ingredient)
                } else if case let place = misspelling.below(seen), place < count {
                    chosen[place] = ingredient
                }
            }
            last = end.id
        }
    }
}
