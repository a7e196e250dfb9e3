#if Postgres && !os(Linux)
@preconcurrency import Dispatch
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Watches a socket, and calls a handler whenever it can be read, or written if that is wanted.
///
/// The handler is called on a thread of the source, one call at a time, and again as long as the condition holds. It may also be called
/// although nothing has happened. Calls may be under way when ``cancel()`` returns, but no others follow.
///
/// One thread at a time may use a source. A connection uses its source under its lock.
final class SocketSource {
    private let queue = DispatchQueue(label: "QueryKit.postgres")
    private let descriptor: Descriptor
    private let handler: @Sendable () -> Void
    private let reader: any DispatchSourceRead
    private var writer: (any DispatchSourceWrite)?
    private var isReading = true
    private var isCancelled = false

    /// Watches for what can be read. Returns `nil` if the process can open no more descriptors.
    ///
    /// A descriptor of its own is watched, because the client library closes the socket when the connection is lost, and a descriptor must
    /// stay open until its source was cancelled.
    init?(_ socket: Int32, _ handler: @escaping @Sendable () -> Void) {
        guard let descriptor = Descriptor(duplicating: socket) else { return nil }
        self.descriptor = descriptor
        self.handler = handler
        reader = DispatchSource.makeReadSource(fileDescriptor: descriptor.number, queue: queue)
        reader.setEventHandler(handler: handler)
        reader.setCancelHandler { withExtendedLifetime(descriptor) {} }
        reader.activate()
    }

    deinit { cancel() }

    /// Sets what to watch for.
    func watch(reading: Bool, writing: Bool) {
        if isCancelled { return }
        if reading != isReading { if reading { reader.resume() } else { reader.suspend() } }
        isReading = reading
        if writing, writer == nil {
            let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor.number, queue: queue)
            source.setEventHandler(handler: handler)
            source.setCancelHandler { [descriptor] in withExtendedLifetime(descriptor) {} }
            source.activate()
            writer = source
        } else if !writing {
            writer?.cancel()
            writer = nil
        }
    }

    /// Ends watching.
    func cancel() {
        // A source that is suspended must not be released.
        watch(reading: true, writing: false)
        isCancelled = true
        reader.cancel()
    }
}

/// A descriptor that is closed when nothing uses it any more.
private final class Descriptor: Sendable {
    let number: Int32

    init?(duplicating other: Int32) {
        number = fcntl(other, F_DUPFD_CLOEXEC, 0)
        if number < 0 { return nil }
    }

    deinit { close(number) }
}
#endif
