import Dispatch
import QueryKit

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A non-blocking TCP socket. It is closed once, when its last user releases it.
///
/// Dispatch requires a descriptor to stay open until the cancel handler of each of its sources was called, so each source is a user.
final class Socket: Sendable {
    /// What a call of the system returned.
    enum Outcome: Equatable {
        case done(Int)
        /// The call must be repeated when the socket is ready.
        case wouldBlock
        /// The other side has ended the connection.
        case ended
        case failed(Int32)
    }

    let descriptor: Int32
    private let users = Lock(1)
    private let onClose: @Sendable () -> Void

    private init(_ descriptor: Int32, onClose: @escaping @Sendable () -> Void) {
        self.descriptor = descriptor
        self.onClose = onClose
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, fcntl(descriptor, F_GETFD) | FD_CLOEXEC)
    }

    func retain() { users.withLock { $0 += 1 } }

    func release() {
        let isLast = users.withLock { users in
            users -= 1
            return users == 0
        }
        guard isLast else { return }
        closeDescriptor(descriptor)
        onClose()
    }

    // MARK: Listening

    /// Begins to listen at a port of 127.0.0.1, which only programs of this machine reach; 0 for a port that the system chooses.
    static func listening(at port: UInt16, onClose: @escaping @Sendable () -> Void) throws(ServerError) -> (socket: Socket, port: UInt16) {
        #if canImport(Glibc)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw .system("socket", errno) }
        // With this option, the port of an app that has just ended can be used at once. A port on which another socket listens stays taken.
        set(SOL_SOCKET, SO_REUSEADDR, 1, of: descriptor)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) == 0 }
        }
        guard isBound, listen(descriptor, 128) == 0 else {
            let code = errno
            closeDescriptor(descriptor)
            if code == EADDRINUSE { throw .portTaken(port) }
            throw .system(isBound ? "listen" : "bind", code)
        }
        let isNamed = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) == 0 }
        }
        guard isNamed else {
            let code = errno
            closeDescriptor(descriptor)
            throw .system("getsockname", code)
        }
        return (Socket(descriptor, onClose: onClose), UInt16(bigEndian: address.sin_port))
    }

    /// Accepts a connection. Returns `nil` with the error of the system if there is none.
    func accepted(onClose: @escaping @Sendable () -> Void) -> (socket: Socket?, code: Int32) {
        let connection = acceptConnection(descriptor)
        guard connection >= 0 else { return (nil, errno) }
        #if canImport(Darwin)
            Self.set(SOL_SOCKET, SO_NOSIGPIPE, 1, of: connection)
        #endif
        // Events are small and should be seen at once.
        Self.set(Int32(IPPROTO_TCP), TCP_NODELAY, 1, of: connection)
        // The system would otherwise buffer several megabytes for a reader that doesn't read.
        Self.set(SOL_SOCKET, SO_SNDBUF, 256 << 10, of: connection)
        return (Socket(connection, onClose: onClose), 0)
    }

    private static func set(_ level: Int32, _ option: Int32, _ value: Int32, of descriptor: Int32) {
        var value = value
        _ = setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    // MARK: Reading and writing

    /// Reads what has arrived, up to the size of the buffer.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        let count = receiveBytes(descriptor, buffer)
        return count == 0 ? .ended : outcome(count)
    }

    /// Writes as much as the system takes.
    func write(_ bytes: ArraySlice<UInt8>) -> Outcome { outcome(bytes.withUnsafeBytes { sendBytes(descriptor, $0) }) }

    private func outcome(_ count: Int) -> Outcome {
        if count >= 0 { return .done(count) }
        let code = errno
        return code == EAGAIN || code == EWOULDBLOCK || code == EINTR ? .wouldBlock : .failed(code)
    }

    /// Tells the other side that nothing more will be sent.
    func stopSending() { _ = shutdown(descriptor, Int32(SHUT_WR)) }
}

/// Why a server can't listen.
enum ServerError: Error, Equatable {
    case portTaken(UInt16)
    /// A call of the system failed: its name, and the error number.
    case system(String, Int32)
}

// These functions are outside of the class, because its methods have the same names as the functions of the system.

private func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }

private func acceptConnection(_ descriptor: Int32) -> Int32 { accept(descriptor, nil, nil) }

private func receiveBytes(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    recv(descriptor, buffer.baseAddress, buffer.count, 0)
}

private func sendBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Darwin)
        // SO_NOSIGPIPE is set.
        send(descriptor, bytes.baseAddress, bytes.count, 0)
    #else
        // Otherwise writing to a connection that the other side has closed would end the process with SIGPIPE.
        send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    #endif
}
