public import FoodDiaryKit

/// Measures how well and how fast a repository finds misspelled ingredients. The same seed gives the same questions.
///
/// ```swift
/// let report = try await SearchEvaluation.run(
///     repository: diary.ingredients
/// )
/// print(report.oneError.recall, report.latency.p95)
/// ```
public struct SearchEvaluation: Hashable, Sendable {
    /// The results for names with a given number of errors.
    public struct Score: Hashable, Sendable {
        /// The number of names.
        public internal(set) var count = 0
        /// The number of names found among the first 20 results.
        public internal(set) var found = 0
        /// The number of names found as the first result.
        public internal(set) var first = 0

        /// The share found among the first 20 results, from 0 to 1.
        public var recall: Double { count == 0 ? 1 : Double(found) / Double(count) }

        /// The share found as the first result, from 0 to 1.
        public var precision: Double { count == 0 ? 1 : Double(first) / Double(count) }
    }

    /// The durations of searches.
    public struct Latency: Hashable, Sendable {
        /// The median.
        public private(set) var p50 = Duration.zero
        /// The 95th percentile.
        public private(set) var p95 = Duration.zero
        /// The 99th percentile.
        public private(set) var p99 = Duration.zero

        init(_ durations: [Duration]) {
            let sorted = durations.sorted()
            guard !sorted.isEmpty else { return }
            let percentile = { (share: Double) in sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))] }
            (p50, p95, p99) = (percentile(0.5), percentile(0.95), percentile(0.99))
        }
    }

    /// The score of searches for correctly spelled names.
    public internal(set) var exact = Score()

    /// The score of searches for names with one typing error.
    public internal(set) var oneError = Score()

    /// The score of searches for names with two typing errors.
    public internal(set) var twoErrors = Score()

    /// The number of searches for meaningless words.
    public internal(set) var noiseCount = 0

    /// The number of these that found something, although they should find nothing.
    public internal(set) var noiseFound = 0

    /// The durations of all searches.
    public internal(set) var latency = Latency([])

    /// The names that were not found, or not as the first result.
    public internal(set) var misses: [Miss] = []

    /// A name that was not the first result.
    public struct Miss: Hashable, Sendable {
        /// The typed text.
        public let typed: String
        /// The name that was meant.
        public let name: String
        /// The index in the results, from 0; `nil` if the name was not among the first 20.
        public let place: Int?
    }

    /// Evaluates a repository.
    ///
    /// - Parameters:
    ///   - repository: The repository to search. It should hold at least some hundred ingredients.
    ///   - samples: The number of names. Each name is searched as it is, with one error and with two. Default: 500.
    ///   - noise: The number of meaningless words. Default: 100.
    ///   - seed: The seed of the names and errors. Default: 1.
    ///   - progress: Called with the completed share, from 0 to 1. Default: nothing is called.
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

    /// Chooses ingredients at random, all with equal probability, in one pass through the repository.
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
