/// The run in which the present task works, so that a fetch inside a fetch is known as such.
final class RunScope: Sendable {
    @TaskLocal private static var current: RunScope?

    private let store: any AnyQueryStore
    /// A task that a fetch left behind still sees the scope, but nobody waits for it there.
    private let isOver = Flag()

    private init(_ store: any AnyQueryStore) { self.store = store }

    /// Carries out a run of a store.
    static func run<Result>(
        for store: any AnyQueryStore,
        isolation: isolated (any Actor)? = #isolation,
        _ run: () async -> Result
    ) async -> Result {
        let scope = RunScope(store)
        defer { _ = scope.isOver.raise() }
        return await $current.withValue(scope, operation: run)
    }

    /// Calls handlers, which may be told of a change in the middle of a run: what they begin is not part of it.
    static func outside(_ call: () -> Void) {
        if current == nil { call() } else { $current.withValue(nil, operation: call) }
    }

    /// Runs `wait`, during which the present run, if there is one, depends on a store.
    static func waiting<Result>(
        for store: any AnyQueryStore,
        isolation: isolated (any Actor)? = #isolation,
        _ wait: () async throws -> Result
    ) async throws -> Result {
        guard let scope = current, !scope.isOver.isRaised else { return try await wait() }
        let waiting = scope.store
        if let circle = WaitGraph.shared.withLock({ $0.enter(waiting, waitsFor: store) }) {
            let way = circle.map(\.path.description).joined(separator: " → ")
            throw QueryError(.cycle, "Requests wait for each other in a circle: \(way).", path: store.path)
        }
        defer { WaitGraph.shared.withLock { $0.leave(waiting, waitsFor: store) } }
        return try await wait()
    }
}
