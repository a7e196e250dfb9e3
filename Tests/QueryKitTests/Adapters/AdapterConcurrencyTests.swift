import Observation
import TestSupport
import Testing

@testable import QueryKit

struct AdapterConcurrencyTests {
    private let bench = TestBench()
    private var store: QueryStore<Number.State> { bench.client.store(for: Number().enabled(false)) }

    @MainActor @Test func `a mirror observed on the main actor shows the last of many changes made by other threads`() async {
        let store = store
        let mirror = QueryMirror(store)
        for writer in 0..<4 {
            Task.detached { for value in 1...250 { store.setValue(writer * 1_000 + value) } }
        }
        // No two consecutive writes are equal, so 1,000 writes give 1,000 states after the first one.
        var revisions: [Int] = []
        while revisions.last != 1_000 { revisions.append(await change(of: { mirror.revision })) }
        #expect(revisions == revisions.sorted())
        #expect(mirror.value == store.value)
    }

    @MainActor @Test func `observers of a shared query see the last of many changes made by other threads`() async {
        let store = store
        let query = SharedQuery(Number().enabled(false), client: bench.client)
        for writer in 0..<4 {
            Task.detached { for value in 1...250 { store.setValue(writer * 1_000 + value) } }
        }
        while query.revision != 1_000 { _ = await change(of: { query.revision }) }
        #expect(query.value == store.value)
    }

    @Test func `a shared query first read by many threads at once subscribes once`() async {
        let query = SharedQuery(Number(), client: bench.client)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { _ = query.value } }
        }
        #expect(query.store.subscriberCount == 1)
        await bench.client.settled()
        #expect(bench.backend.count == 1)
    }

    @Test func `concurrent threads that make different clients current each see their own client`() async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    let client = QueryClient(configuration: .isolated)
                    await QueryClient.with(client) {
                        for _ in 0..<20 {
                            await Task.yield()
                            #expect(QueryClient.current === client)
                        }
                    }
                }
            }
        }
    }
}
