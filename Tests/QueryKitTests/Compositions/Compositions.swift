import Foundation
import QueryKit
import TestSupport
import Testing

/// Several features at once: a fetch inside a fetch, a change between two steps, a slow handler, a second observer with other settings.
///
/// The tests run one at a time, because some of them block a thread.
@Suite(.serialized, .timeLimit(.minutes(5))) enum Compositions {}

// MARK: Waiting

/// Waits until a condition holds; returns whether it did within the limit.
///
/// The default limit is for conditions that must hold. Pass ``shortTimeLimit`` for conditions that may never hold.
///
/// This also yields once per millisecond of the limit, so that other tasks run even on a busy machine.
@discardableResult
func reaches(within limit: Duration = .seconds(20), _ condition: () -> Bool) async -> Bool {
    let deadline = ContinuousClock.now + limit
    var turns = limit / .milliseconds(1)
    while !condition() {
        if turns <= 0, ContinuousClock.now > deadline { return condition() }
        await Task.yield()
        turns -= 1
    }
    return true
}

/// How long a test waits for something that a bug would prevent.
let shortTimeLimit = Duration.milliseconds(500)

/// Runs some work and returns whether it ended within the limit; otherwise cancels it.
func ends(within limit: Duration = shortTimeLimit, _ work: @escaping @Sendable () async -> Void) async -> Bool {
    let isOver = Lock(false)
    let task = Task {
        await work()
        isOver.withLock { $0 = true }
    }
    defer { task.cancel() }
    return await reaches(within: limit) { isOver.withLock { $0 } }
}

// MARK: Threads

/// Blocks a thread inside a handler until the test opens it. Gives up after its limit, so that a bug blocks no thread forever.
final class Valve: Sendable {
    private let isOpen = Lock(false)
    private let blocked = Lock(0)
    private let condition = NSCondition()

    /// How many threads have arrived so far.
    var arrivals: Int { blocked.withLock { $0 } }

    /// Whether the valve was opened within the limit.
    @discardableResult
    func wait(upTo limit: TimeInterval = 60) -> Bool {
        blocked.withLock { $0 += 1 }
        let deadline = Date(timeIntervalSinceNow: limit)
        condition.lock()
        defer { condition.unlock() }
        while !isOpen.withLock({ $0 }) {
            if !condition.wait(until: deadline) { return isOpen.withLock { $0 } }
        }
        return true
    }

    func open() {
        condition.lock()
        defer { condition.unlock() }
        isOpen.withLock { $0 = true }
        condition.broadcast()
    }
}

/// Holds one fetch as a gate does, but the fetch counts as working, as during any wait that QueryKit can't see.
final class BusyGate: Sendable {
    private let (stream, signal) = AsyncStream.makeStream(of: Void.self)
    private let hasArrived = Lock(false)

    func pass() async {
        hasArrived.withLock { $0 = true }
        for await _ in stream {}
    }

    func arrived() async { await reaches { hasArrived.withLock { $0 } } }

    func open() { signal.finish() }
}

/// An actor whose jobs the test can hold back: a continuation resumed while it is held runs after ``release()``.
actor Holdable {
    private let executor = Executor()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    nonisolated func hold() { executor.hold() }

    nonisolated func release() { executor.release() }

    /// Runs some work on the actor.
    func run<Result: Sendable>(_ work: @Sendable () async throws -> Result) async rethrows -> Result { try await work() }

    private final class Executor: SerialExecutor {
        private let state = Lock<(isHeld: Bool, jobs: [UnownedJob])>((false, []))
        private let queue = DispatchQueue(label: "holdable")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            let runsNow = state.withLock { state in
                if state.isHeld { state.jobs.append(job) }
                return !state.isHeld
            }
            if runsNow { run(job) }
        }

        func hold() { state.withLock { $0.isHeld = true } }

        func release() {
            let jobs = state.withLock { state in
                defer { state = (false, []) }
                return state.jobs
            }
            for job in jobs { run(job) }
        }

        private func run(_ job: UnownedJob) {
            queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }
}

// MARK: Sources

/// A number that fetches read and tests change, with its own region.
final class Source: Sendable {
    private let value = Lock(0)
    let region: QueryRegion

    init(_ name: String = "source") { region = QueryRegion(source: name) }

    /// Notes the region, and then reads.
    func read() -> Int {
        QueryReads.note([region])
        return value.withLock { $0 }
    }

    /// Changes the number and notifies a client.
    func change(to new: Int, in client: QueryClient) {
        value.withLock { $0 = new }
        client.changed([region])
    }
}

/// A trigger that the test fires.
final class Bell: Sendable {
    private let listeners = Lock<[Int: @Sendable () -> Void]>([:])
    private let name: String

    init(_ name: String = "bell") { self.name = name }

    var listenerCount: Int { listeners.withLock { $0.count } }

    func ring() {
        for fire in listeners.withLock({ Array($0.values) }) { fire() }
    }

    var trigger: QueryTrigger {
        QueryTrigger(name) { [self] _, fire in
            let number = listeners.withLock { listeners in
                let number = (listeners.keys.max() ?? 0) + 1
                listeners[number] = fire
                return number
            }
            return QuerySubscription { self.listeners.withLock { $0[number] = nil } }
        }
    }
}

// MARK: Sessions

/// Ends the session on the first call of ``happen()`` after it was armed.
final class LogOut: Sendable {
    private let client = Lock<QueryClient?>(nil)
    private let next: String?

    init(to next: String? = "b") { self.next = next }

    func arm(_ client: QueryClient) { self.client.withLock { $0 = client } }

    @discardableResult
    func happen() -> Bool {
        let armed = client.withLock { client in
            defer { client = nil }
            return client
        }
        armed?.reset(session: next)
        return armed != nil
    }
}
