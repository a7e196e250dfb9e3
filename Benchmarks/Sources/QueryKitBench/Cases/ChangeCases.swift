import Foundation
import QueryKit

extension Case {
    static let changeCases = [(10, "10"), (100_000, "100k")].map { changed(among: $0, suffix: $1) } + [overlay, mutation]

    // MARK: Regions

    /// A client with `count` stores. Each has read a shelf that it shares with nine others.
    private static func readers(_ count: Int) -> Workload {
        let client = QueryClient.lasting()
        let first = (0..<10).map { client.store(for: ShelvedItem(id: $0)) }
        var isRead = false
        return Workload(batch: 1) {
            if !isRead {
                for id in 0..<count { _ = try await client.fetch(ShelvedItem(id: id)) }
            }
            isRead = true
            for (value, store) in first.enumerated() { store.setValue(value) }
        } run: { count in
            for _ in 0..<count { client.changed([ShelvedItem.shelf(of: 0)]) }
        }
    }

    private static func changed(among count: Int, suffix: String) -> Case {
        Case(
            name: "changed.10of\(suffix)",
            summary: "client.changed of a region that ten of \(count) stores have read; floor: "
                + (count == 10 ? "ten locked objects from a dictionary" : "the same among ten"),
            sampleLimit: 50,
            kind: .time { (readers(count), floor: count == 10 ? plainInvalidation : readers(10)) }
        )
    }

    // MARK: Layers

    private static let overlay = Case(
        name: "layers.overlay10",
        summary: "store.setValue under ten layers of pending mutations; floor: the same store without layers",
        kind: .time {
            func write(layers: Int) async throws -> Workload {
                let client = QueryClient(configuration: .isolated)
                let store = client.store(for: Item(id: 1))
                store.setValue(0)
                for amount in 0..<layers { try client.store(for: EndlessAddition()).submit(amount) }
                var value = 0
                return Workload { count in
                    for _ in 0..<count {
                        value += 1
                        store.setValue(value)
                    }
                    discard(client)
                }
            }
            return (try await write(layers: 10), floor: try await write(layers: 0))
        }
    )

    // MARK: Mutations

    private static let mutation = Case(
        name: "mutation.trivial",
        summary: "await store.mutate(with:) of a mutation that returns at once; floor: await Task { 1 }.value",
        kind: .time {
            let client = QueryClient(configuration: .isolated)
            let store = client.store(for: Addition())
            return (
                Workload { count in
                    for number in 0..<count { discard(try await store.mutate(with: number)) }
                },
                floor: Workload { count in
                    for _ in 0..<count { discard(await Task { 1 }.value) }
                    discard(client)
                }
            )
        }
    )
}

/// An item that reads a shelf, which ten items share.
private struct ShelvedItem: QueryRequest {
    let id: Int

    static func shelf(of id: Int) -> QueryRegion { QueryRegion(source: "bench", name: "items", partition: "\(id / 10)") }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        QueryReads.note([Self.shelf(of: id)])
        return id
    }
}

private struct Addition: MutationRequest {
    func mutate(with amount: Int, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int { amount }
}

/// A mutation that runs for as long as the client exists.
private struct EndlessAddition: MutationRequest {
    func mutate(with amount: Int, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        while true { try await Task.sleep(for: .seconds(3_600)) }
    }

    func optimistic(with amount: Int, in layers: inout QueryLayers) {
        layers.update(Item(id: 1)) { $0 += amount }
    }
}
