import Foundation
import QueryKit
import TestSupport
import Testing

@testable import QueryKitInspector

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// One connection of a client that blocks its thread. A call that waits for longer than four minutes fails.
final class Browser: Sendable {
    let port: UInt16
    private let descriptor: Int32
    private let isOpen = Lock(true)
    private let received = Lock<[UInt8]>([])

    init?(port: UInt16) {
        #if canImport(Glibc)
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
            var on: Int32 = 1
            _ = setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
        self.port = port
        guard descriptor >= 0 else { return nil }
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            var time = timeval(tv_sec: 240, tv_usec: 0)
            _ = setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
        // The deinitializer also runs now, and closes the descriptor. Closed twice, it could be that of a connection of another test.
        guard code == 0 else { return nil }
    }

    deinit { close() }

    func close() {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if wasOpen, descriptor >= 0 { closeDescriptor(descriptor) }
    }

    /// Sends all bytes. Returns `false` if the other side closes the connection before.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { bytes in whileInterrupted { sendBytes(descriptor, bytes) } }
            guard count > 0 else { return false }
            rest.removeFirst(count)
        }
        return true
    }

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Sends a request with its own `Host`, and further lines of the head.
    @discardableResult
    func request(_ line: String, _ fields: [String] = [], body: String = "") -> Bool {
        let own = ["Host: 127.0.0.1:\(port)"] + fields + (body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"])
        return send(([line + " HTTP/1.1"] + own).joined(separator: "\r\n") + "\r\n\r\n" + body)
    }

    /// Reads until a text has arrived, and returns everything up to its end; `nil` if the connection ends before.
    func read(until mark: String) -> String? {
        let mark = Array(mark.utf8)
        while true {
            let found = received.withLock { received -> [UInt8]? in
                guard let range = received.firstRange(of: mark) else { return nil }
                defer { received.removeFirst(range.upperBound) }
                return Array(received[..<range.upperBound])
            }
            if let found { return String(decoding: found, as: UTF8.self) }
            if !readMore() { return nil }
        }
    }

    /// Reads until the other side ends the connection, and returns everything that was not read before.
    func readToEnd() -> String {
        while readMore() {}
        return received.withLock { received in
            defer { received = [] }
            return String(decoding: received, as: UTF8.self)
        }
    }

    private func readMore() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = buffer.withUnsafeMutableBytes { bytes in whileInterrupted { recv(descriptor, bytes.baseAddress, bytes.count, 0) } }
        guard count > 0 else { return false }
        received.withLock { $0 += buffer[..<count] }
        return true
    }
}

/// Repeats a call of the system that a signal has interrupted. Calls with a time limit are, when a stopped process continues.
private func whileInterrupted(_ call: () -> Int) -> Int {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}

private func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }

private func sendBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Darwin)
        send(descriptor, bytes.baseAddress, bytes.count, 0)
    #else
        send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    #endif
}

/// Runs work with a new connection on a thread of its own.
func browse<Result: Sendable>(_ port: UInt16, _ work: @escaping @Sendable (Browser) -> Result) async -> Result? {
    await onThread { Browser(port: port).map { work($0) } }
}

/// The response to one request on a connection of its own.
func response(
    from port: UInt16,
    to line: String,
    _ fields: [String] = [],
    body: String = ""
) async -> Response? {
    let text = await browse(port) { browser in
        let isSent = browser.request(line, ["Connection: close"] + fields, body: body)
        return browser.readToEnd() + (isSent ? "" : "(The request was not accepted completely.)")
    }
    let response = text.flatMap { Response($0) }
    if response == nil { Issue.record("\(line) got no response: \(text ?? "no connection")") }
    return response
}

/// A response as it was received.
struct Response: Sendable {
    let status: Int
    let head: String
    let body: String

    init?(_ text: String) {
        guard let end = text.firstRange(of: "\r\n\r\n"), let status = Int(text.dropFirst(9).prefix(3)) else { return nil }
        self.status = status
        head = String(text[..<end.lowerBound])
        body = String(text[end.upperBound...])
    }

    var json: [String: Any] { (try? JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any]) ?? [:] }
}

extension ServerLimits {
    /// Limits whose times no test reaches, however long the machine is busy with other tests.
    static var patient: ServerLimits {
        var limits = ServerLimits()
        limits.requestTime = 600_000_000_000
        limits.idleTime = 600_000_000_000
        limits.stallTime = 600_000_000_000
        limits.lingerTime = 600_000_000_000
        return limits
    }
}
