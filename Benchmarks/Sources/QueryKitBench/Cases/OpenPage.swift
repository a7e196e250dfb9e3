import Foundation
import QueryKitInspector

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An open page of an inspector: a thread that reads the events as fast as they come, until the inspector is released.
struct OpenPage: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Opens the stream of events, and returns when the list of stores has arrived, so that the client is recorded.
    init(of inspector: QueryInspector) throws {
        #if canImport(Glibc)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = inspector.port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 }
        }
        let request = "GET /events?\(inspector.url.query ?? "") HTTP/1.1\r\nHost: 127.0.0.1:\(inspector.port)\r\n\r\n"
        guard isConnected, write(descriptor, request, request.utf8.count) == request.utf8.count else {
            _ = close(descriptor)
            throw Failure(description: "The inspector at port \(inspector.port) can't be reached.")
        }
        var received = ""
        while !received.contains("event: stores") {
            guard let text = Self.read(descriptor) else {
                _ = close(descriptor)
                throw Failure(description: "The inspector has sent no list of stores, only: \(received)")
            }
            received += text
        }
        Thread.detachNewThread {
            while Self.read(descriptor) != nil {}
            _ = close(descriptor)
        }
    }

    /// What has arrived; `nil` after the end.
    private static func read(_ descriptor: Int32) -> String? {
        withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 8) { buffer in
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
        }
    }
}
