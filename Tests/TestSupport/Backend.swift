package import QueryKit

/// The source of the tests' requests: counts the fetches and runs the test's closure.
package final class Backend: Sendable {
    /// One call of a fetch.
    package struct Call: Sendable {
        package let id: Int
        /// The number of this fetch among those of all requests, starting with 1.
        package let number: Int
        package let context: QueryContext
        package let continuation: QueryContinuation<Int>
    }

    package typealias Behavior = @Sendable (Call) async throws -> Int

    private let calls = Lock<[Int]>([])
    // Boxed, because a closure as the value of a generic lock is wrapped once more by each access, which makes every fetch slower.
    private struct Rule { var behavior: Behavior }

    private let rule: Lock<Rule>

    /// Creates a backend; by default each fetch returns its number.
    package init(_ behavior: @escaping Behavior = { $0.number }) { rule = Lock(Rule(behavior: behavior)) }

    /// The fetched ids in order.
    package var fetched: [Int] { calls.withLock { $0 } }

    package var count: Int { calls.withLock { $0.count } }

    package func behave(_ behavior: @escaping Behavior) { rule.withLock { $0.behavior = behavior } }

    package func fetch(_ id: Int, _ context: QueryContext, _ continuation: QueryContinuation<Int>) async throws -> Int {
        let number = calls.withLock { calls in
            calls.append(id)
            return calls.count
        }
        let behavior = rule.withLock { $0.behavior }
        return try await behavior(Call(id: id, number: number, context: context, continuation: continuation))
    }
}

extension QueryContext {
    package enum BackendKey: Key {
        package static let defaultValue = Backend()
    }

    package var backend: Backend {
        get { self[BackendKey.self] }
        set { self[BackendKey.self] = newValue }
    }
}

/// A request for a number at `number/<id>`.
package struct Number: QueryRequest {
    package let id: Int

    package init(_ id: Int = 1) { self.id = id }

    package var path: QueryPath { ["number", id] }

    package func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        try await context.backend.fetch(id, context, continuation)
    }
}

/// An error with a name.
package struct TestError: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ description: String = "broken") { self.description = description }
}

/// A client that is isolated from the system and has a manual clock and its own backend.
///
/// With a network observer its runs are `.online`, so that they are paused before they fetch anything.
package struct TestBench: Sendable {
    package let clock = ManualClock()
    package let backend: Backend
    package let client: QueryClient

    package init(
        configuration: QueryClient.Configuration = .isolated,
        network: (any NetworkObserver)? = nil,
        _ behavior: @escaping Backend.Behavior = { $0.number },
        adjusting adjust: (inout QueryContext) -> Void = { _ in }
    ) {
        backend = Backend(behavior)
        var context = QueryContext()
        context.clock = clock
        context.backend = backend
        context.networkObserver = network
        if network != nil { context.networkMode = .online }
        adjust(&context)
        client = QueryClient(context: context, configuration: configuration.isolated)
    }
}

/// A short text for a state, for comparing whole sequences.
package struct StateSummary: Equatable, Sendable, CustomStringConvertible {
    package let description: String

    package init<Value>(_ state: QueryState<Value?, Value>) {
        var text =
            switch state.status {
            case .idle: "idle"
            case .loading: "loading"
            case .result(.success(let value)): "\(value)"
            case .result(.failure(let error)): "failed(\(error))"
            }
        if case .result(.failure) = state.status, let value = state.value { text += " had \(value)" }
        if state.isPlaceholder, let value = state.value { text += " shows \(value)" }
        if state.isFetching, !state.isLoading { text += " fetching" }
        if state.isInvalidated { text += " invalidated" }
        if state.isPaused { text += " paused" }
        if state.failureCount > 0 { text += " \(state.failureCount)x" }
        description = text
    }
}

extension QueryStore where State == QueryState<Int?, Int> {
    /// Subscribes and records the glance of each state.
    package func record(_ recorder: Recorder<String>) -> QuerySubscription {
        subscribe(with: QueryEventHandler { state, _ in recorder.note(StateSummary(state).description) })
    }
}
