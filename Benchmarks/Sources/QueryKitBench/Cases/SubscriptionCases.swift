import QueryKit

extension Case {
    static let subscriptionCases = [cycle]

    private static let cycle = Case(
        name: "subscribe.cycle",
        summary: "subscribing to a store with a fresh value, and cancelling; floor: a closure added to a dictionary, called, removed",
        kind: .time {
            let store = QueryClient.lasting().store(for: Item(id: 0))
            store.setValue(0)
            let tally = Tally()
            let handlers = Guarded<[Int: @Sendable () -> Void]>([:])
            return (
                Workload { count in
                    for _ in 0..<count {
                        let subscription = store.subscribe(with: QueryEventHandler { _, _ in tally.add() })
                        subscription.cancel()
                    }
                },
                floor: Workload { count in
                    for id in 0..<count {
                        let handler: @Sendable () -> Void = { tally.add() }
                        handlers.withLock { $0[id] = handler }
                        handler()
                        discard(handlers.withLock { $0.removeValue(forKey: id) })
                    }
                }
            )
        }
    )
}
