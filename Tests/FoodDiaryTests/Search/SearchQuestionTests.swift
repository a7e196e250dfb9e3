import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite
@testable import FoodDiarySamples

/// Questions about the foods of the sample, by kind, on both repositories.
@Suite(.timeLimit(.minutes(5)))
struct SearchQuestionTests {
    @Test func `the questions are the same each time, and of all kinds and groups`() {
        let questions = SearchQuestions.all()
        #expect(questions == SearchQuestions.all())
        #expect(questions != SearchQuestions.all(seed: 2))
        #expect(questions.count > 4_000)
        for kind in SearchQuestion.Kind.allCases {
            #expect(questions.contains { $0.kind == kind && $0.group == .known }, "\(kind)")
            if kind != .noise { #expect(questions.contains { $0.kind == kind && $0.group == .heldOutFood }, "\(kind)") }
        }
        #expect(questions.filter { $0.kind == .noise }.count == 30)
        // A fifth of the foods, more or less.
        let inEnglish = questions.filter { $0.kind == .extraWord && $0.group != .heldOutLanguage }
        let share = Double(inEnglish.filter { $0.group == .heldOutFood }.count) / Double(inEnglish.count)
        #expect((0.15...0.25).contains(share))
    }

    @Test func `the score of each kind is printed`() async throws {
        let evaluation = try await QuestionEvaluation.run(
            repository: Larder(FoodDiarySample.some(SampleFoods.all.count)).repository,
            stride: 3
        )
        print(evaluation)
        #expect(evaluation[.noise, .known].found <= 3)
    }
}
