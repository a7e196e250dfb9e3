import QueryKit
import QueryKitTesting
import TestSupport
import Testing

private struct Item: QueryRequest {
    let path: QueryPath

    init(_ path: QueryPath) { self.path = path }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int { 1 }
}

struct PatternTests {
    private let client = TestBench().client

    private func names(_ pattern: QueryPattern) -> Set<String> {
        Set(client.stores(matching: pattern).map(\.path.description))
    }

    @Test func `stores are found by pattern`() {
        let stores = (["a", "a/b", "a/b/c", "a/x/c", "d"] as [QueryPath]).map { client.store(for: Item($0)) }
        #expect(names("a") == ["a"])
        #expect(names("a/**") == ["a", "a/b", "a/b/c", "a/x/c"])
        #expect(names("a/*") == ["a/b"])
        #expect(names("a/*/c") == ["a/b/c", "a/x/c"])
        #expect(names("**/c") == ["a/b/c", "a/x/c"])
        #expect(names("**/b/**") == ["a/b", "a/b/c"])
        #expect(names(.all).count == 5)
        #expect(names("nothing/**").isEmpty)
        withExtendedLifetime(stores) {}
    }

    @Test func `an empty pattern matches only the root path`() {
        let root = client.store(for: Item([]))
        let other = client.store(for: Item("a"))
        client.setValue(1, for: Item([]))
        client.setValue(1, for: Item("a"))
        client.invalidate("")
        #expect(root.isInvalidated)
        #expect(!other.isInvalidated)
    }

    @Test func `patterns find paths with 10,000 elements and elements that contain a slash`() {
        let long = QueryPath((0..<10_000).map { $0 })
        let slash: QueryPath = ["a/b", "c"]
        let stores = [client.store(for: Item(long)), client.store(for: Item(slash))]
        #expect(client.stores(matching: .path(long)).count == 1)
        #expect(client.stores(matching: .prefix(QueryPath((0..<5_000).map { $0 }))).count == 1)
        #expect(names("a/b/c").isEmpty)
        #expect(names("a\\/b/c") == ["a\\/b/c"])
        #expect(names(.path(slash)) == ["a\\/b/c"])
        client.remove(.all)
        #expect(client.storeCount == 0)
        withExtendedLifetime(stores) {}
    }

    @Test func `running stores are counted and cancelled by pattern`() async throws {
        let gate = Gate()
        let bench = TestBench { call in
            try await gate.pass()
            return call.number
        }
        let tasks = (1...3).map { id in Task { try await bench.client.fetch(Number(id)) } }
        await gate.arrived(3)
        #expect(bench.client.runningCount() == 3)
        #expect(bench.client.runningCount(matching: ["number", 2]) == 1)
        #expect(bench.client.runningCount(matching: "other/**") == 0)
        bench.client.cancel(["number", 2])
        #expect(bench.client.runningCount() == 2)
        await #expect(throws: CancellationError.self) { try await tasks[1].value }
        gate.open()
        _ = try await tasks[0].value
        _ = try await tasks[2].value
        #expect(bench.client.runningCount() == 0)
    }

    @Test func `stores are found by the type of their state`() {
        let store = client.store(for: Item("a"))
        #expect(client.stores(matching: .all, of: QueryState<Int?, Int>.self) == [store])
        #expect(client.stores(matching: .all, of: QueryState<String?, String>.self).isEmpty)
    }

    @Test func `refetch runs all matching requests, including unobserved and fresh ones`() async throws {
        let bench = TestBench()
        _ = try await bench.client.fetch(Number(1).ttl(.infinity))
        _ = try await bench.client.fetch(Number(2))
        bench.client.refetch(["number", 1])
        await bench.client.settled()
        #expect(bench.backend.fetched == [1, 2, 1])
        #expect(bench.client.store(for: Number(1)).cause == .manual)
    }
}
