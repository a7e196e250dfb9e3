import QueryKit
import QueryKitTesting
import TestSupport
import Testing

/// What it costs to cancel many callers of one run.
@Suite(.serialized, .timeLimit(.minutes(5))) struct CallerCostTests {
    /// How long it takes to cancel so many callers.
    private func time(_ count: Int, newestFirst: Bool) async -> Duration {
        let gate = Gate()
        let bench = TestBench { call in
            try await gate.pass()
            return call.number
        }
        let store = bench.client.store(for: Number())
        let begun = Recorder<Int>()
        let tasks = (0..<count).map { number in
            Task {
                begun.note(number)
                return try await store.fetch()
            }
        }
        await gate.arrived()
        await reaches { begun.count == count }
        let begin = ContinuousClock.now
        for task in newestFirst ? tasks.reversed() : tasks { task.cancel() }
        for task in tasks { _ = await task.result }
        return ContinuousClock.now - begin
    }

    @Test func `R7 cancelling the newest of many callers first takes no longer than cancelling the oldest first`() async {
        let oldest = await time(2_000, newestFirst: false)
        let newest = await time(2_000, newestFirst: true)
        withKnownIssue("R7 each cancellation passes all older callers", isIntermittent: true) { #expect(newest < oldest * 3) }
    }
}
