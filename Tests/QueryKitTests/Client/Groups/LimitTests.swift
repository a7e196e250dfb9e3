import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// A request that fetches other requests once its gate is open.
private struct Outer: QueryRequest {
    let path: QueryPath
    let inner: [QueryPath]

    static func == (left: Outer, right: Outer) -> Bool { left.path == right.path }

    func hash(into hasher: inout Hasher) { hasher.combine(path) }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        try await context[OuterGate.self].pass()
        guard let client = context.queryClient else { throw TestError("no client") }
        var sum = 1
        for path in inner { sum += try await client.fetch(Outer(path: path, inner: [])) }
        return sum
    }
}

private enum OuterGate: QueryContext.Key {
    static var defaultValue: Gate {
        let gate = Gate()
        gate.open()
        return gate
    }
}

extension QueryClient {
    /// Waits until the given number of runs are queued.
    func stoodInLine(_ number: Int, of priority: TaskPriority) async {
        guard let gate = core.runGate as? LimitGate else { return }
        await reached { gate.waitingPriorities.dropFirst(number - 1).first == priority.rawValue }
    }

    func stoodInLine(_ count: Int) async {
        guard let gate = core.runGate as? LimitGate else { return }
        await reached { gate.waitingPriorities.count == count }
    }
}

/// Polls for a condition that has no notification. Runs at the lowest priority, so that the work it waits for goes first.
private func reached(_ isThere: @escaping @Sendable () -> Bool) async {
    await withCheckedContinuation { continuation in
        // Not awaited by its caller, which would raise its priority.
        Task.detached(priority: .background) {
            while !isThere() { await Task.yield() }
            continuation.resume()
        }
    }
}

struct LimitTests {
    private func limited(_ limits: [(Int, QueryPattern)], network: (any NetworkObserver)? = nil, _ gate: Gate = Gate()) -> TestBench {
        var configuration = QueryClient.Configuration.isolated
        for (count, pattern) in limits { configuration.setLimit(count, matching: pattern) }
        return TestBench(configuration: configuration, network: network) { call in
            try await gate.pass()
            return call.number
        }
    }

    @Test func `runs beyond a limit are queued and shown as fetching, not as paused`() async throws {
        let gate = Gate()
        let bench = limited([(2, "number/*")], gate)
        let subscriptions = (1...5).map { bench.client.store(for: Number($0)).record(Recorder()) }
        await gate.arrived(2)
        await bench.client.stoodInLine(3)
        #expect(bench.backend.count == 2)
        let states = (1...5).map { bench.client.store(for: Number($0)).state }
        #expect(states.allSatisfy { $0.isLoading && $0.isFetching && !$0.isPaused })
        gate.open()
        await bench.client.settled()
        #expect(bench.backend.count == 5)
        #expect((1...5).allSatisfy { bench.client.value(for: Number($0)) != nil })
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func `requests that don't match a limit's pattern are not limited, and setting a limit again replaces it`() async throws {
        let gate = Gate()
        var configuration = QueryClient.Configuration.isolated
        configuration.setLimit(5, matching: ["number", 1])
        configuration.setLimit(0, matching: ["number", 1])
        #expect(configuration.limits.map(\.count) == [1])
        let bench = TestBench(configuration: configuration) { call in
            if call.id == 1 { try await gate.pass() }
            return call.number
        }
        let task = Task { try await bench.client.fetch(Number(1)) }
        await gate.arrived()
        #expect(try await bench.client.fetch(Number(2)) == 2)
        gate.open()
        _ = try await task.value
        #expect(TestBench().client.core.runGate == nil)
    }

    @Test func `queued runs start by priority, then by arrival`() async throws {
        let gate = Gate()
        let bench = limited([(1, .all)], gate)
        var tasks = [Task { try await bench.client.fetch(Number(0)) }]
        await gate.arrived()
        for (id, priority) in [(1, TaskPriority.low), (2, .high), (3, .low), (4, .high), (5, .medium)] {
            tasks.append(Task(priority: priority) { try await bench.client.fetch(Number(id)) })
            await bench.client.stoodInLine(tasks.count - 1)
        }
        gate.open()
        for task in tasks { _ = try await task.value }
        #expect(bench.backend.fetched == [0, 2, 4, 5, 1, 3])
    }

    @Test func `a caller of higher priority moves the queued run that it joins forward`() async throws {
        let gate = Gate()
        let bench = limited([(1, .all)], gate)
        var tasks = [Task { try await bench.client.fetch(Number(0)) }]
        await gate.arrived()
        for id in 1...2 {
            tasks.append(Task(priority: .low) { try await bench.client.fetch(Number(id)) })
            await bench.client.stoodInLine(id)
        }
        let store = bench.client.store(for: Number(2))
        tasks.append(Task(priority: .high) { try await store.fetch() })
        await bench.client.stoodInLine(2, of: .high)
        gate.open()
        for task in tasks { _ = try await task.value }
        #expect(bench.backend.fetched == [0, 2, 1])
    }

    @Test func `a cancelled run leaves the queue at once, and a failed run passes its slot on`() async throws {
        let gate = Gate()
        var configuration = QueryClient.Configuration.isolated
        configuration.setLimit(1)
        let bench = TestBench(configuration: configuration) { call in
            try await gate.pass()
            throw TestError()
        }
        let first = Task { try await bench.client.fetch(Number(0)) }
        await gate.arrived()
        let waiting = (1...3).map { id in Task { try await bench.client.fetch(Number(id)) } }
        await bench.client.stoodInLine(3)
        bench.client.cancel(["number", 2])
        let line = try #require(bench.client.core.runGate as? LimitGate)
        #expect(line.waitingPriorities.count == 2)
        await #expect(throws: CancellationError.self) { try await waiting[1].value }
        gate.open()
        for task in [first, waiting[0], waiting[2]] { await #expect(throws: TestError.self) { try await task.value } }
        #expect(Set(bench.backend.fetched) == [0, 1, 3])
    }

    @Test func `a run that waits for its next attempt or for the network holds no slot`() async throws {
        let network = ManualNetworkObserver(isOnline: true)
        var configuration = QueryClient.Configuration.isolated
        configuration.setLimit(1)
        let bench = TestBench(configuration: configuration, network: network) { call in
            if call.number == 1 { throw TestError() }
            return call.number
        }
        let store = bench.client.store(for: Number(1).retry(limit: 1, backoff: .constant(.seconds(1))))
        let subscription = store.record(Recorder())
        await bench.client.settled()
        #expect(try await bench.client.fetch(Number(2)) == 2)
        #expect(store.failureCount == 1 && store.isFetching)
        network.set(isOnline: false)
        bench.clock.advance(by: .seconds(1))
        await bench.client.settled()
        #expect(store.isPaused)
        #expect(try await bench.client.fetch(Number(3).networkMode(.always)) == 3)
        network.set(isOnline: true)
        await bench.client.settled()
        #expect(store.value == 4)
        subscription.cancel()
    }

    @Test func `a queued run whose network disappears waits for the network without holding a slot`() async throws {
        let gate = Gate()
        let network = ManualNetworkObserver(isOnline: true)
        let bench = limited([(1, .all)], network: network, gate)
        let first = Task { try await bench.client.fetch(Number(1)) }
        await gate.arrived()
        let second = Task { try await bench.client.fetch(Number(2)) }
        await bench.client.stoodInLine(1)
        network.set(isOnline: false)
        gate.open()
        _ = try await first.value
        await bench.client.settled()
        #expect(bench.client.store(for: Number(2)).isPaused)
        #expect(try await bench.client.fetch(Number(3).networkMode(.always)) == 2)
        network.set(isOnline: true)
        #expect(try await second.value == 3)
    }

    @Test func `a stream holds its slot only until its first value`() async throws {
        struct Ticks: StreamRequest {
            let id: Int
            func stream(in context: QueryContext) async throws -> AsyncStream<Int> {
                AsyncStream { continuation in continuation.yield(id) }
            }
        }
        var configuration = QueryClient.Configuration.isolated
        configuration.setLimit(1)
        let client = QueryClient(configuration: configuration)
        let stores = (1...3).map { client.store(for: Ticks(id: $0)) }
        let subscriptions = stores.map { $0.subscribe(with: QueryEventHandler()) }
        await client.settled()
        #expect(stores.map(\.value) == [1, 2, 3])
        #expect(stores.allSatisfy { $0.isLive })
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func `a fetch inside a fetch is not blocked by the limit in which the outer run holds a slot`() async throws {
        var configuration = QueryClient.Configuration.isolated
        configuration.setLimit(1)
        let client = QueryClient(configuration: configuration)
        #expect(try await client.fetch(Outer(path: "a", inner: ["b", "c"])) == 3)
        #expect(try await client.fetch(Outer(path: "d", inner: []).deduplicated(false)) == 1)
    }

    @Test func `a queued run starts at once when a run with a slot waits for it, even indirectly`() async throws {
        let gate = Gate()
        var context = QueryContext()
        context[OuterGate.self] = gate
        var configuration = QueryClient.Configuration.isolated
        configuration.setLimit(1, matching: "limited/*")
        let client = QueryClient(context: context, configuration: configuration)
        let outer = Task { try await client.fetch(Outer(path: "limited/outer", inner: ["free"])) }
        let middle = Task { try await client.fetch(Outer(path: "free", inner: ["limited/inner"])) }
        await gate.arrived(2)
        let inner = Task { try await client.fetch(Outer(path: "limited/inner", inner: [])) }
        await client.stoodInLine(1)
        gate.open()
        #expect(try await outer.value == 3)
        #expect(try await middle.value == 2)
        #expect(try await inner.value == 1)
        await client.settled()
    }

    @Test func `two limits whose runs fetch each other's requests don't deadlock`() async throws {
        let gate = Gate()
        var context = QueryContext()
        context[OuterGate.self] = gate
        var configuration = QueryClient.Configuration.isolated
        configuration.setLimit(1, matching: "a/*")
        configuration.setLimit(1, matching: "b/*")
        let client = QueryClient(context: context, configuration: configuration)
        let tasks = [("a/1", "b/2"), ("b/1", "a/2")].map { pair in
            Task { try await client.fetch(Outer(path: QueryPath(stringLiteral: pair.0), inner: [QueryPath(stringLiteral: pair.1)])) }
        }
        await gate.arrived(2)
        gate.open()
        for task in tasks { #expect(try await task.value == 2) }
    }
}
