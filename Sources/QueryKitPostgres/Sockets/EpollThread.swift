#if Postgres && os(Linux)
import CPostgres
import Foundation
import QueryKit

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Watches a socket, and calls a handler whenever it can be read, or written if that is wanted.
///
/// The handler is called on a thread of the source, one call at a time, and again as long as the condition holds. It may also be called
/// although nothing has happened. A call may be under way when ``cancel()`` returns, but no other follows.
///
/// One thread at a time may use a source. A connection uses its source under its lock.
final class SocketSource {
    private let thread: EpollThread
    private let descriptor: Int32
    private let token: UInt64
    private var events = EPOLLIN.rawValue
    private var isCancelled = false

    /// Watches for what can be read. Returns `nil` if the process can open no more descriptors.
    ///
    /// A descriptor of its own is watched, because the client library closes the socket when the connection is lost. Its number could then
    /// belong to another connection before this one is removed.
    init?(_ socket: Int32, _ handler: @escaping @Sendable () -> Void) {
        guard let thread = EpollThread.next() else { return nil }
        descriptor = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        if descriptor < 0 { return nil }
        self.thread = thread
        token = thread.add(handler)
        if !thread.control(EPOLL_CTL_ADD, descriptor, token, events) {
            cancel()
            return nil
        }
    }

    deinit { cancel() }

    /// Sets what to watch for.
    func watch(reading: Bool, writing: Bool) {
        var events = (reading ? EPOLLIN.rawValue : 0) | (writing ? EPOLLOUT.rawValue : 0)
        // The end of a connection is reported again and again, even if no events are requested. With this flag it is reported once.
        if events == 0 { events = EPOLLONESHOT.rawValue }
        if isCancelled || events == self.events { return }
        self.events = events
        let isSet = thread.control(EPOLL_CTL_MOD, descriptor, token, events)
        assert(isSet, "The socket is watched until it is cancelled")
    }

    /// Ends watching.
    func cancel() {
        if isCancelled { return }
        isCancelled = true
        _ = thread.control(EPOLL_CTL_DEL, descriptor, token, 0)
        thread.remove(token)
        close(descriptor)
    }
}

/// A thread that waits for sockets and calls their handlers.
///
/// A dispatch source needs three threads for one event on Linux: the manager of the sources receives it and wakes another thread, which
/// calls the handler and asks the manager to watch the socket again. That takes longer than a short statement on the server.
private final class EpollThread: Sendable {
    private struct Handlers {
        var lastToken: UInt64 = 0
        var all: [UInt64: @Sendable () -> Void] = [:]
    }

    private struct Threads {
        var all: [EpollThread] = []
        var count = 0
    }

    private static let threads = Lock(Threads())
    private static let limit = max(1, min(4, ProcessInfo.processInfo.activeProcessorCount))

    private let epoll: Int32
    /// By tokens that are not used again, because an event may be received just before its socket is removed.
    private let handlers = Lock(Handlers())

    private init?() {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        if epoll < 0 { return nil }
    }

    /// The thread for another socket; `nil` if the process can open no more descriptors. A thread lives as long as the process.
    static func next() -> EpollThread? {
        threads.withLock { threads in
            if threads.all.count < limit {
                guard let thread = EpollThread() else { return threads.all.first }
                threads.all.append(thread)
                Thread.detachNewThread { thread.run() }
            }
            threads.count += 1
            return threads.all[threads.count % threads.all.count]
        }
    }

    func add(_ handler: @escaping @Sendable () -> Void) -> UInt64 {
        handlers.withLock { handlers in
            handlers.lastToken += 1
            handlers.all[handlers.lastToken] = handler
            return handlers.lastToken
        }
    }

    func remove(_ token: UInt64) {
        // Released outside the lock.
        _ = handlers.withLock { $0.all.removeValue(forKey: token) }
    }

    func control(_ operation: Int32, _ descriptor: Int32, _ token: UInt64, _ events: UInt32) -> Bool {
        var event = epoll_event(events: events, data: epoll_data_t(u64: token))
        return epoll_ctl(epoll, operation, descriptor, &event) == 0
    }

    private func run() {
        Thread.current.name = "QueryKit.epoll"
        var events = [epoll_event](repeating: epoll_event(), count: 64)
        while true {
            let count = epoll_wait(epoll, &events, Int32(events.count), -1)
            precondition(count >= 0 || errno == EINTR, "The descriptor \(epoll), by which connections are watched, was closed")
            for event in events.prefix(max(0, Int(count))) {
                let token = event.data.u64
                let handler = handlers.withLock { $0.all[token] }
                handler?()
            }
        }
    }
}
#endif
