import Observation
import TestSupport
import Testing

@testable import QueryKit

@Suite(.timeLimit(.minutes(5)))
struct AdapterConcurrencyTests {
    private let bench = TestBench()
    private var store: QueryStore<Number.State> { bench.client.store(for: Number().enabled(false)) }

    @MainActor @Test func `changes from many threads reach a mirror on the main actor, and the last one does`() async {
        let store = store
        let mirror = QueryMirror(store)
        for writer in 0..<4 {
            Task.detached { for value in 1...250 { store.setValue(writer * 1_000 + value) } }
        }
        // 1,000 values of which no two neighbours are equal are 1,000 states after the first.
        var revisions: [Int] = []
        while revisions.last != 1_000 { revisions.append(await change(of: { mirror.revision })) }
        #expect(revisions == revisions.sorted())
        #expect(mirror.value == store.value)
    }

    @MainActor @Test func `changes from many threads reach those who observe a shared query, and the last one does`() async {
        let store = store
        let query = SharedQuery(Number().enabled(false), client: bench.client)
        for writer in 0..<4 {
            Task.detached { for value in 1...250 { store.setValue(writer * 1_000 + value) } }
        }
        while query.revision != 1_000 { _ = await change(of: { query.revision }) }
        #expect(query.value == store.value)
    }

    @Test func `many threads that read a shared query first subscribe once`() async {
        let query = SharedQuery(Number(), client: bench.client)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { _ = query.value } }
        }
        #expect(query.store.subscriberCount == 1)
        await bench.client.settled()
        #expect(bench.backend.count == 1)
    }

    @Test func `clients are made current on many threads at once without a mix-up`() async {
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
