import Foundation
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite
@testable import FoodDiarySamples

/// Questions about the foods of the sample, by kind, on both repositories.
struct SearchQuestionTests {
    @Test func `the questions are the same each time, and cover all kinds and groups`() {
        let questions = SearchQuestions.all()
        #expect(questions == SearchQuestions.all())
        #expect(questions != SearchQuestions.all(seed: 2))
        #expect(questions.count > 4_000)
        for kind in SearchQuestion.Kind.allCases {
            #expect(questions.contains { $0.kind == kind && $0.group == .known }, "\(kind)")
            if kind != .noise { #expect(questions.contains { $0.kind == kind && $0.group == .heldOutFood }, "\(kind)") }
        }
        #expect(questions.filter { $0.kind == .noise }.count == 30)
        // About a fifth of the foods.
        let inEnglish = questions.filter { $0.kind == .extraWord && $0.group != .heldOutLanguage }
        let share = Double(inEnglish.filter { $0.group == .heldOutFood }.count) / Double(inEnglish.count)
        #expect((0.15...0.25).contains(share))
    }

    @Test(arguments: [DiaryKind.database, .memory])
    func `nearly all questions of each kind are answered, even for held-out foods and languages`(_ kind: DiaryKind) async throws {
        let isLong = ProcessInfo.processInfo.environment["QUERYKIT_LONG"] != nil
        let diary = try await kind.make()
        try await SearchQuestions.sample.fill(diary.ingredients, diary.entries)
        // A list is searched from beginning to end for each question.
        let stride = kind == .memory ? 1_597 : isLong ? 1 : 397
        let evaluation = try await QuestionEvaluation.run(repository: diary.ingredients, stride: stride)
        print(evaluation)
        for score in evaluation.scores where score.kind != .noise {
            // With so few questions one is more than three percent.
            let isEnough = score.recall >= 0.97 || score.count < 34 && score.found >= score.count - 1
            #expect(isEnough, "\(score)")
        }
        #expect(evaluation[.noise, .known].found <= 3)
    }
}
