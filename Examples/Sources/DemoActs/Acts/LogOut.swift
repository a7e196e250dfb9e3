import QueryKit

/// Act 8: a logout empties all screens at once, and drops what was under way.
enum LogOut {
    @MainActor
    static func play(on stage: Stage) async throws {
        let client = stage.client
        // snippet.show
        let mine = InlineQuery("trips/mine") { context in
            try await context.api.trips(of: context.session)
        }.enabled { $0.session != nil }

        client.reset(session: "ada")
        stage.show("My trips", client.store(for: mine))
        try await stage.passes(.seconds(0.7))

        // A refresh is under way while Ada logs out.
        client.invalidate("trips/**")
        try await stage.passes(.seconds(0.2))
        // snippet.hide
        stage.note("Ada logs out")
        // snippet.show
        client.reset(session: nil)
        try await stage.passes(.seconds(0.6))
        // snippet.hide
        stage.note("Ben logs in")
        // snippet.show
        client.reset(session: "ben")
        try await stage.passes(.seconds(0.8))
        // snippet.hide
        stage.conclude("Ada's late answer was dropped, and Ben has seen nothing of hers.")
    }
}
