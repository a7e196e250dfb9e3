import QueryKit
import TestSupport
import Testing

/// Requests that read a part of a source whose changes are not reported.
struct UnfollowedReadTests {
    private let shelf = QueryRegion(source: "shop", name: "shelf")

    @Test func `R32 the value of a request that reads what reports no changes is stale at once`() async throws {
        let bench = TestBench { call in
            QueryReads.current?.noteUnfollowed()
            return call.number
        }
        let store = bench.client.store(for: Number().ttl(.infinity))
        let subscription = store.record(Recorder())
        await bench.client.settled()
        #expect(store.value == 1 && store.isStale)
        #expect(bench.backend.count == 1)
        subscription.cancel()
    }

    @Test(arguments: Nesting.allCases)
    func `R32 R18 a request that fetches one of these is stale, too, and runs once per change`(_ nesting: Nesting) async throws {
        let bench = TestBench { [shelf] call in
            if call.number > 40 { throw TestError("The runs don't end.") }
            if call.id == 1 {
                QueryReads.current?.note([shelf])
                QueryReads.current?.noteUnfollowed()
                return call.number
            }
            return try await nesting.fetchInner(call.context) ?? -1
        }
        let outer = nesting.outer(bench.client)
        var subscriptions = [outer.record(Recorder())]
        await bench.client.settled()
        #expect(bench.backend.fetched == [2, 1] && outer.isStale)
        bench.client.changed([shelf])
        await bench.client.settled()
        #expect(bench.backend.fetched == [2, 1, 2, 1] && outer.isStale)
        // Both are observed, so a change concerns both.
        subscriptions.append(nesting.inner(bench.client).record(Recorder()))
        await bench.client.settled()
        let count = bench.backend.count
        bench.client.changed([shelf])
        await bench.client.settled()
        #expect(bench.backend.count <= count + 3 && outer.isStale)
        for subscription in subscriptions { subscription.cancel() }
    }
}

/// How the outer request fetches the inner one.
enum Nesting: CaseIterable {
    case plain, consistent, privately

    func outer(_ client: QueryClient) -> QueryStore<QueryState<Int?, Int>> {
        switch self {
        case .plain, .privately: client.store(for: Number(2).ttl(.infinity))
        case .consistent: client.store(for: Number(2).ttl(.infinity).consistent())
        }
    }

    func inner(_ client: QueryClient) -> QueryStore<QueryState<Int?, Int>> {
        switch self {
        case .plain, .privately: client.store(for: Number(1).ttl(.infinity))
        case .consistent: client.store(for: Number(1).ttl(.infinity).consistent())
        }
    }

    func fetchInner(_ context: QueryContext) async throws -> Int? {
        switch self {
        case .plain, .consistent: try await context.queryClient?.fetch(Number(1))
        case .privately: try await context.queryClient?.fetch(Number(1).deduplicated(false))
        }
    }
}
