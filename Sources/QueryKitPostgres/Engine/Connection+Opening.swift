#if Postgres
import CPostgres
@preconcurrency import Dispatch
import Foundation
import QueryKit

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension Connection {
    /// Opens a connection within a time limit.
    ///
    /// Looking up the host blocks, so a dedicated thread opens the connection. If the time limit is reached first, the thread drops the
    /// connection.
    static func open(_ endpoint: Endpoint, within timeout: Duration, statementLimit: Int = 256, limits: Limits = Limits()) async throws
        -> Connection
    {
        let deadline = ContinuousClock.now + timeout
        let connection = try await connect(endpoint, deadline, timeout, statementLimit, limits)
        guard let statement = endpoint.settingStatement else { return connection }
        let outcome = await connection.perform([.once(statement)], within: max(.zero, ContinuousClock.now.duration(to: deadline)))
        guard let error = outcome.error else { return connection }
        connection.close()
        throw visible(error)
    }

    private static func connect(
        _ endpoint: Endpoint,
        _ deadline: ContinuousClock.Instant,
        _ timeout: Duration,
        _ statementLimit: Int,
        _ limits: Limits
    ) async throws -> Connection {
        let opening = Opening(endpoint, deadline)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                opening.begin(continuation)
                Thread.detachNewThread { opening.run(statementLimit, limits) }
                timers.asyncAfter(deadline: .now() + timeout.dispatchInterval) { opening.end(.failure(opening.timeout)) }
            }
        } onCancel: {
            opening.end(.failure(CancellationError()))
        }
    }
}

/// One attempt to connect.
private final class Opening: Sendable {
    private enum Phase {
        case idle
        case running(CheckedContinuation<Connection, any Error>)
        case ended
    }

    private let endpoint: Endpoint
    private let deadline: ContinuousClock.Instant
    private let phase = Lock(Phase.idle)

    init(_ endpoint: Endpoint, _ deadline: ContinuousClock.Instant) {
        self.endpoint = endpoint
        self.deadline = deadline
    }

    var timeout: PostgresError {
        PostgresError(
            .timeout,
            "Connecting to \(endpoint.place) took too long.",
            hint: "Check the host, the network and the server's load."
        )
    }

    func begin(_ continuation: CheckedContinuation<Connection, any Error>) {
        let isCancelled = phase.withLock { phase in
            if case .ended = phase { return true }
            phase = .running(continuation)
            return false
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
    }

    /// Sets the result. Returns `false` if there is one already.
    @discardableResult
    func end(_ result: Result<Connection, any Error>) -> Bool {
        let continuation = phase.withLock { phase -> CheckedContinuation<Connection, any Error>? in
            defer { phase = .ended }
            if case .running(let continuation) = phase { return continuation }
            return nil
        }
        continuation?.resume(with: result)
        return continuation != nil
    }

    private var hasEnded: Bool {
        phase.withLock { phase in
            if case .ended = phase { true } else { false }
        }
    }

    func run(_ statementLimit: Int, _ limits: Connection.Limits) {
        if hasEnded { return }
        do {
            let connection = Connection(try connect(), place: endpoint.place, statementLimit: statementLimit, limits: limits)
            if let failure = connection.failure { throw failure }
            if !end(.success(connection)) { connection.close() }
        } catch {
            end(.failure(error))
        }
    }

    private func connect() throws -> sending OpaquePointer {
        let handle = endpoint.withPointers { PQconnectStartParams($0, $1, 0) }
        guard let handle, PQstatus(handle) != CONNECTION_BAD else { throw failed(handle) }
        // By default the client library prints notices.
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
        // With this setting, the text of a failure contains the server's code.
        PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
        var status = PGRES_POLLING_WRITING
        while status != PGRES_POLLING_OK {
            if status == PGRES_POLLING_FAILED { throw failed(handle) }
            if hasEnded || ContinuousClock.now > deadline {
                PQfinish(handle)
                throw timeout
            }
            let events = Int16(status == PGRES_POLLING_READING ? POLLIN : POLLOUT)
            var descriptor = pollfd(fd: PQsocket(handle), events: events, revents: 0)
            // Each wait is short, so that an attempt that was given up ends soon. The result is negative if a signal has interrupted the
            // wait.
            if poll(&descriptor, 1, 100) > 0 { status = PQconnectPoll(handle) }
        }
        PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
        PQsetnonblocking(handle, 1)
        return handle
    }

    private func failed(_ handle: OpaquePointer?) -> PostgresError {
        defer { if let handle { PQfinish(handle) } }
        return PostgresError(connection: handle, to: endpoint.place, while: "Connecting to")
    }
}
#endif
