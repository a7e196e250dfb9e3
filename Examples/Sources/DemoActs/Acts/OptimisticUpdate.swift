import QueryKit

/// Act 4: two changes are shown at once; one is refused and disappears, and the other one stays.
enum OptimisticUpdate {
    @MainActor
    static func play(on stage: Stage) async throws {
        let client = stage.client
        // snippet.show
        let like = InlineMutation("trips/like") { id, context in
            try await context.api.like(id)
        }
        .optimistic { id, layers in
            layers.update(Trip.all) { $0.like(id) }
        }
        .invalidates("trips/**")

        stage.show("Trips", client.store(for: Trip.all))
        try await stage.passes(.seconds(0.7))

        // snippet.hide
        stage.api.refuseLikes(of: "Rome")
        stage.note("two taps: the likes are shown before the server has answered")
        // snippet.show
        let oslo = try client.submit(like, with: "Oslo")
        let rome = try client.submit(like, with: "Rome")
        try await stage.passes(.seconds(1.8))
        // snippet.hide
        let outcomes = [oslo, rome].map { call in
            if case .failed(let error) = call.run?.status { "\(error)" } else { "\(call.arguments) liked" }
        }
        stage.conclude("Two overlapping calls: \(outcomes.joined(separator: ", ")). Neither has undone the other.")
    }
}
