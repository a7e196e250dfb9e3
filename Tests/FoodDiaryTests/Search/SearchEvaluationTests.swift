import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite
@testable import FoodDiarySamples

struct SearchEvaluationTests {
    @Test func `misspelled names of a sample are found, and noise is not`() async throws {
        let larder = try await Larder(FoodDiarySample.some(400))
        let recorder = ProgressRecorder()
        let evaluation = try await SearchEvaluation.run(repository: larder.repository, samples: 60, noise: 20) { recorder.note($0) }
        #expect(evaluation.exact.count == 60)
        #expect(evaluation.exact.recall == 1)
        #expect(evaluation.oneError.recall >= 0.97)
        #expect(evaluation.oneError.precision >= 0.95)
        // With so few names one more or less is two percent.
        #expect(evaluation.twoErrors.recall >= 0.95)
        #expect(evaluation.noiseCount == 20)
        #expect(evaluation.noiseFound == 0)
        #expect(evaluation.latency.p50 <= evaluation.latency.p99)
        #expect(recorder.shares == recorder.shares.sorted())
        #expect(recorder.shares.last == 1)
        var again = try await SearchEvaluation.run(repository: larder.repository, samples: 60, noise: 20)
        again.latency = evaluation.latency
        #expect(again == evaluation)
    }

    @Test func `evaluating an empty repository does not fail`() async throws {
        let evaluation = try await SearchEvaluation.run(repository: Larder().repository, samples: 5, noise: 2)
        #expect(evaluation.exact.count == 0)
        #expect(evaluation.oneError.recall == 1)
        #expect(evaluation.noiseFound == 0)
    }

    @Test func `names are misspelled as often as requested, the same each time`() {
        var misspelling = Misspelling(seed: 5)
        var again = Misspelling(seed: 5)
        for name in ["Chicken breast", "Tomato", "Crème fraîche", "Beans"] {
            for _ in 0..<50 {
                for errors in 1...2 {
                    let typed = misspelling.misspelled(name, errors: errors)
                    #expect(typed == again.misspelled(name, errors: errors))
                    guard let typed else { continue }
                    let key = SearchText.words(of: name).map(\.plain).joined(separator: " ")
                    #expect(typed != key)
                    // A letter between two swapped ones counts as three errors by the table.
                    #expect(SpellingTests.errors(typed, key) <= (errors == 2 ? 3 : 1))
                }
            }
        }
        #expect(misspelling.misspelled("Egg", errors: 1) == nil)
        #expect(misspelling.misspelled("Beans", errors: 2) == nil)
        #expect(misspelling.misspelled("牛乳", errors: 1) == nil)
    }
}

private final class ProgressRecorder {
    private(set) var shares: [Double] = []

    func note(_ share: Double) { shares.append(share) }
}
