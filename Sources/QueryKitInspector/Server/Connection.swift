import Dispatch
import QueryKit

/// One connection: does what its ``ConnectionMachine`` decides. Reads and writes on the server's serial queue.
final class Connection: Sendable {
    private struct Watches {
        var reading: SocketWatch?
        /// Set while bytes wait and the system takes no more.
        var writing: SocketWatch?
        var task: Task<Void, Never>?
        var onClose: [@Sendable () -> Void] = []
        var isFlushing = false
        var isClosed = false
    }

    private let socket: Socket
    private let queue: DispatchQueue
    private let rule: AccessRule
    private let handler: any RequestHandler
    private let machine: Lock<ConnectionMachine>
    private let watches = Lock(Watches())
    private let onEnd: @Sendable (_ wasStalled: Bool) -> Void

    init(
        _ socket: Socket,
        on queue: DispatchQueue,
        limits: ServerLimits,
        rule: AccessRule,
        handler: any RequestHandler,
        onEnd: @escaping @Sendable (_ wasStalled: Bool) -> Void
    ) {
        self.socket = socket
        self.queue = queue
        self.rule = rule
        self.handler = handler
        self.onEnd = onEnd
        machine = Lock(ConnectionMachine(limits, now: Self.now))
    }

    private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    var isClosed: Bool { machine.withLock { $0.isClosed } }

    var unsentCount: Int { machine.withLock { $0.outgoing.count } }

    // MARK: On the server's queue

    func begin() {
        let watch = SocketWatch.readable(socket, on: queue) { [self] in read() }
        watches.withLock { $0.reading = watch }
    }

    func check() { perform(machine.withLock { $0.check(now: Self.now) }) }

    func finish() { perform(machine.withLock { $0.finish(now: Self.now) }) }

    func close() { perform(machine.withLock { $0.close() }) }

    /// Reads once per event, so that a fast sender doesn't keep the others waiting.
    private func read() {
        withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 8) { buffer in
            switch socket.read(into: buffer) {
            case .done(let count):
                let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                perform(machine.withLock { $0.receive(bytes, now: Self.now) })
            case .ended: perform(machine.withLock { $0.endInput() })
            case .wouldBlock: break
            case .failed: close()
            }
        }
    }

    private func flush() {
        watches.withLock { $0.isFlushing = false }
        while let bytes = machine.withLock({ $0.outgoing.next }) {
            switch socket.write(bytes) {
            case .done(let count): perform(machine.withLock { $0.noteSent(count, now: Self.now) })
            case .wouldBlock: return awaitReader()
            case .ended, .failed: return close()
            }
        }
        cancel { $0.writing.take() }
    }

    private func awaitReader() {
        guard watches.withLock({ $0.writing == nil && !$0.isClosed }) else { return }
        let watch = SocketWatch.writable(socket, on: queue) { [self] in flush() }
        watches.withLock { $0.writing = watch }
    }

    private func perform(_ actions: [ConnectionMachine.Action]) {
        for action in actions {
            switch action {
            case .handle(let request): handle(request)
            case .flush: flush()
            case .stopReading: cancel { $0.reading.take() }
            case .stopSending: socket.stopSending()
            case .close: end()
            }
        }
    }

    private func cancel(_ taken: (inout Watches) -> SocketWatch?) { watches.withLock { taken(&$0) }?.cancel() }

    private func end() {
        // Called first, so that code that is notified of the end already reads the new counts.
        onEnd(machine.withLock { $0.wasStalled })
        let former = watches.withLock { watches in
            defer { watches = Watches(isClosed: true) }
            return watches
        }
        former.reading?.cancel()
        former.writing?.cancel()
        former.task?.cancel()
        socket.release()
        for action in former.onClose { action() }
    }

    // MARK: Requests

    private func handle(_ request: HTTPRequest) {
        if let refusal = rule.refusal(of: request) {
            return perform(machine.withLock { $0.refuse(refusal, now: Self.now) })
        }
        // Owned by the connection, which cancels it when it is closed.
        let task = Task.detached { [handler, queue, self] in
            let reply = await handler.respond(to: request)
            queue.async { self.reply(reply) }
        }
        watches.withLock { $0.task = task }
    }

    private func reply(_ reply: HTTPReply) {
        switch reply {
        case .response(let response):
            perform(machine.withLock { $0.respond(response, now: Self.now) })
        case .stream(let start):
            perform(machine.withLock { $0.beginStream(now: Self.now) })
            start(EventStream(self))
        }
    }

    // MARK: On any thread

    /// Appends a part to the stream. Returns `false` if the connection is closed, or has too many unsent bytes and is therefore closed.
    func send(_ bytes: [UInt8]) -> Bool {
        let actions = machine.withLock { $0.send(bytes, now: Self.now) }
        if actions == [.flush] {
            // One flush sends everything that was appended before it begins.
            let isFirst = watches.withLock { watches in
                defer { watches.isFlushing = true }
                return !watches.isFlushing && watches.writing == nil
            }
            if isFirst { queue.async { self.flush() } }
        } else if !actions.isEmpty {
            queue.async { self.perform(actions) }
        }
        return actions == [.flush]
    }

    /// Closes the connection after all waiting bytes were sent.
    func finishLater() { queue.async { self.finish() } }

    /// Calls a closure when the connection is closed; at once if it is already closed.
    func onClose(_ action: @escaping @Sendable () -> Void) {
        let isClosed = watches.withLock { watches in
            if !watches.isClosed { watches.onClose.append(action) }
            return watches.isClosed
        }
        if isClosed { action() }
    }
}
