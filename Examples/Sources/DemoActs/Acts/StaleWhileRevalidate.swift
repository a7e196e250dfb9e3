import QueryKit

/// Act 2: a fresh value needs no request, and a stale one is shown while it is refetched.
enum StaleWhileRevalidate {
    @MainActor
    static func play(on stage: Stage) async throws {
        let client = stage.client
        // snippet.show
        let trips = client.store(
            for: Trip.all.ttl(.seconds(30))
        )
        let first = stage.show("Screen", trips)
        try await stage.passes(.seconds(0.8))

        // Fresh: another screen needs no request.
        let second = stage.show("Second screen", trips)
        try await stage.passes(.seconds(0.4))
        // snippet.hide
        first.close()
        second.close()
        stage.note("both screens close, and the server adds Lisbon")
        stage.api.insert("Lisbon")
        // snippet.show

        try await stage.passes(.seconds(60), in: .seconds(0.8))

        // Stale: shown at once, and refetched.
        stage.show("Screen, a minute later", trips)
        try await stage.passes(.seconds(0.8))
        // snippet.hide
        stage.conclude("Three screens, \(stage.api.requestCount) requests, and no empty screen after the first one.")
    }
}
