// Written by Tools/lint/samples.py: change the acts, and call it.
// swift-format-ignore-file

extension ActCode {
    static let backoff = ActCode(
        "Backoff.swift",
        [
            11: #"""
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
                """#,
        ]
    )

    static let causes = ActCode(
        "Causes.swift",
        [
            11: #"""
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
                """#,
        ]
    )

    static let commitElsewhere = ActCode(
        "CommitElsewhere.swift",
        [
            13: #"""
                let items = InlineQuery("packing/items") { context in
                    try await context.packing.items()
                }.freshUntilChanged()
                let count = InlineQuery("packing/count") { context in
                    try await context.packing.count()
                }.freshUntilChanged()

                let list = client.store(for: items)
                let number = client.store(for: count)
                stage.show("Packing list", list)
                stage.show("Count", number)
                try await stage.passes(.seconds(0.8))

                // A second process writes to the file, and ends.
                """#,
            30: #"""
                try await stage.runProcess("pack", file.path, "Raincoat")
                for await state in list.states
                where state.value?.count == 3 { break }
                for await state in number.states
                where state.value == 3 { break }
                """#,
        ]
    )

    static let logOut = ActCode(
        "LogOut.swift",
        [
            9: #"""
                let mine = InlineQuery("trips/mine") { context in
                    try await context.api.trips(of: context.session)
                }.enabled { $0.session != nil }

                client.reset(session: "ada")
                stage.show("My trips", client.store(for: mine))
                try await stage.passes(.seconds(0.7))

                // A refresh is under way while Ada logs out.
                client.invalidate("trips/**")
                try await stage.passes(.seconds(0.2))
                """#,
            23: #"""
                client.reset(session: nil)
                try await stage.passes(.seconds(0.6))
                """#,
            28: #"""
                client.reset(session: "ben")
                try await stage.passes(.seconds(0.8))
                """#,
        ]
    )

    static let manyCallers = ActCode(
        "ManyCallers.swift",
        [
            5: #"""
                extension Trip {
                    static let all = InlineQuery("trips/all") { context in
                        try await context.api.trips()
                    }
                }
                """#,
            18: #"""

                let trips = Trip.all.ttl(.seconds(30))

                let callers = (1...1_000).map { _ in
                    Task { try await client.fetch(trips) }
                }
                """#,
            27: #"""
                try await stage.passes(.seconds(0.8))
                for caller in callers {
                    answers.append(try await caller.value)
                }

                """#,
            38: #"""
                // Once more: the value is still fresh.
                for _ in 1...1_000 {
                    answers.append(try await client.fetch(trips))
                }
                """#,
        ]
    )

    static let offlineQueue = ActCode(
        "OfflineQueue.swift",
        [
            4: #"""
                struct AddTrip: DurableMutationRequest {
                    func mutate(
                        with name: String,
                        in context: QueryContext,
                        with continuation: QueryContinuation<Void>
                    ) async throws { try await context.api.add(name) }

                    // Its optimistic change is like that of act 4.
                """#,
            22: #"""
                }
                """#,
            30: #"""

                var (app, cache) = try await stage.launch()
                var trips = Trip.all.persisted(in: cache)
                stage.show("Trips", app.store(for: trips))
                try await stage.passes(.seconds(0.7))

                network.set(isOnline: false)
                """#,
            40: #"""
                try app.submit(AddTrip(), with: "Lisbon")
                try await stage.passes(.seconds(0.6))

                // The app starts again an hour later, from its files.
                """#,
            47: #"""
                (app, cache) = try await stage.launch()
                try await stage.passes(.seconds(3600), in: .seconds(0.4))
                """#,
            52: #"""
                try await app.resumeMutations(of: [AddTrip.self])
                trips = Trip.all.persisted(in: cache)
                stage.show("Trips", app.store(for: trips))
                try await stage.passes(.seconds(0.5))
                """#,
            59: #"""
                network.set(isOnline: true)
                try await stage.passes(.seconds(1.6))
                """#,
        ]
    )

    static let optimisticUpdate = ActCode(
        "OptimisticUpdate.swift",
        [
            9: #"""
                let like = InlineMutation("trips/like") { id, context in
                    try await context.api.like(id)
                }
                .optimistic { id, layers in
                    layers.update(Trip.all) { $0.like(id) }
                }
                .invalidates("trips/**")

                stage.show("Trips", client.store(for: Trip.all))
                try await stage.passes(.seconds(0.7))

                """#,
            24: #"""
                let oslo = try client.submit(like, with: "Oslo")
                let rome = try client.submit(like, with: "Rome")
                try await stage.passes(.seconds(1.8))
                """#,
        ]
    )

    static let pages = ActCode(
        "Pages.swift",
        [
            9: #"""
                let pages = InlineQuery(
                    "trips/pages",
                    firstPage: 0
                ) { page, _ in
                    page.value.next
                } fetchPage: { offset, context in
                    try await context.api.page(at: offset)
                }

                let list = client.store(for: pages)
                stage.show("Pages", list)
                try await stage.passes(.seconds(0.7))

                try await stage.passes { try await list.fetchNextPage() }
                try await stage.passes { try await list.fetchNextPage() }

                """#,
            29: #"""
                client.invalidate("trips/**")
                try await stage.passes(.seconds(1.7))
                """#,
        ]
    )

    static let staleWhileRevalidate = ActCode(
        "StaleWhileRevalidate.swift",
        [
            9: #"""
                let trips = client.store(
                    for: Trip.all.ttl(.seconds(30))
                )
                let first = stage.show("Screen", trips)
                try await stage.passes(.seconds(0.8))

                // Fresh: another screen needs no request.
                let second = stage.show("Second screen", trips)
                try await stage.passes(.seconds(0.4))
                """#,
            24: #"""

                try await stage.passes(.seconds(60), in: .seconds(0.8))

                // Stale: shown at once, and refetched.
                stage.show("Screen, a minute later", trips)
                try await stage.passes(.seconds(0.8))
                """#,
        ]
    )
}
