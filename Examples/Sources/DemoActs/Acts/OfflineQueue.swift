import QueryKit

// snippet.show
struct AddTrip: DurableMutationRequest {
    func mutate(
        with name: String,
        in context: QueryContext,
        with continuation: QueryContinuation<Void>
    ) async throws { try await context.api.add(name) }

    // Its optimistic change is like that of act 4.
    // snippet.hide

    func optimistic(with name: String, in layers: inout QueryLayers) {
        layers.update(Trip.all) { trips in
            if !trips.contains(where: { $0.id == name }) { trips.append(Trip(name)) }
        }
    }

    func invalidates(with name: String, value: Void) -> [QueryPattern] { ["trips/**"] }
    // snippet.show
}
// snippet.hide

/// Act 5: a change that is made without a network waits in a file, and is sent after the next launch.
enum OfflineQueue {
    @MainActor
    static func play(on stage: Stage) async throws {
        let network = stage.network
        // snippet.show
        var (app, cache) = try await stage.launch()
        var trips = Trip.all.persisted(in: cache)
        stage.show("Trips", app.store(for: trips))
        try await stage.passes(.seconds(0.7))

        network.set(isOnline: false)
        // snippet.hide
        stage.note("no network, and a trip is added")
        // snippet.show
        try app.submit(AddTrip(), with: "Lisbon")
        try await stage.passes(.seconds(0.6))

        // The app starts again an hour later, from its files.
        // snippet.hide
        stage.note("the app ends")
        // snippet.show
        (app, cache) = try await stage.launch()
        try await stage.passes(.seconds(3600), in: .seconds(0.4))
        // snippet.hide
        stage.note("the app starts again, still without a network")
        // snippet.show
        try await app.resumeMutations(of: [AddTrip.self])
        trips = Trip.all.persisted(in: cache)
        stage.show("Trips", app.store(for: trips))
        try await stage.passes(.seconds(0.5))
        // snippet.hide
        stage.note("the network is back")
        // snippet.show
        network.set(isOnline: true)
        try await stage.passes(.seconds(1.6))
        // snippet.hide
        stage.conclude("The change outlived the app. Now the server has: \(stage.api.stored.screenText).")
    }
}
