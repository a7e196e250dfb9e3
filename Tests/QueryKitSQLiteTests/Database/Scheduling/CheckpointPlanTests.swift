import Testing

@testable import QueryKitSQLite

struct CheckpointPlanTests {
    @Test func `the log is written back when it is long, once at a time`() {
        var plan = CheckpointPlan()
        let refused = plan.begins(at: 999)
        let begun = plan.begins(at: 1_000)
        let again = plan.begins(at: 5_000)
        #expect([refused, begun, again] == [false, true, false])
        plan.end(at: 1_000, isComplete: true)
        let later = plan.begins(at: 1_000)
        #expect(later)
    }

    @Test func `while readers block it, writing back is retried only after the log has grown by as much again`() {
        var plan = CheckpointPlan()
        _ = plan.begins(at: 1_500)
        plan.end(at: 1_500, isComplete: false)
        let soon = plan.begins(at: 2_499)
        let later = plan.begins(at: 2_500)
        #expect([soon, later] == [false, true])
        plan.end(at: 2_500, isComplete: false)
        // The log restarted, so no reader was blocking it any more.
        let anew = plan.begins(at: 1_000)
        #expect(anew)
    }
}
