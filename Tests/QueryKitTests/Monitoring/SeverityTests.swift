import Testing

@testable import QueryKit

struct SeverityTests {
    @Test(arguments: [
        QueryEvent.Kind.runFailed, .layerFailed, .storageFailed, .entryDropped,
    ])
    func `R27 events about permanent failures and lost data have the severity failure`(kind: QueryEvent.Kind) {
        #expect(kind.severity == .failure)
    }

    @Test(arguments: [QueryEvent.Kind.alertRaised, .alertCleared, .mutationRefused])
    func `R27 alerts and refused mutations have the severity notice`(kind: QueryEvent.Kind) { #expect(kind.severity == .notice) }

    @Test(arguments: [
        QueryEvent.Kind.runStarted, .runSucceeded, .runCancelled, .attemptFailed, .resultDropped, .runPaused, .runResumed,
        .hit, .miss, .pageRepeated, .valueRestored, .storeRemoved,
    ])
    func `R27 all other events have the severity detail`(kind: QueryEvent.Kind) { #expect(kind.severity == .detail) }
}
