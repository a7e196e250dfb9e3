#if Postgres
import CPostgres
@preconcurrency import Dispatch
import Foundation
import QueryKit
import QueryKitSQL

/// A connection to a server. It runs one batch of statements at a time and never blocks a thread.
///
/// A batch is sent on the thread of its caller. Results are read on a thread that watches the sockets of several connections, whenever the
/// system reports that the socket is readable.
final class Connection: Sendable {
    /// Limits that the client enforces, because a server that hangs can't enforce its own.
    struct Limits: Sendable {
        /// After this time a statement counts as lost; `nil` for no limit.
        var statement: Duration?
        /// How long a cancelled statement may take to end.
        var cancellation = Duration.seconds(5)
    }

    private static let unusable = PostgresError(.closed, "The connection was closed.")

    /// For the time limits of all connections.
    static let timers = DispatchQueue(label: "QueryKit.postgres.timeouts")

    /// The server process of the connection.
    let process: Int32
    let limits: Limits
    private let state: Lock<ConnectionState>

    /// Takes over a connection that is open.
    init(_ handle: sending OpaquePointer, place: String, statementLimit: Int, limits: Limits) {
        process = PQbackendPID(handle)
        self.limits = limits
        state = Lock(ConnectionState(handle, place: place, statementLimit: statementLimit, timeLimit: limits.statement))
        watch()
    }

    deinit { end(Self.unusable) }

    /// Whether another transaction can use the connection.
    var isReusable: Bool { state.withLock { $0.isIdle && !$0.wasCancelled } }

    /// Whether statements can follow without being hit by a cancellation.
    var isUndisturbed: Bool { state.withLock { $0.failure == nil && !$0.wasCancelled } }

    /// Why the connection can't be used any more; `nil` if it can.
    var failure: PostgresError? { state.withLock { $0.failure } }

    /// Whether the connection was lost or closed.
    var isClosed: Bool { failure != nil }

    /// Whether the connection waits until its consumer has taken rows.
    var isPaused: Bool { state.withLock { $0.isPaused } }

    // MARK: Statements

    /// Sends statements in one pipeline and waits for all results.
    ///
    /// If the task is cancelled, the server is asked to cancel the statement that it runs; the outcome then shows this. A batch that can't
    /// be cancelled, such as a commit, then has a limited time to end.
    ///
    /// - Parameter limit: After this time the connection counts as lost; `nil` for no limit other than that of the connection.
    func perform(_ requests: [Request], isCancellable: Bool = true, within limit: Duration? = nil) async -> BatchOutcome {
        let id = state.withLock { $0.nextID() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                submit(requests, id, isCancellable: isCancellable) { continuation.resume(returning: $0) }
                if let limit { end(id, within: limit) }
            }
        } onCancel: {
            if isCancellable { cancel(id) } else { end(id, within: limits.cancellation) }
        }
    }

    /// Sends statements in one pipeline and doesn't wait for the results.
    func submit(_ requests: [Request], within limit: Duration, completion: @escaping @Sendable (BatchOutcome) -> Void) {
        let id = state.withLock { $0.nextID() }
        submit(requests, id, isCancellable: false, limit: limit, completion: completion)
    }

    /// Sends statements in one pipeline and calls a closure with the rows of one of them, some at a time. Waits until all statements have
    /// ended; if the closure throws, the remaining rows are read and dropped.
    func perform(
        _ requests: [Request],
        streaming streamed: Int,
        _ body: (PostgresResult) throws -> Void
    ) async -> (BatchOutcome, (any Error)?) {
        let id = state.withLock { $0.nextID() }
        let stream = RowStream()
        return await withTaskCancellationHandler {
            submit(requests, id, isCancellable: true, stream: stream, streamed: streamed) { stream.end($0) }
            var failure: (any Error)?
            while true {
                let rows = await stream.next()
                if rows.isEmpty { return (stream.outcome, failure) }
                do {
                    if failure == nil { for row in rows { try body(row) } }
                } catch {
                    failure = error
                }
                let size = rows.reduce(0) { $0 + $1.size }
                change { $0.noteTaken(rows.count, size, id: id) }
            }
        } onCancel: {
            cancel(id)
        }
    }

    /// Runs one statement without values and returns its result.
    @discardableResult
    func run(_ text: String) async throws -> PostgresResult { try await run([.once(text)]) }

    /// Runs one statement and returns its result.
    @discardableResult
    func run(_ sql: SQL) async throws -> PostgresResult {
        try await run([.statement(sql, try Parameters(sql.values) { sql.numberedText })])
    }

    /// Runs several statements, separated by semicolons.
    func runScript(_ text: String) async throws {
        if !text.allSatisfy(\.isWhitespace) { _ = try await run([.script(text)]) }
    }

    private func run(_ requests: [Request]) async throws -> PostgresResult {
        let outcome = await perform(requests)
        if let error = outcome.error { throw Self.visible(error) }
        guard let result = outcome.results.last else { throw Self.unusable }
        return result
    }

    /// The error as the caller sees it: a task that was cancelled gets a `CancellationError`.
    static func visible(_ error: PostgresError) -> any Error {
        error.code == .cancelled && Task.isCancelled ? CancellationError() : error
    }

    private func submit(
        _ requests: [Request],
        _ id: UInt64,
        isCancellable: Bool,
        limit: Duration? = nil,
        stream: RowStream? = nil,
        streamed: Int? = nil,
        completion: @escaping @Sendable (BatchOutcome) -> Void
    ) {
        var watch: ConnectionState.Watch?
        change { state in
            let effects = state.begin(
                requests,
                id: id,
                isCancellable: isCancellable,
                limit: limit,
                stream: stream,
                streamed: streamed,
                completion: completion
            )
            defer { watch = state.beginWatch() }
            return effects + state.flush()
        }
        if let watch { guardAgainstStall(watch) }
    }

    /// Whether the server answers within a time limit. If it doesn't, the connection is closed.
    func isAlive(within limit: Duration) async -> Bool {
        await perform([.once("")], isCancellable: false, within: limit).error == nil
    }

    // MARK: Notifications

    /// Sets the handlers for notifications and for the end of the connection. They are called on the thread that watches the
    /// socket, or on the one that has found that the connection is lost, so they must not block.
    func onNotification(_ handler: (@Sendable (ServerNotification) -> Void)?, onLoss: (@Sendable (PostgresError) -> Void)? = nil) {
        state.withLock { state in
            state.handler = handler
            state.lossHandler = onLoss
        }
    }

    // MARK: Socket

    private func watch() {
        change { state in
            guard let handle = state.handle else { return [] }
            state.source = SocketSource(PQsocket(handle)) { [weak self] in self?.socketIsReady() }
            return state.source == nil ? state.fail(Self.noDescriptor) : []
        }
    }

    private static let noDescriptor = PostgresError(
        .resources,
        "The process can open no more files and connections. Raise its limit (ulimit -n), or lower connectionLimit."
    )

    private func socketIsReady() { change { $0.isPaused ? $0.flush() : $0.receive() + $0.flush() } }

    // MARK: Effects

    /// Changes the state, and performs the effects outside the lock.
    ///
    /// Several threads change the state. The effects are performed in the order of the changes, by one thread at a time. This thread also
    /// performs the effects of the changes that other threads make during that time.
    private func change(_ body: (inout ConnectionState) -> [ConnectionState.Effect]) {
        var effects = state.withLock { state in
            let effects = body(&state)
            return state.effects.begin(effects)
        }
        while !effects.isEmpty {
            for effect in effects { perform(effect) }
            effects = state.withLock { $0.effects.next() }
        }
    }

    private func perform(_ effect: ConnectionState.Effect) {
        switch effect {
        case .complete(let completion, let outcome): completion(outcome)
        case .deliver(let stream, let rows): stream.deliver(rows)
        case .notify(let notifications):
            guard let handler = state.withLock({ $0.handler }) else { return }
            for notification in notifications { handler(notification) }
        case .lost(let error):
            let handler = state.withLock { state in
                state.handler = nil
                defer { state.lossHandler = nil }
                return state.lossHandler
            }
            handler?(error)
        }
    }

    // MARK: Cancelling and ending

    /// Asks the server to cancel a batch. That needs another connection and blocks, so it runs on a dedicated thread.
    private func cancel(_ id: UInt64) {
        let request = state.withLock { state in state.cancel(id).map { CancelRequest(handle: $0) } }
        guard let request else { return }
        let error = PostgresError(
            .cancelled,
            "The statement was cancelled, but the server didn't confirm it, so the connection was closed."
        )
        // A server that hangs may never reply to a request, so the number of requests is limited. Closing the connection gives the
        // statement up too.
        let isPossible = Self.cancelRequests.withLock { count in
            guard count < Self.cancelRequestLimit else { return false }
            count += 1
            return true
        }
        guard isPossible else {
            request.free()
            return end(id, after: nil, error)
        }
        Thread.detachNewThread {
            request.send()
            Self.cancelRequests.withLock { $0 -= 1 }
        }
        end(id, after: limits.cancellation, error)
    }

    /// The number of requests to cancel that are under way, each on its own thread.
    private static let cancelRequests = Lock(0)
    private static let cancelRequestLimit = 32

    /// Ends the connection if the server sends nothing for too long. There is at most one timer at a time, however many batches are sent.
    private func guardAgainstStall(_ watch: ConnectionState.Watch) {
        Self.timers.asyncAfter(deadline: .now() + watch.limit.dispatchInterval) { [weak self] in
            guard let self else { return }
            let (isStalled, next) = state.withLock { state in
                let isStalled = state.end(watch)
                return (isStalled, isStalled ? nil : state.beginWatch())
            }
            if let next { guardAgainstStall(next) }
            guard isStalled else { return }
            let error = PostgresError(
                .timeout,
                "The server didn't answer within \(watch.limit), so the connection was closed.",
                hint: "Try again."
            )
            end(watch.id, after: nil, error)
        }
    }

    /// Ends the connection if a batch hasn't ended in time.
    private func end(_ id: UInt64, within limit: Duration) {
        let error = PostgresError(
            .unavailable,
            "The server didn't answer within \(limit), so the connection was closed.",
            hint: "Try again."
        )
        end(id, after: limit, error)
    }

    private func end(_ id: UInt64, after delay: Duration?, _ error: PostgresError) {
        let work: @Sendable () -> Void = { [weak self] in
            guard let self else { return }
            change { state in state.currentID == id ? state.fail(error) : [] }
        }
        guard let delay else { return work() }
        Self.timers.asyncAfter(deadline: .now() + delay.dispatchInterval, execute: work)
    }

    /// Closes the connection. A batch that runs fails.
    func close() { end(Self.unusable) }

    private func end(_ error: PostgresError) { change { $0.fail(error) } }
}

/// What the client library needs to cancel a statement.
// Invariant: one thread uses it, and the library copied all it needs from the connection.
private struct CancelRequest: @unchecked Sendable {
    let handle: OpaquePointer

    func send() {
        var message = [CChar](repeating: 0, count: 256)
        PQcancel(handle, &message, Int32(message.count))
        free()
    }

    func free() { PQfreeCancel(handle) }
}

extension Duration {
    var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        guard seconds < 100_000_000 else { return .seconds(100_000_000) }
        return .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    }
}
#endif
