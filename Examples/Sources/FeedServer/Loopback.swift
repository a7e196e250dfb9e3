import Dispatch
import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Accepts connections from this machine, and responds to one request on each.
final class Loopback {
    let port: UInt16
    private let source: any DispatchSourceRead

    /// Listens on a port that the system chooses, until it is deallocated.
    ///
    /// - Parameter answer: Returns the response, or `nil` to close the connection without one.
    init(answer: @escaping @Sendable (HTTPRequest) async -> HTTPResponse?) throws(SocketError) {
        #if canImport(Darwin)
            let listener = socket(AF_INET, SOCK_STREAM, 0)
        #else
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        guard listener >= 0 else { throw SocketError("socket") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 16) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else {
            let error = SocketError("listen")
            close(listener)
            throw error
        }
        port = UInt16(bigEndian: address.sin_port)
        source = DispatchSource.makeReadSource(fileDescriptor: listener, queue: DispatchQueue(label: "loopback"))
        source.setEventHandler { Self.serve(accept(listener, nil, nil), answer) }
        source.setCancelHandler { close(listener) }
        source.resume()
    }

    deinit { source.cancel() }

    private static func serve(_ connection: Int32, _ answer: @escaping @Sendable (HTTPRequest) async -> HTTPResponse?) {
        guard connection >= 0 else { return }
        // A client that sends nothing must not delay the others for long.
        var limit = timeval(tv_sec: 2, tv_usec: 0)
        setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        guard let request = HTTPRequest(from: connection) else {
            close(connection)
            return
        }
        // Nothing needs to cancel this task: it ends with the response, which waits only for the server's actor.
        Task {
            await answer(request)?.write(to: connection)
            close(connection)
        }
    }
}

/// The reason why no connection can be accepted.
struct SocketError: Error, CustomStringConvertible {
    let description: String

    init(_ call: String) { description = "Can't serve on this machine: \(call): \(String(cString: strerror(errno)))." }
}
