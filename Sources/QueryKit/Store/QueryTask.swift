/// A fetch that can be started, awaited and cancelled independently of the code that created it; see ``QueryStore/fetchTask(using:)``.
///
/// All copies refer to the same task. The fetch begins when you call ``start()`` or await ``value``.
///
/// ```swift
/// let task = store.fetchTask().start()
/// button.onCancel = { task.cancel() }
/// let entries = try await task.value
/// ```
public struct QueryTask<Value: Sendable>: Hashable, Identifiable, Sendable {
    /// Identifies a task.
    public struct ID: Hashable, Sendable {
        let reference: ObjectIdentifier
    }

    private enum Phase: Sendable {
        case waiting
        case running(Task<Value, any Error>)
        case cancelled(Task<Value, any Error>?)
        /// The fetch ended without having been cancelled.
        case ended(Task<Value, any Error>)
    }

    private final class Reference: Sendable {
        let fetch: @Sendable () async throws -> Value
        let path: @Sendable () -> QueryPath
        let phase = Lock(Phase.waiting)

        init(path: @escaping @Sendable () -> QueryPath, fetch: @escaping @Sendable () async throws -> Value) {
            self.path = path
            self.fetch = fetch
        }

        /// Notes that the fetch has ended, so that it can no longer be cancelled.
        func end() {
            phase.withLock { phase in
                if case .running(let task) = phase { phase = .ended(task) }
            }
        }
    }

    private let reference: Reference

    init(path: @escaping @Sendable () -> QueryPath, fetch: @escaping @Sendable () async throws -> Value) {
        reference = Reference(path: path, fetch: fetch)
    }

    public var id: ID { ID(reference: ObjectIdentifier(reference)) }

    /// The path of the request, as text for logs and debuggers. Computed on each access.
    public var name: String { reference.path().description }

    /// Whether the task was started or cancelled.
    public var isStarted: Bool {
        reference.phase.withLock { if case .waiting = $0 { false } else { true } }
    }

    /// Whether ``cancel()`` was called before the fetch ended.
    public var isCancelled: Bool {
        reference.phase.withLock { if case .cancelled = $0 { true } else { false } }
    }

    /// Starts the fetch at the priority of the caller, unless it has started already.
    ///
    /// The task doesn't inherit task-local values of the caller.
    @discardableResult
    public func start() -> QueryTask {
        _ = running()
        return self
    }

    /// The result of the fetch, which is started if necessary. A cancelled waiter returns at once, and the task continues for the others.
    ///
    /// A waiter of higher priority raises the priority of the task and of the run it waits for.
    public var value: Value {
        get async throws {
            guard let task = running() else { throw CancellationError() }
            let promise = Promise<Value>()
            // Awaiting a task's value ignores the waiter's own cancellation, so another task awaits it; that task ends with the fetch.
            let priority = Task.currentPriority
            Task(priority: priority) { promise.resolve(await task.result) }
            return try await promise.get()
        }
    }

    /// Cancels the fetch. Its run is cancelled too, unless another caller waits for it. Does nothing once the fetch has ended.
    public func cancel() {
        let task = reference.phase.withLock { phase -> Task<Value, any Error>? in
            switch phase {
            case .waiting:
                phase = .cancelled(nil)
                return nil
            case .running(let task):
                phase = .cancelled(task)
                return task
            case .cancelled, .ended:
                return nil
            }
        }
        task?.cancel()
    }

    /// The task of the fetch, which is started if necessary; `nil` if it was cancelled before it began.
    private func running() -> Task<Value, any Error>? {
        reference.phase.withLock { phase in
            switch phase {
            case .waiting:
                // Owned by the phase; `cancel()` cancels it. Detached: it inherits only the scope of the current run.
                let task = Task.detached(priority: Task.currentPriority) { [reference, scope = RunScope.current] in
                    defer { reference.end() }
                    return try await RunScope.$current.withValue(scope) { try await reference.fetch() }
                }
                phase = .running(task)
                return task
            case .running(let task), .ended(let task):
                return task
            case .cancelled(let task):
                return task
            }
        }
    }

    public static func == (left: QueryTask, right: QueryTask) -> Bool { left.reference === right.reference }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(reference)) }
}
