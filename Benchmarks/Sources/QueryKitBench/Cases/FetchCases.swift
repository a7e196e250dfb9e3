import QueryKit

extension Case {
    static let fetchCases = [trivial, fresh, freshPlain, shared, parallel]

    private static let trivial = Case(
        name: "fetch.trivial",
        summary: "store.fetch() of a request that returns at once; floor: the simplest store that shares a fetch",
        kind: .time {
            let client = QueryClient(configuration: .isolated)
            let store = client.store(for: Item(id: 0))
            let plain = SharingStore(in: SharingStore.Registry()) { 1 }
            return (
                Workload { count in
                    for _ in 0..<count { discard(try await store.fetch()) }
                    discard(client)
                },
                floor: Workload { count in
                    for _ in 0..<count { discard(try await plain.fetch()) }
                }
            )
        }
    )

    private static let fresh = Case(
        name: "fetch.fresh",
        summary: "client.fetch of a cached value, the time to live set by a modifier; floor: a dictionary under a lock",
        kind: .time {
            let client = QueryClient(configuration: .isolated)
            _ = try await client.fetch(Item(id: 0).ttl(.infinity))
            return (
                Workload { count in
                    for _ in 0..<count { discard(try await client.fetch(Item(id: 0).ttl(.infinity))) }
                },
                floor: plainFetch
            )
        }
    )

    private static let freshPlain = Case(
        name: "fetch.fresh.plain",
        summary: "client.fetch of a cached value, the time to live set by the client's configuration; floor: as before",
        kind: .time {
            let client = QueryClient.lasting()
            _ = try await client.fetch(Item(id: 0))
            return (
                Workload { count in
                    for _ in 0..<count { discard(try await client.fetch(Item(id: 0))) }
                },
                floor: plainFetch
            )
        }
    )

    private static let parallel = Case(
        name: "fetch.parallel2",
        summary: "one of many fetches by two tasks, each with its own store; floor: as many by one task",
        kind: .time {
            let client = QueryClient(configuration: .isolated)
            let stores = (0..<2).map { client.store(for: Item(id: $0)) }
            return (
                Workload(batch: 5_000) { count in
                    try await withThrowingTaskGroup { group in
                        for store in stores {
                            group.addTask {
                                for _ in 0..<count / 2 { discard(try await store.fetch()) }
                            }
                        }
                        try await group.waitForAll()
                    }
                },
                floor: Workload(batch: 5_000) { count in
                    for _ in 0..<count { discard(try await stores[0].fetch()) }
                    discard(client)
                }
            )
        }
    )

    private static var plainFetch: Workload {
        let plain = PlainClient(itemCount: 1)
        return Workload { count in
            for _ in 0..<count { discard(await plain.value(of: Item(id: 0))) }
        }
    }

    private static let shared = Case(
        name: "fetch.shared1000",
        summary: "1,000 tasks that share one fetch, per task; floor: the same with the simplest store that shares a fetch",
        kind: .time {
            let crowd = 1_000
            let client = QueryClient(configuration: .isolated)
            let store = client.store(for: CrowdedItem())
            let entrance = CrowdedItem.Entrance.defaultValue
            let plainEntrance = Turnstile()
            let plain = SharingStore(in: SharingStore.Registry()) {
                await plainEntrance.wait()
                return 1
            }
            return (
                Workload(batch: crowd) {
                    entrance.expect(crowd)
                } run: { count in
                    try await withThrowingTaskGroup(of: Int.self) { group in
                        for _ in 0..<count {
                            group.addTask {
                                entrance.arrive()
                                return try await store.fetch()
                            }
                        }
                        for try await value in group { discard(value) }
                    }
                    discard(client)
                },
                floor: Workload(batch: crowd) {
                    plainEntrance.expect(crowd)
                } run: { count in
                    try await withThrowingTaskGroup(of: Int.self) { group in
                        for _ in 0..<count {
                            group.addTask {
                                plainEntrance.arrive()
                                return try await plain.fetch()
                            }
                        }
                        for try await value in group { discard(value) }
                    }
                }
            )
        }
    )
}
