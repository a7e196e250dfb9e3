import QueryKit

/// Act 9: each run has the cause that started it.
enum Causes {
    @MainActor
    static func play(on stage: Stage) async throws {
        let packing = try await stage.openPackingList(try stage.file("packing.sqlite"))
        let client = stage.client
        let network = stage.network
        // snippet.show
        let trips = client.store(
            for: Trip.all.refetch(on: .reconnect)
        )
        let items = client.store(
            for: InlineQuery("packing") { context in
                try await context.packing.items()
            }.freshUntilChanged()
        )
        stage.show("Trips", trips) { .cause(of: $0) }
        stage.show("Packing list", items) { .cause(of: $0) }
        try await stage.passes(.seconds(0.7))

        try await packing.add("Passport")
        client.invalidate("trips/*")
        try await stage.passes(.seconds(0.7))
        trips.refetch()
        try await stage.passes(.seconds(0.7))
        network.set(isOnline: false)
        network.set(isOnline: true)
        try await stage.passes(.seconds(0.7))
        // snippet.hide
        stage.conclude("\(stage.runCount) runs, each with its cause.")
    }
}

extension StageContent {
    /// The value of a request, and why its latest run was started.
    static func cause<State: QueryStateProtocol>(of state: State) -> StageContent where State.QueryValue: ScreenText {
        let run = state.isFetching ? "runs: \(state.cause)" : ""
        return StageContent(state.current?.screenText ?? "–", run)
    }
}
