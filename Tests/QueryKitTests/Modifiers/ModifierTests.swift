import QueryKit
import QueryKitTesting
import TestSupport
import Testing

private struct Doubled<Request: QueryRequest>: QueryModifier where Request.Value == Int {
    func fetch(
        in context: QueryContext,
        using request: Request,
        with continuation: QueryContinuation<Int>
    ) async throws -> Int {
        try await 2 * request.fetch(in: context, with: continuation)
    }
}

extension QueryRequest where Value == Int {
    fileprivate func doubled() -> some QueryRequest<Value, State> { modifier(Doubled()) }
}

struct ModifierTests {
    private let bench = TestBench()
    private var client: QueryClient { bench.client }

    @Test func `a modified request has the identity, path and state of its base`() {
        let modified = Number(3).ttl(.seconds(1)).retry(limit: 2).doubled()
        #expect(modified.identity == Number(3).identity)
        #expect(modified.path == Number(3).path)
        #expect(client.store(for: modified) == client.store(for: Number(3)))
    }

    @Test func `a custom modifier wraps the fetch`() async throws {
        #expect(try await client.fetch(Number().doubled().doubled()) == 4)
    }

    @Test func `the outer of two modifiers for the same setting wins`() {
        #expect(client.store(for: Number(1).ttl(.seconds(1)).ttl(.seconds(2))).context.ttl == .seconds(2))
    }

    @Test func `settings of the request win over defaults, and later defaults over earlier ones`() {
        struct Own: QueryRequest {
            var path: QueryPath { ["own", 1] }
            func setup(context: inout QueryContext) { context.ttl = .seconds(40) }
            func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int { 0 }
        }
        var configuration = QueryClient.Configuration.isolated
        configuration.setDefaults { $0.ttl = .seconds(10) }
        configuration.setDefaults(matching: "number/**") { $0.ttl = .seconds(20) }
        configuration.setDefaults(matching: "own/**") { $0.ttl = .seconds(30) }
        let client = TestBench(configuration: configuration).client
        #expect(client.store(for: Number()).context.ttl == .seconds(20))
        #expect(client.store(for: Own()).context.ttl == .seconds(40))
        #expect(client.store(for: Own().ttl(.seconds(50))).context.ttl == .seconds(50))
    }

    @Test func `R30 each store has the settings of the request it was created with`() {
        let store = client.store(for: Number().ttl(.seconds(5)))
        let plain = client.store(for: Number())
        let other = client.store(for: Number().ttl(.seconds(7)))
        #expect([store, plain, other].map(\.context.ttl) == [.seconds(5), .zero, .seconds(7)])
        #expect(store == plain && store == other)
    }

    @Test func `a placeholder is shown until the first result, and again after a reset`() async throws {
        let store = client.store(for: Number().placeholder(50).enabled(false))
        let seen = Recorder<String>()
        let subscription = store.record(seen)
        _ = try await store.fetch()
        store.reset()
        #expect(seen.all == ["idle shows 50", "loading shows 50", "1", "idle shows 50"])
        subscription.cancel()
    }

    @Test func `a placeholder does not replace a value`() async throws {
        _ = try await client.fetch(Number())
        #expect(client.store(for: Number().placeholder(50)).value == 1)
        #expect(!client.store(for: Number()).isPlaceholder)
    }

    @Test func `keepingPrevious shows the previous request's value until the request has its own`() async throws {
        let gate = Gate()
        let first = client.store(for: Number(1).keepingPrevious())
        _ = try await first.fetch()
        bench.backend.behave { call in
            try await gate.pass()
            return 100 + call.id
        }
        let second = client.store(for: Number(2).keepingPrevious())
        let seen = Recorder<String>()
        let subscription = second.record(seen)
        await gate.arrived()
        #expect(client.value(for: Number(2)) == nil)
        gate.open()
        await client.settled()
        #expect(seen.all == ["idle shows 1", "loading shows 1", "102"])
        #expect(client.store(for: Number(1).keepingPrevious()).value == 1)
        subscription.cancel()
    }

    @Test func `keepingPrevious passes a value on across several requests, but never to another type`() async throws {
        struct Other: QueryRequest {
            func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int { 0 }
        }
        _ = try await client.fetch(Number(1).keepingPrevious())
        _ = client.store(for: Number(2).keepingPrevious())
        #expect(client.store(for: Number(3).keepingPrevious()).value == 1)
        #expect(client.store(for: Number(4)).value == nil)
        #expect(client.store(for: Other().keepingPrevious()).value == nil)
    }

    @Test func `deduplicated(false) fetches for each caller, and the value of the latest fetch is shown`() async throws {
        let gates = [Gate(), Gate()]
        bench.backend.behave { call in
            try await gates[call.number - 1].pass()
            return call.number
        }
        let store = client.store(for: Number().deduplicated(false))
        let first = Task { try await store.fetch() }
        await gates[0].arrived()
        let second = Task { try await store.fetch() }
        await gates[1].arrived()
        #expect(store.isFetching)
        gates[1].open()
        #expect(try await second.value == 2)
        #expect(store.isFetching)
        gates[0].open()
        #expect(try await first.value == 1)
        #expect(store.value == 2)
        #expect(!store.isFetching)
        await client.settled()
    }

    @Test func `deduplicated(false) does not multiply the runs that the library starts`() async throws {
        let store = client.store(for: Number().deduplicated(false))
        let subscription = store.record(Recorder())
        store.invalidate()
        await client.settled()
        #expect(bench.backend.count <= 2)
        subscription.cancel()
    }

    @Test func `the failure or cancellation of a private fetch ends only its own caller`() async throws {
        let gate = Gate()
        bench.backend.behave { call in
            if call.number == 1 { throw TestError() }
            try await gate.pass()
            return call.number
        }
        let store = client.store(for: Number().deduplicated(false))
        await #expect(throws: TestError.self) { try await store.fetch() }
        #expect(store.error is TestError)
        let task = Task { try await store.fetch() }
        await gate.arrived()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(!store.isFetching)
        #expect(store.error is TestError)
        await client.settled()
    }

    @Test func `a fetch with another context uses that context's dependencies and keeps the store's client`() async throws {
        let other = Backend { _ in 77 }
        bench.backend.behave { call in
            #expect(call.context.queryClient != nil)
            return call.number
        }
        other.behave { call in call.context.queryClient == nil ? -1 : 77 }
        var context = QueryContext()
        context.backend = other
        #expect(try await client.store(for: Number()).fetch(using: context) == 77)
        #expect(bench.backend.count == 0)
    }
}
