import Testing

@testable import QueryKit

@Suite(.timeLimit(.minutes(5))) struct SeverityTests {
    @Test(arguments: [
        QueryEvent.Kind.runFailed, .layerFailed, .storageFailed, .entryDropped,
    ])
    func `R27 what failed for good or was lost is a failure`(kind: QueryEvent.Kind) { #expect(kind.severity == .failure) }

    @Test(arguments: [QueryEvent.Kind.alertRaised, .alertCleared, .mutationRefused])
    func `R27 an alert is something to look at`(kind: QueryEvent.Kind) { #expect(kind.severity == .notice) }

    @Test(arguments: [
        QueryEvent.Kind.runStarted, .runSucceeded, .runCancelled, .attemptFailed, .resultDropped, .runPaused, .runResumed,
        .hit, .miss, .pageRepeated, .valueRestored, .storeRemoved,
    ])
    func `R27 all else happens all the time`(kind: QueryEvent.Kind) { #expect(kind.severity == .detail) }
}
