import QueryKit

extension Case {
    static let publishCases = [1, 10, 100, 1_000].map { fanout($0) } + [parallel]

    private static func fanout(_ count: Int) -> Case {
        Case(
            name: "publish.fanout\(count)",
            summary: "store.setValue of a new value with \(count) subscribers; floor: the simplest store with as many closures",
            kind: .time {
                let client = QueryClient.lasting()
                let store = client.store(for: Item(id: 0))
                store.setValue(0)
                let tally = Tally()
                let subscriptions = (0..<count).map { _ in store.subscribe(with: QueryEventHandler { _, _ in tally.add() }) }
                let plain = PublishingStore()
                for _ in 0..<count { plain.add { _ in tally.add() } }
                let latest = Guarded(0)
                return (
                    Workload { count in
                        let first = latest.withLock { latest in
                            latest += count
                            return latest - count
                        }
                        for offset in 1...count { store.setValue(first + offset) }
                        discard(subscriptions)
                        discard(client)
                    },
                    floor: Workload { count in
                        for value in 0..<count { plain.setValue(value) }
                    }
                )
            }
        )
    }

    private static let parallel = Case(
        name: "publish.parallel2",
        summary: "one of many values set by two tasks, each in its own observed store; floor: as many by one task",
        kind: .time {
            let client = QueryClient.lasting()
            let stores = (0..<2).map { client.store(for: Item(id: $0)) }
            let subscriptions = stores.map { store in
                let tally = Tally()
                store.setValue(0)
                return store.subscribe(with: QueryEventHandler { _, _ in tally.add() })
            }
            return (
                Workload(batch: 20_000) { count in
                    await withTaskGroup { group in
                        for store in stores {
                            group.addTask {
                                for value in 1...max(count / 2, 1) { store.setValue(value) }
                            }
                        }
                    }
                },
                floor: Workload(batch: 20_000) { count in
                    for value in 1...count { stores[0].setValue(value) }
                    discard(subscriptions)
                    discard(client)
                }
            )
        }
    )
}
