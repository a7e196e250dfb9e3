import TestSupport
import Testing

@testable import QueryKit

/// Real threads against one client. Runs under the thread sanitizer in CI.
struct ClientConcurrencyTests {
    @Test func `R6 threads that ask for one request at the same time get one store`() async {
        for _ in 0..<200 {
            let client = TestBench().client
            let stores = await withTaskGroup(of: QueryStore<QueryState<Int?, Int>>.self) { group in
                for _ in 0..<8 { group.addTask { client.store(for: Number()) } }
                return await group.reduce(into: Set<QueryStore<QueryState<Int?, Int>>>()) { $0.insert($1) }
            }
            #expect(stores.count == 1)
            #expect(client.storeCount == 1)
        }
    }

    @Test func `R15 stores that expire during use are neither lost nor duplicated`() async throws {
        let bench = TestBench()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for _ in 0..<300 { bench.clock.advance(by: .seconds(300)) } }
            group.addTask { for _ in 0..<100 { bench.client.clear() } }
            for _ in 0..<3 {
                group.addTask {
                    for id in 0..<300 {
                        let store = bench.client.store(for: Number(id % 7))
                        let subscription = store.record(Recorder())
                        #expect(bench.client.store(for: Number(id % 7)) == store)
                        subscription.cancel()
                    }
                }
            }
        }
        await bench.client.settled()
        bench.clock.advance(by: .seconds(300))
        #expect(bench.client.storeCount == 0)
        #expect(bench.client.runningCount() == 0)
        #expect(bench.client.byteCount == 0)
    }

    @Test func `R15 the store limit holds while many threads add stores`() async throws {
        let bench = TestBench(configuration: QueryClient.Configuration(storeLimit: 50))
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask { for id in 0..<500 { bench.client.setValue(id, for: Number(task * 1000 + id)) } }
            }
        }
        bench.client.setValue(0, for: Number(-1))
        #expect(bench.client.storeCount <= 50)
    }

    @Test func `R17 invalidations by pattern are safe while stores are created and removed on other threads`() async throws {
        let bench = TestBench()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for _ in 0..<200 { bench.client.invalidate("number/**") } }
            group.addTask { for _ in 0..<200 { _ = bench.client.stores(matching: ["number", .any]).count } }
            group.addTask { for _ in 0..<200 { bench.client.cancel("number/**") } }
            for _ in 0..<2 {
                group.addTask {
                    for id in 0..<200 { _ = try? await bench.client.fetch(Number(id % 20)) }
                }
            }
            group.addTask { for _ in 0..<50 { bench.client.remove("number/**") } }
        }
        await bench.client.settled()
        #expect(bench.client.runningCount() == 0)
        #expect(bench.client.storeCount <= 20)
    }

    @Test func `settled returns only after every run has ended and its result was delivered`() async throws {
        let bench = TestBench()
        for round in 0..<100 {
            let seen = Recorder<Int?>()
            let store = bench.client.store(for: Number(round))
            let subscription = store.subscribe(with: QueryEventHandler { state, _ in seen.note(state.value) })
            await bench.client.settled()
            #expect(seen.last == .some(store.value))
            #expect(store.value != nil)
            subscription.cancel()
        }
    }
}
