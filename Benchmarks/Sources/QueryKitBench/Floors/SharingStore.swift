/// The simplest store that shares one fetch among concurrent callers: the floor of a fetch.
///
/// It does what every such store must do: a lock guards the state, a task with a task-local value performs the fetch, each caller can be
/// cancelled separately, and a registry counts the fetches. It has no settings, no freshness, no observers and no events.
final class SharingStore: Sendable {
    /// Counts the running fetches of several stores.
    final class Registry: Sendable {
        private let running = Guarded(0)

        func count(_ change: Int) { running.withLock { $0 += change } }
    }

    @TaskLocal private static var current: SharingStore?

    private struct State {
        var value: Int?
        var revision = 0
        var fetch: Task<Void, Never>?
        var isFetching = false
        var callers: [(number: Int, continuation: UnsafeContinuation<Int, any Error>)] = []
        var lastCaller = 0
    }

    private let state = Guarded(State())
    private let registry: Registry
    private let work: @Sendable () async throws -> Int

    init(in registry: Registry, _ work: @escaping @Sendable () async throws -> Int) {
        self.registry = registry
        self.work = work
    }

    func fetch() async throws -> Int {
        let number = state.withLock { state in
            state.lastCaller += 1
            return state.lastCaller
        }
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                if wait(number, continuation) { begin() }
            }
        } onCancel: {
            leave(number)
        }
    }

    /// Adds a caller to those that wait. Returns whether the fetch must be started.
    private func wait(_ number: Int, _ continuation: UnsafeContinuation<Int, any Error>) -> Bool {
        state.withLock { state in
            if Task.isCancelled {
                continuation.resume(throwing: CancellationError())
                return false
            }
            state.callers.append((number, continuation))
            defer { state.isFetching = true }
            return !state.isFetching
        }
    }

    private func begin() {
        registry.count(1)
        // Owned by the store until it ends.
        let task = Task.detached {
            do {
                let value = try await Self.$current.withValue(self) { try await self.work() }
                self.end(.success(value))
            } catch {
                self.end(.failure(error))
            }
        }
        state.withLock { if $0.isFetching { $0.fetch = task } }
    }

    private func end(_ result: Result<Int, any Error>) {
        let callers = state.withLock { state in
            defer { state.callers = [] }
            if case .success(let value) = result { state.value = value }
            state.revision += 1
            state.isFetching = false
            state.fetch = nil
            return state.callers
        }
        registry.count(-1)
        for caller in callers { caller.continuation.resume(with: result) }
    }

    private func leave(_ number: Int) {
        let caller = state.withLock { state in
            state.callers.firstIndex { $0.number == number }.map { state.callers.remove(at: $0) }
        }
        caller?.continuation.resume(throwing: CancellationError())
    }
}

/// The simplest store that publishes a value: stores it under a lock, then calls each listener of that moment without the lock.
final class PublishingStore: Sendable {
    private let state = Guarded<(value: Int, listeners: [@Sendable (Int) -> Void])>((0, []))

    func add(_ listener: @escaping @Sendable (Int) -> Void) { state.withLock { $0.listeners.append(listener) } }

    func setValue(_ value: Int) {
        let listeners = state.withLock { state in
            state.value = value
            return state.listeners
        }
        for listener in listeners { listener(value) }
    }
}
