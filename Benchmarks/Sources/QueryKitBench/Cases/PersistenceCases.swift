import Foundation
import QueryKit

extension Case {
    static let persistenceCases = [dehydrate, caller, invalidation]

    private static let dehydrate = Case(
        name: "persist.5000",
        summary: "client.dehydrate() of 5,000 values, per value; floor: JSON of the same values in a plain loop",
        sampleLimit: 50,
        kind: .time {
            let count = 5_000
            let client = QueryClient(configuration: .isolated)
            for id in 0..<count { client.setValue(Line(id: id), for: LineItem(id: id).archived()) }
            let lines = (0..<count).map { Line(id: $0) }
            return (
                Workload(batch: count) { _ in discard(try await client.dehydrate()) },
                floor: Workload(batch: count) { _ in
                    var all: [Data] = []
                    for line in lines { all.append(try JSONEncoder().encode(line)) }
                    discard(all)
                }
            )
        }
    )

    private static let caller = Case(
        name: "persist.caller",
        summary: "setValue on the store of a persisted request; floor: setValue on one that is not",
        kind: .time {
            let client = QueryClient(configuration: .isolated)
            let cache = MemoryQueryCache()
            let persisted = client.store(for: LineItem(id: 0).persisted(in: cache))
            let plain = client.store(for: LineItem(id: 1))
            func write(to store: QueryStore<QueryState<Line?, Line>>) -> Workload {
                Workload {
                    await client.settled()
                } run: { count in
                    for id in 0..<count { store.setValue(Line(id: id)) }
                }
            }
            return (write(to: persisted), floor: write(to: plain))
        }
    )

    private static let invalidation = Case(
        name: "persist.invalidate",
        summary: "client.invalidate of one request while 5,000 archived values wait for their requests; floor: the same without an archive",
        kind: .time {
            let former = QueryClient(configuration: .isolated)
            for id in 0..<5_000 { former.setValue(Line(id: id), for: LineItem(id: id).archived()) }
            let archive = try await former.dehydrate()
            func invalidate(_ client: QueryClient) -> Workload {
                let pattern: QueryPattern = ["line", 7]
                return Workload { count in
                    for _ in 0..<count { client.invalidate(pattern) }
                }
            }
            let waiting = QueryClient(configuration: .isolated)
            await waiting.hydrate(from: archive)
            return (invalidate(waiting), floor: invalidate(QueryClient(configuration: .isolated)))
        }
    )
}

/// A value with several fields, as in a typical list.
private struct Line: Codable, Sendable, Equatable {
    let id: Int
    let name: String
    let amount: Double
    let tags: [String]

    init(id: Int) {
        self.id = id
        name = "Line number \(id)"
        amount = Double(id) / 4
        tags = ["one", "two"]
    }
}

private struct LineItem: QueryRequest {
    let id: Int

    var path: QueryPath { ["line", id] }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Line>) async throws -> Line { Line(id: id) }
}
