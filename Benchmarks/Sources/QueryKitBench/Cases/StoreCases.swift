import QueryKit

extension Case {
    static let storeCases =
        [lookup]
        + [(1_000, "1k", 101), (10_000, "10k", 31), (100_000, "100k", 7)].map { create(upTo: $0, suffix: $1, sampleLimit: $2) }
        + [memory]

    /// Visits ten thousand numbers in an order that no cache can predict.
    private struct Walk {
        static let length = 10_000
        private var position = 0

        mutating func next() -> Int {
            // A prime that doesn't divide the length, so that all numbers are visited.
            position += 7_919
            if position >= Self.length { position -= Self.length }
            return position
        }
    }

    private static let lookup = Case(
        name: "store.lookup",
        summary: "client.store(for:) of existing stores among 10,000; floor: a dictionary by requests under a lock",
        kind: .time {
            let client = QueryClient(configuration: .isolated)
            for id in 0..<Walk.length { discard(client.store(for: Item(id: id))) }
            let plain = PlainClient(itemCount: Walk.length)
            return (
                Workload { count in
                    var walk = Walk()
                    for _ in 0..<count { discard(client.store(for: Item(id: walk.next()))) }
                },
                floor: Workload { count in
                    var walk = Walk()
                    for _ in 0..<count { discard(plain.find(Item(id: walk.next()))) }
                }
            )
        }
    )

    /// Creates the last tenth of `total` stores. If creation is linear, the result hardly depends on the total.
    private static func create(upTo total: Int, suffix: String, sampleLimit: Int) -> Case {
        Case(
            name: "store.create.\(suffix)",
            summary: "creating a store when there are nearly \(total); floor: adding an object to a dictionary under a lock",
            sampleLimit: sampleLimit,
            kind: .time {
                let existing = total - total / 10
                let client = Guarded(QueryClient(configuration: .isolated))
                let plain = Guarded(PlainClient())
                return (
                    Workload(batch: total / 10) {
                        let fresh = QueryClient(configuration: .isolated)
                        for id in 0..<existing { discard(fresh.store(for: Item(id: id))) }
                        client.withLock { $0 = fresh }
                    } run: { count in
                        let client = client.withLock { $0 }
                        for id in existing..<existing + count { discard(client.store(for: Item(id: id))) }
                    },
                    floor: Workload(batch: total / 10) {
                        let fresh = PlainClient(itemCount: existing)
                        plain.withLock { $0 = fresh }
                    } run: { count in
                        let plain = plain.withLock { $0 }
                        for id in existing..<existing + count { plain.insert(Item(id: id)) }
                    }
                )
            }
        )
    }

    private static let memory = Case(
        name: "store.memory",
        summary: "bytes that a store with an Int retains, among 100,000; floor: an entry of a dictionary with its object",
        kind: .memory {
            let count = 100_000
            return (
                Load(count: count) {
                    let client = QueryClient(configuration: .isolated)
                    for id in 0..<count { client.store(for: Item(id: id)).setValue(id) }
                    return client
                },
                floor: Load(count: count) { PlainClient(itemCount: count) }
            )
        }
    )
}
