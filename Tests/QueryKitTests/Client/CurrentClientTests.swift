import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// Serialized because it is the only suite that sets the shared client; all others pass their own.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct CurrentClientTests {
    @Test func `the shared client stays the same until another is set`() {
        let first = QueryClient.shared
        #expect(QueryClient.shared === first)
        #expect(QueryClient.current === first)
        let second = QueryClient(configuration: .isolated)
        QueryClient.shared = second
        #expect(QueryClient.shared === second)
        #expect(QueryClient.current === second)
    }

    @Test func `a shared query without a client uses the shared client as of its first use`() {
        let query = SharedQuery(Number())
        QueryClient.shared = QueryClient(configuration: .isolated)
        let shared = QueryClient.shared
        #expect(query.store == shared.store(for: Number()))
        QueryClient.shared = QueryClient(configuration: .isolated)
        #expect(query.store == shared.store(for: Number()))
    }

    @Test func `a client is current inside its with block and in child tasks, but not afterwards or in detached tasks`() async {
        let client = QueryClient(configuration: .isolated)
        QueryClient.with(client) { #expect(QueryClient.current === client) }
        #expect(QueryClient.current !== client)
        await QueryClient.with(client) {
            await Task.yield()
            #expect(QueryClient.current === client)
            #expect(await Task { QueryClient.current === client }.value)
            #expect(await Task.detached { QueryClient.current === client }.value == false)
        }
    }

    @Test func `with blocks can be nested, and pass on results and errors`() throws {
        let outer = QueryClient(configuration: .isolated)
        let inner = QueryClient(configuration: .isolated)
        let result = QueryClient.with(outer) {
            QueryClient.with(inner) { QueryClient.current === inner } && QueryClient.current === outer
        }
        #expect(result)
        #expect(throws: TestError.self) { try QueryClient.with(outer) { throw TestError() } }
    }

    @MainActor @Test func `an async operation in a with block stays on its actor`() async {
        await QueryClient.with(QueryClient(configuration: .isolated)) {
            MainActor.assertIsolated()
            await Task.yield()
            MainActor.assertIsolated()
        }
    }

    @Test func `a task that outlives its with block does not keep the client alive`() async throws {
        let gate = Gate()
        weak var ended: QueryClient?
        let task: Task<Bool, any Error>
        do {
            let client = QueryClient(configuration: .isolated)
            ended = client
            task = QueryClient.with(client) {
                Task {
                    try await gate.pass()
                    return QueryClient.current === QueryClient.shared
                }
            }
        }
        await gate.arrived()
        #expect(ended == nil)
        gate.open()
        #expect(try await task.value)
    }

    @Test func `a hanging run does not keep the client alive that was current when it started`() async {
        let gate = Gate()
        weak var ended: QueryClient?
        let subscription: QuerySubscription
        do {
            let bench = TestBench { _ in
                try await gate.pass()
                return 1
            }
            ended = bench.client
            subscription = QueryClient.with(bench.client) { bench.client.store(for: Number()).record(Recorder()) }
        }
        #expect(ended == nil)
        subscription.cancel()
    }
}
