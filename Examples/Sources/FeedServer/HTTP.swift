import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// An HTTP request, with the parts that the feed needs.
struct HTTPRequest {
    let method: String
    /// With its query, such as `/posts?after=3`.
    let target: String
    let headers: [Substring: Substring]
    let body: Data

    /// Reads a request from a connection; `nil` if the connection ends first.
    init?(from connection: Int32) {
        var bytes = Data()
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0, bytes.count < 100_000 else { return nil }
            bytes += buffer[..<count]
            guard let end = bytes.firstRange(of: Data("\r\n\r\n".utf8)) else { continue }
            self.init(head: String(decoding: bytes[..<end.lowerBound], as: UTF8.self), body: bytes[end.upperBound...])
            if body.count >= headers["content-length"].flatMap({ Int($0) }) ?? 0 { return }
        }
    }

    private init(head: String, body: Data) {
        let lines = head.split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        method = words.first.map(String.init) ?? ""
        target = words.dropFirst().first.map(String.init) ?? ""
        let fields = lines.dropFirst().compactMap { line -> (Substring, Substring)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            return (Substring(line[..<colon].lowercased()), value)
        }
        headers = Dictionary(fields) { $1 }
        self.body = body
    }
}

struct HTTPResponse {
    let status: Int
    let body: Data

    init(_ status: Int, _ body: Data = Data()) { (self.status, self.body) = (status, body) }

    init(_ status: Int, _ text: String) { self.init(status, Data(text.utf8)) }

    func write(to connection: Int32) {
        let head = "HTTP/1.1 \(status) -\r\nContent-Length: \(body.count)\r\nConnection: close\r\n\r\n"
        var rest = Data(head.utf8) + body
        #if canImport(Darwin)
            var isOn: Int32 = 1
            setsockopt(connection, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
            let flags: Int32 = 0
        #else
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, flags) }
            if count <= 0 { return }  // the client has disconnected
            rest = rest.dropFirst(count)
        }
    }
}
