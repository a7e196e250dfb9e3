import Dispatch
import QueryKit

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An HTTP server that only programs on this machine reach. It replies only to requests that its ``AccessRule`` allows.
///
/// Sockets are read and written on one serial queue and never block it, so a slow browser delays no other one.
final class LoopbackServer: Sendable {
    private struct State {
        var lastConnection = 0
        var connections: [Int: Connection] = [:]
        var accepting: SocketWatch?
        var isSweeping = false
        var isStopped = false
        /// The number of sockets that are not closed yet, the listening one included.
        var openSockets = 1
        var stalled = 0
        var refused = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let queue = DispatchQueue(label: "QueryKitInspector.server")
    private let limits: ServerLimits
    private let handler: any RequestHandler
    private let socket: Socket
    private let state: Shared
    /// The rule for requests, with the port in use.
    let rule: AccessRule

    var port: UInt16 { rule.port }

    /// Begins to listen. Requests wait until ``begin()``.
    ///
    /// - Parameter port: The port; 0 for one that the system chooses.
    init(
        port: UInt16,
        token: String = AccessRule.newToken(),
        limits: ServerLimits = ServerLimits(),
        handler: any RequestHandler
    ) throws(ServerError) {
        let state = Shared()
        let listening = try Socket.listening(at: port) { state.noteClosed() }
        socket = listening.socket
        rule = AccessRule(token: token, port: listening.port)
        self.state = state
        self.limits = limits
        self.handler = handler
    }

    deinit { shutDown() }

    /// How many connections were closed because the other side did not read.
    var stalledCount: Int { state.lock.withLock { $0.stalled } }

    /// How many connections were refused because there were too many.
    var refusedCount: Int { state.lock.withLock { $0.refused } }

    var connectionCount: Int { state.lock.withLock { $0.connections.count } }

    /// Begins to accept connections. Call it once.
    func begin() {
        let watch = SocketWatch.readable(socket, on: queue) { [weak self] in self?.accept() }
        let isStopped = state.lock.withLock { state in
            if !state.isStopped { state.accepting = watch }
            return state.isStopped
        }
        if isStopped { watch.cancel() }
    }

    /// Closes all connections, and returns when all sockets are closed.
    func stop() async {
        shutDown()
        await state.allClosed()
    }

    /// Stops listening, and closes all connections. Bytes that the system has already taken are still sent; other unsent bytes are dropped.
    private func shutDown() {
        let former = state.lock.withLock { state -> ([Connection], SocketWatch?)? in
            guard !state.isStopped else { return nil }
            state.isStopped = true
            defer { state.accepting = nil }
            return (Array(state.connections.values), state.accepting)
        }
        guard let (connections, accepting) = former else { return }
        accepting?.cancel()
        socket.release()
        queue.async { for connection in connections { connection.close() } }
    }

    // MARK: On the queue

    private func accept() {
        while true {
            let isStopped = state.lock.withLock { $0.isStopped }
            if isStopped { return }
            let (socket, code) = socket.accepted { [state] in state.noteClosed() }
            if let socket { add(socket) } else if code != EINTR && code != ECONNABORTED { return pause(after: code) }
        }
    }

    /// Accepts nothing for a second if accepting has failed, for example because the process has too many open files. The connection is
    /// still waiting then, so without the pause the queue would be busy all the time.
    private func pause(after code: Int32) {
        guard code != EAGAIN && code != EWOULDBLOCK else { return }
        let watch = state.lock.withLock { $0.accepting.take() }
        watch?.cancel()
        queue.asyncAfter(deadline: .now() + .seconds(1)) { [weak self] in
            guard let self, !state.lock.withLock({ $0.isStopped }) else { return }
            begin()
        }
    }

    private func add(_ socket: Socket) {
        let number = state.lock.withLock { state -> Int? in
            guard state.connections.count < limits.connections, !state.isStopped else {
                state.openSockets += 1
                state.refused += 1
                return nil
            }
            state.openSockets += 1
            state.lastConnection += 1
            return state.lastConnection
        }
        guard let number else { return refuse(socket) }
        let connection = Connection(socket, on: queue, limits: limits, rule: rule, handler: handler) { [weak state] wasStalled in
            state?.remove(number, wasStalled)
        }
        let isStopped = state.lock.withLock { state in
            state.connections[number] = connection
            return state.isStopped
        }
        connection.begin()
        if isStopped { connection.close() }
        sweepLater()
    }

    /// Sends a short reply, as far as the system takes it at once, and closes the socket.
    private func refuse(_ socket: Socket) {
        let response = HTTPResponse(503, "The inspector has too many connections. Close some of its pages.")
        _ = socket.write(response.bytes(keepsAlive: false)[...])
        socket.stopSending()
        // Closing a socket with unread bytes would make the other side lose the reply.
        withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 8) { _ = socket.read(into: $0) }
        socket.release()
    }

    private func sweepLater() {
        let isFirst = state.lock.withLock { state in
            defer { state.isSweeping = true }
            return !state.isSweeping
        }
        guard isFirst else { return }
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(limits.sweepInterval))) { [weak self] in self?.sweep() }
    }

    /// Checks the deadlines of all connections, again and again as long as there are any.
    private func sweep() {
        let connections = state.lock.withLock { state in
            state.isSweeping = false
            return Array(state.connections.values)
        }
        for connection in connections { connection.check() }
        if !connections.isEmpty { sweepLater() }
    }

    /// The state, which outlives the server until the last socket is closed.
    private final class Shared: Sendable {
        let lock = Lock(State())

        func remove(_ number: Int, _ wasStalled: Bool) {
            // The connection is released outside the lock.
            let former = lock.withLock { state in
                if wasStalled { state.stalled += 1 }
                return state.connections.removeValue(forKey: number)
            }
            withExtendedLifetime(former) {}
        }

        func noteClosed() {
            let waiting = lock.withLock { state -> [CheckedContinuation<Void, Never>] in
                state.openSockets -= 1
                guard state.openSockets == 0 else { return [] }
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }

        func allClosed() async {
            await withCheckedContinuation { continuation in
                let isClosed = lock.withLock { state in
                    if state.openSockets > 0 { state.waiting.append(continuation) }
                    return state.openSockets == 0
                }
                if isClosed { continuation.resume() }
            }
        }
    }
}
