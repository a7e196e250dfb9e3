import QueryKit

/// Act 7: a failed attempt is repeated after an increasing delay, within one run.
enum Backoff {
    @MainActor
    static func play(on stage: Stage) async throws {
        let client = stage.client
        stage.api.fail(times: 2)
        stage.note("the server is busy for the next two requests")
        // snippet.show
        // Without jitter, to show the same each time.
        let trips = Trip.all.retry(
            limit: 3,
            backoff: .exponential(
                base: .seconds(1),
                jitter: { 1 }
            )
        )
        stage.show("Trips", client.store(for: trips))
        try await stage.passes(.seconds(4.8), in: .seconds(2.4))
        // snippet.hide
        stage.conclude("\(stage.api.requestCount) attempts with delays of 1 s and 2 s, \(stage.runCount) run, and no error on the screen.")
    }
}
