import QueryKit
import QueryKitInspector

extension Case {
    static let inspectorCases = [fetching(isOpen: false), publishing(isOpen: false), fetching(isOpen: true), publishing(isOpen: true)]

    /// The same operation on a client with an inspector, and on one without.
    private static func fetching(isOpen: Bool) -> Case {
        Case(
            name: "inspector.fetch" + (isOpen ? ".open" : ""),
            summary: "fetch.trivial on a client with an inspector \(isOpen ? "and an open page" : "that no page uses"); floor: without one",
            kind: .time {
                func workload(_ inspected: Inspected) -> Workload {
                    let store = inspected.client.store(for: Item(id: 0))
                    return Workload { count in
                        for _ in 0..<count { discard(try await store.fetch()) }
                        discard(inspected)
                    }
                }
                let (inspected, plain) = (QueryClient(configuration: .isolated), QueryClient(configuration: .isolated))
                return (workload(try await .make(inspected, isOpen: isOpen)), floor: workload(Inspected(client: plain)))
            }
        )
    }

    private static func publishing(isOpen: Bool) -> Case {
        Case(
            name: "inspector.publish" + (isOpen ? ".open" : ""),
            summary:
                "publish.fanout1 on a client with an inspector \(isOpen ? "and an open page" : "that no page uses"); floor: without one",
            kind: .time {
                func workload(_ inspected: Inspected) -> Workload {
                    let store = inspected.client.store(for: Item(id: 0))
                    store.setValue(0)
                    let tally = Tally()
                    let subscription = store.subscribe(with: QueryEventHandler { _, _ in tally.add() })
                    let latest = Guarded(0)
                    return Workload { count in
                        let first = latest.withLock { latest in
                            latest += count
                            return latest - count
                        }
                        for offset in 1...count { store.setValue(first + offset) }
                        discard(subscription)
                        discard(inspected)
                    }
                }
                let (inspected, plain) = (QueryClient.lasting(), QueryClient.lasting())
                return (workload(try await .make(inspected, isOpen: isOpen)), floor: workload(Inspected(client: plain)))
            }
        )
    }
}

/// A client with what watches it.
private struct Inspected: Sendable {
    let client: QueryClient
    var inspector: QueryInspector?
    var page: OpenPage?

    /// A client with an inspector, and with a page if `isOpen` is `true`.
    static func make(_ client: QueryClient, isOpen: Bool) async throws -> Inspected {
        let inspector = try await QueryInspector.start(client, announce: { _ in })
        guard isOpen else { return Inspected(client: client, inspector: inspector) }
        return Inspected(client: client, inspector: inspector, page: try OpenPage(of: inspector))
    }
}
