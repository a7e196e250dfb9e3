import Testing

@testable import QueryKit

/// Conditions, which are code of the app (R30).
struct LedgerDecisionTests {
    private let settings = Settings(isConditional: true)

    private func questions(_ test: TestLedger) -> [Question] {
        test.effects.compactMap { if case .ask(let question) = $0 { question } else { nil } }
    }

    private func answer(_ question: Question, _ isEnabled: Bool, _ test: inout TestLedger) {
        question.isEnabled = isEnabled
        test.event { $0.take(question) }
    }

    @Test func `R30 a later decision replaces an earlier one, whichever is answered first`() throws {
        for isLaterFirst in [true, false] {
            for isEnabled in [true, false] {
                var test = TestLedger()
                let entry = test.entry(1)
                _ = test.observe(entry, settings)
                let earlier = try #require(questions(test).first)
                test.event { $0.reconsider(.all) }
                let later = try #require(questions(test).first)
                for question in isLaterFirst ? [later, earlier] : [earlier, later] {
                    answer(question, question === later ? isEnabled : !isEnabled, &test)
                }
                #expect((test.run(entry) != nil) == isEnabled)
            }
        }
    }

    @Test func `R30 a condition that was asked for a session that has ended decides nothing`() throws {
        var test = TestLedger()
        let entry = test.entry(1)
        _ = test.observe(entry, settings)
        let question = try #require(questions(test).first)
        test.event { $0.clear(.session) }
        answer(question, true, &test)
        #expect(test.run(entry) == nil)
    }
}
