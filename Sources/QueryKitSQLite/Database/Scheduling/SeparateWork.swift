@preconcurrency import Dispatch
import QueryKit

/// Long work on separate connections, such as copies and checks. Each piece of work has a system thread, never one of the cooperative pool.
final class SeparateWork: Sendable {
    typealias PauseReason = Lanes.PauseReason

    private struct State {
        /// Each with the number of the latest suspension; 0 for other reasons.
        var pauseReasons: [PauseReason: Int] = [:]
        var isClosed = false
        var runningCount = 0
        /// Callers that wait until nothing is running.
        var idleWaiters: [CheckedContinuation<Void, Never>] = []
        /// Work that starts when the database resumes.
        var waiting: [@Sendable (_ isClosed: Bool) -> Void] = []
    }

    private let state = Lock(State())
    private let label: String

    init(name: String) { label = "QueryKitSQLite.\(name).separate" }

    /// Performs work on a separate thread. The work polls regularly whether it was cancelled.
    func perform<Value: Sendable>(_ work: @escaping @Sendable (any Interruptible) throws -> Value) async throws -> Value {
        try Task.checkCancellation()
        let job = SeparateJob()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { caller in
                begin { [self] isClosed in
                    if isClosed { return caller.resume(throwing: Lanes.closedError) }
                    DispatchQueue(label: label).async {
                        let result = Result {
                            if job.isCancelled { throw CancellationError() }
                            return try work(job)
                        }
                        self.end()
                        caller.resume(with: result)
                    }
                }
            }
        } onCancel: {
            job.cancel()
        }
    }

    private func begin(_ start: @escaping @Sendable (_ isClosed: Bool) -> Void) {
        let (begins, isClosed) = state.withLock { state in
            if !state.isClosed, !state.pauseReasons.isEmpty {
                state.waiting.append(start)
                return (false, false)
            }
            if !state.isClosed { state.runningCount += 1 }
            return (true, state.isClosed)
        }
        if begins { start(isClosed) }
    }

    private func end() {
        let waiters = state.withLock { state in
            state.runningCount -= 1
            guard state.runningCount == 0 else { return [] as [CheckedContinuation<Void, Never>] }
            defer { state.idleWaiters = [] }
            return state.idleWaiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Lets no work start, and waits for running work.
    func pause(_ reason: PauseReason, suspension: Int = 0) async {
        await withCheckedContinuation { waiter in
            let isIdle = state.withLock { state in
                state.pauseReasons[reason] = max(state.pauseReasons[reason] ?? 0, suspension)
                if state.runningCount > 0 { state.idleWaiters.append(waiter) }
                return state.runningCount == 0
            }
            if isIdle { waiter.resume() }
        }
    }

    /// The number of pieces of work that wait for the end of a pause.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Whether this reason prevents work.
    func isPaused(for reason: PauseReason) -> Bool { state.withLock { $0.pauseReasons[reason] != nil } }

    /// Ends one reason for the pause. If no other remains, starts the waiting work.
    ///
    /// - Parameter suspension: The number of the latest suspension that has ended. A later one continues.
    func resume(_ reason: PauseReason, suspension: Int = .max) {
        let (starts, waiters) = state.withLock { state -> ([@Sendable (Bool) -> Void], [CheckedContinuation<Void, Never>]) in
            if let number = state.pauseReasons[reason], number <= suspension { state.pauseReasons[reason] = nil }
            guard state.pauseReasons.isEmpty else { return ([], []) }
            defer {
                state.waiting = []
                state.idleWaiters = []
            }
            state.runningCount += state.waiting.count
            return (state.waiting, state.idleWaiters)
        }
        for start in starts { start(false) }
        for waiter in waiters { waiter.resume() }
    }

    /// Starts no further work; running work finishes.
    func close() async {
        let waiting = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for start in waiting { start(true) }
        await pause(.suspension)
    }
}

/// A piece of work outside the lanes.
private final class SeparateJob: Interruptible, Sendable {
    private let state = Lock(false)

    var isCancelled: Bool { state.withLock { $0 } }

    func cancel() { state.withLock { $0 = true } }
}
