#if Postgres
@preconcurrency import Dispatch
import QueryKit

/// Opens connections and lends them to transactions, as ``PoolState`` decides.
final class Pool: Sendable {
    /// A connection that a transaction uses alone.
    struct Lease: Sendable {
        let id: Int
        let connection: Connection
        let age: PoolState.Age
    }

    private struct Contents {
        var state: PoolState
        var connections: [Int: Connection] = [:]
        var waiting: [Int: CheckedContinuation<Lease, any Error>] = [:]
        var closing: [CheckedContinuation<Void, Never>] = []
        /// The attempts to connect. They end by their time limit; closing the pool cancels them.
        var attempts: [Int: Task<Void, Never>] = [:]
        var lastWaiter = 0
        /// The transactions that were cancelled before they began to wait.
        var cancelled: Set<Int> = []

        func lease(_ id: Int, _ age: PoolState.Age) -> Lease? {
            connections[id].map { Lease(id: id, connection: $0, age: age) }
        }
    }

    private static let timers = DispatchQueue(label: "QueryKit.postgres.pool")

    private let contents: Lock<Contents>
    private let open: @Sendable () async throws -> Connection

    init(_ limits: PoolState.Limits, open: @escaping @Sendable () async throws -> Connection) {
        contents = Lock(Contents(state: PoolState(limits)))
        self.open = open
    }

    /// The number of connections that are in use and idle.
    var counts: (leased: Int, idle: Int) { contents.withLock { ($0.state.leased.count, $0.state.idleCount) } }

    /// The number of transactions that wait.
    var waitingCount: Int { contents.withLock { $0.state.waitingCount } }

    // MARK: Lending

    /// Waits for a connection. One that hasn't been used for a long time is checked first.
    ///
    /// - Parameter holding: The connections of the transactions within whose closures the new transaction begins.
    func acquireChecked(within limit: Duration, holding: Set<Int>) async throws -> Lease {
        while true {
            let lease = try await acquire(holding: holding)
            guard lease.age == .old, await !lease.connection.isAlive(within: limit) else { return lease }
            release(lease)
            perform(contents.withLock { $0.state.closeOld(.now) })
        }
    }

    /// Waits for a connection. The transaction that has waited longest gets the next one.
    private func acquire(holding: Set<Int>) async throws -> Lease {
        try Task.checkCancellation()
        let (waiter, lease) = contents.withLock { contents -> (Int, Lease?) in
            contents.lastWaiter += 1
            let idle = contents.state.acquireIdle(.now)
            return (contents.lastWaiter, idle.flatMap { contents.lease($0, $1) })
        }
        if let lease { return lease }
        defer { contents.withLock { _ = $0.cancelled.remove(waiter) } }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let actions = contents.withLock { contents -> [PoolState.Action]? in
                    if contents.cancelled.contains(waiter) { return nil }
                    contents.waiting[waiter] = continuation
                    return contents.state.acquire(waiter, holding: holding, .now)
                }
                guard let actions else { return continuation.resume(throwing: CancellationError()) }
                perform(actions)
            }
        } onCancel: {
            let continuation = contents.withLock { contents in
                contents.cancelled.insert(waiter)
                return contents.state.cancel(waiter) ? contents.waiting.removeValue(forKey: waiter) : nil
            }
            continuation?.resume(throwing: CancellationError())
        }
    }

    /// Returns a connection.
    func release(_ lease: Lease) {
        let isReusable = lease.connection.isReusable
        perform(contents.withLock { $0.state.release(lease.id, isReusable: isReusable, .now) })
    }

    // MARK: Acting

    private func perform(_ actions: [PoolState.Action]) {
        for action in actions {
            switch action {
            case .lease(let id, let waiter, let age):
                let (continuation, lease) = contents.withLock { contents in
                    (contents.waiting.removeValue(forKey: waiter), contents.lease(id, age))
                }
                if let lease { continuation?.resume(returning: lease) }
            case .fail(let waiter, let error):
                contents.withLock { $0.waiting.removeValue(forKey: waiter) }?.resume(throwing: error)
            case .connect(let id): connect(id)
            case .close(let id): contents.withLock { $0.connections.removeValue(forKey: id) }?.close()
            case .wake(let time):
                Self.timers.asyncAfter(deadline: .now() + max(.zero, ContinuousClock.now.duration(to: time)).dispatchInterval) {
                    [weak self] in
                    guard let self else { return }
                    perform(contents.withLock { $0.state.tick(.now) })
                }
            case .finish:
                let waiting = contents.withLock { contents in
                    defer { contents.closing = [] }
                    return contents.closing
                }
                for continuation in waiting { continuation.resume() }
            }
        }
    }

    private func connect(_ id: Int) {
        let attempt = Task.detached { [weak self, open] in
            do {
                let connection = try await open()
                guard let self else { return connection.close() }
                connected(id, connection)
            } catch {
                self?.failed(id, error)
            }
        }
        // The attempt may have ended already.
        contents.withLock { contents in
            if contents.state.connecting.contains(id) { contents.attempts[id] = attempt }
        }
    }

    private func connected(_ id: Int, _ connection: Connection) {
        let actions = contents.withLock { contents in
            contents.attempts[id] = nil
            contents.connections[id] = connection
            return contents.state.connected(id, .now)
        }
        connection.onNotification(nil) { [weak self] _ in self?.lost(id) }
        perform(actions)
        // The connection may have been lost before the handler was set.
        if connection.isClosed { lost(id) }
    }

    private func failed(_ id: Int, _ error: any Error) {
        let error = error as? PostgresError ?? PostgresError(.unavailable, "Connecting was cancelled.")
        let isPermanent = ![.unavailable, .timeout, .resources].contains(error.code)
        perform(
            contents.withLock { contents in
                contents.attempts[id] = nil
                return contents.state.connectFailed(id, error, isPermanent: isPermanent, .now)
            }
        )
    }

    private func lost(_ id: Int) {
        contents.withLock { contents in
            contents.state.lost(id)
            // A connection in use is removed when its transaction has ended.
            if !contents.state.leased.contains(id) { contents.connections[id] = nil }
        }
    }

    // MARK: Closing

    /// Closes all connections: unused ones at once, the others when their transactions have ended.
    ///
    /// - Parameter waits: Whether to wait until all of them are closed.
    func close(waits: Bool) async {
        guard waits else {
            let (actions, attempts) = contents.withLock { contents in
                defer { contents.attempts = [:] }
                return (contents.state.close(), contents.attempts.values.map { $0 })
            }
            for attempt in attempts { attempt.cancel() }
            return perform(actions)
        }
        await withCheckedContinuation { continuation in
            let (actions, attempts) = contents.withLock { contents in
                contents.closing.append(continuation)
                let attempts = contents.attempts.values.map { $0 }
                contents.attempts = [:]
                return (contents.state.close(), attempts)
            }
            for attempt in attempts { attempt.cancel() }
            perform(actions)
        }
    }

    deinit {
        contents.withLock { contents in
            for attempt in contents.attempts.values { attempt.cancel() }
        }
    }
}
#endif
