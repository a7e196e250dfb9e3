import QueryKit

extension Case {
    static let patternCases =
        [(10, "10"), (10_000, "10k"), (100_000, "100k")].map { invalidate(among: $0, suffix: $1) }
        + [search, running, cancel, remove]

    private static let groupSize = 10

    /// The pattern that matches the ten stores of the first group. Created once, so that only the search is measured.
    private static let firstGroup = QueryPattern.prefix(["group", 0])

    /// A client with `count` stores in groups of ten, each with a value.
    private static func grouped(_ count: Int) -> QueryClient {
        let client = QueryClient(configuration: .isolated)
        for id in 0..<count { client.store(for: GroupedItem(group: id / groupSize, id: id)).setValue(id) }
        return client
    }

    // MARK: Invalidation

    private static func invalidate(among count: Int, suffix: String) -> Case {
        Case(
            name: "invalidate.10of\(suffix)",
            summary: "client.invalidate(pattern) that matches ten of \(count) stores without observers; floor: "
                + (count == groupSize ? "ten locked objects from a dictionary" : "the same among ten"),
            kind: .time {
                (invalidation(among: count), floor: count == groupSize ? plainInvalidation : invalidation(among: groupSize))
            }
        )
    }

    /// One invalidation per sample, because the stores must be valid again before the next.
    private static func invalidation(among count: Int) -> Workload {
        let client = grouped(count)
        let stores = (0..<groupSize).map { client.store(for: GroupedItem(group: 0, id: $0)) }
        return Workload(batch: 1) {
            for (value, store) in stores.enumerated() { store.setValue(value) }
        } run: { count in
            for _ in 0..<count { client.invalidate(firstGroup) }
        }
    }

    static var plainInvalidation: Workload {
        let group = (0..<groupSize).map { Guarded(PlainStore($0)) }
        let groups = Guarded<[AnyHashable: [Guarded<PlainStore>]]>([AnyHashable(firstGroup): group])
        return Workload(batch: 1) { count in
            for _ in 0..<count {
                for store in groups.withLock({ $0[AnyHashable(firstGroup)] ?? [] }) { store.withLock { $0.isOutdated = true } }
            }
        }
    }

    // MARK: Search

    private static let search = Case(
        name: "pattern.stores10of100k",
        summary: "client.stores(matching:) that finds ten of 100,000; floor: the same among ten",
        kind: .time {
            func search(in client: QueryClient) -> Workload {
                Workload { count in
                    for _ in 0..<count { discard(client.stores(matching: firstGroup)) }
                }
            }
            return (search(in: grouped(100_000)), floor: search(in: grouped(groupSize)))
        }
    )

    private static let running = Case(
        name: "running.10of100k",
        summary: "client.runningCount(matching:) with ten runs among 100,000 stores; floor: the same among ten",
        kind: .time {
            func count(in client: QueryClient) -> Workload {
                let tasks = (0..<groupSize).map { client.store(for: EndlessItem(group: 0, id: $0)).fetchTask().start() }
                return Workload {
                    // The tasks started above join their runs a moment later.
                    while client.runningCount() < groupSize { await Task.yield() }
                } run: { count in
                    for _ in 0..<count { discard(client.runningCount(matching: firstGroup)) }
                    discard(tasks)
                }
            }
            return (count(in: grouped(100_000)), floor: count(in: QueryClient(configuration: .isolated)))
        }
    )

    // MARK: Ends

    private static let cancel = Case(
        name: "cancel.10of100k",
        summary: "client.cancel(pattern) of ten idle stores among 100,000, while ten others run; floor: the same among 20",
        kind: .time {
            func cancel(in client: QueryClient) -> Workload {
                let tasks = (0..<groupSize).map { client.store(for: EndlessItem(group: 1, id: $0)).fetchTask().start() }
                return Workload {
                    while client.runningCount() < groupSize { await Task.yield() }
                } run: { count in
                    for _ in 0..<count { client.cancel(firstGroup) }
                    discard(tasks)
                }
            }
            return (cancel(in: grouped(100_000)), floor: cancel(in: grouped(groupSize)))
        }
    )

    private static let remove = Case(
        name: "remove.10of100k",
        summary: "client.remove(pattern) of ten stores among 100,000, created again before each sample; floor: the same among ten",
        kind: .time {
            func remove(in client: QueryClient) -> Workload {
                Workload(batch: 1) {
                    for id in 0..<groupSize { client.store(for: GroupedItem(group: 0, id: id)).setValue(id) }
                } run: { count in
                    for _ in 0..<count { client.remove(firstGroup) }
                }
            }
            return (remove(in: grouped(100_000)), floor: remove(in: grouped(groupSize)))
        }
    )
}
