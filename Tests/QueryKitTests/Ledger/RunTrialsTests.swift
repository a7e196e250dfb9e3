import Testing

@testable import QueryKit

/// What follows a failed attempt, as a table (R11, R12, R26).
struct RunTrialsTests {
    private typealias Next = Run.Trials.Next

    private func next(
        _ step: QueryRecovery.Step,
        retries: Int = 0,
        limit: Int = 2,
        isAccepted: Bool = true,
        dependsOnNetwork: Bool = true,
        _ mode: QueryNetworkMode = .offlineFirst,
        helps: Set<Run.Trials.Help> = []
    ) -> Next {
        let failure = Run.Trials.Failure(
            step: step,
            isAccepted: isAccepted,
            dependsOnNetwork: dependsOnNetwork,
            limit: limit,
            networkMode: mode
        )
        return Run.Trials(retries: retries, helps: helps).next(after: failure)
    }

    @Test(arguments: [QueryNetworkMode.offlineFirst, .online, .always])
    func `R11 a run is retried until its limit, unless the request refuses the error`(_ mode: QueryNetworkMode) {
        for retries in 0..<2 { #expect(next(.retry, retries: retries, dependsOnNetwork: false, mode) == .retry(number: retries + 1)) }
        #expect(next(.retry, retries: 2, dependsOnNetwork: false, mode) == .end)
        #expect(next(.retry, limit: 0, dependsOnNetwork: false, mode) == .end)
        #expect(next(.retry, isAccepted: false, dependsOnNetwork: false, mode) == .end)
        #expect(next(.fail, mode) == .end)
    }

    @Test func `R12 by default each failure that a missing network may have caused waits for the network, however many there were`() {
        #expect(next(.retry) == .whenOnline(orRetry: 1))
        #expect(next(.retry, retries: 2) == .whenOnline(orRetry: nil))
        #expect(next(.retry, limit: 0) == .whenOnline(orRetry: nil))
        #expect(next(.retry, isAccepted: false) == .end)
        for mode in [QueryNetworkMode.online, .always] { #expect(next(.retry, mode) == .retry(number: 1)) }
    }

    @Test func `R26 an error that says that there is no network waits for it, except in the mode always`() {
        for mode in [QueryNetworkMode.online, .offlineFirst] {
            #expect(next(.waitForNetwork, dependsOnNetwork: false, mode) == .whenOnline(orRetry: 1))
            #expect(next(.waitForNetwork, retries: 2, mode) == .whenOnline(orRetry: nil))
            #expect(next(.waitForNetwork, isAccepted: false, mode) == .end)
        }
        #expect(next(.waitForNetwork, .always) == .retry(number: 1))
        #expect(next(.waitForNetwork, limit: 0, .always) == .end)
    }

    @Test func `R26 repair and authorization are asked for once in a run, each, however many retries are allowed`() {
        #expect(next(.repair, limit: 0) == .ask(.repair))
        #expect(next(.authorize, limit: 0) == .ask(.authorization))
        #expect(next(.repair, retries: 5, helps: [.authorization]) == .ask(.repair))
        #expect(next(.authorize, retries: 5, helps: [.repair]) == .ask(.authorization))
        #expect(next(.repair, helps: [.repair]) == .end)
        #expect(next(.authorize, helps: [.authorization]) == .end)
    }
}
