import Foundation
import QueryKit
import TestSupport
import Testing

@testable import QueryKitInspector

/// Replies with the request, or keeps the streams until one is closed.
private final class Echo: RequestHandler {
    let streams = Lock<[EventStream]>([])

    func respond(to request: HTTPRequest) async -> HTTPReply {
        guard request.path == "/events" else {
            return .response(HTTPResponse(200, "\(request.method) \(request.path) \(request.body.count)"))
        }
        return .stream { stream in
            self.streams.withLock { $0.append(stream) }
            stream.onClose { self.streams.withLock { $0 = [] } }
            stream.send(event: "hello", data: Array("1".utf8))
        }
    }
}

struct LoopbackServerTests {
    private func server(_ handler: some RequestHandler, port: UInt16 = 0, _ limits: ServerLimits = .patient) throws -> LoopbackServer {
        let server = try LoopbackServer(port: port, token: "secret", limits: limits, handler: handler)
        server.begin()
        return server
    }

    @Test func `a request with the token gets a response`() async throws {
        let server = try server(Echo())
        let reply = await response(from: server.port, to: "GET /a?token=secret")
        #expect(reply?.status == 200)
        #expect(reply?.body == "GET /a 0\n")
        #expect(reply?.head.contains("x-content-type-options: nosniff") == true)
        let post = await response(from: server.port, to: "POST /b", ["X-QueryKit-Token: secret"], body: "12345")
        #expect(post?.body == "POST /b 5\n")
        await server.stop()
    }

    @Test func `a wrong token, host or origin is refused before the handler sees the request`() async throws {
        let server = try server(Echo())
        let wrong = await response(from: server.port, to: "GET /?token=secre")
        #expect(wrong?.status == 403)
        #expect(wrong?.body.contains("token") == true)
        let origin = await response(from: server.port, to: "GET /?token=secret", ["Origin: http://evil.example"])
        #expect(origin?.status == 403)
        let host = await browse(server.port) { browser in
            browser.send("GET /?token=secret HTTP/1.1\r\nHost: evil.example:\(browser.port)\r\n\r\n")
            return Response(browser.readToEnd())?.status
        }
        #expect(host == 403)
        await server.stop()
    }

    @Test func `a malformed request gets a response with a sentence`() async throws {
        let server = try server(Echo())
        let sentence = await browse(server.port) { browser in
            browser.send("GET / HTTP/1.1\r\n\r\n")
            return Response(browser.readToEnd())?.body
        }
        #expect(sentence == "The field Host is missing.\n")
        await server.stop()
    }

    @Test func `a request of ten megabytes gets a response that its sender can read`() async throws {
        let server = try server(Echo())
        let body = String(repeating: "x", count: 10_000_000)
        let big = await response(from: server.port, to: "POST /", ["X-QueryKit-Token: secret"], body: body)
        #expect(big?.status == 413)
        let head = await browse(server.port) { browser in
            browser.send(body)
            return Response(browser.readToEnd())?.status
        }
        #expect(head == 431)
        await server.stop()
    }

    @Test func `half a request is refused when its time is over`() async throws {
        var limits = ServerLimits.patient
        // Long enough for the bytes to arrive on a busy machine.
        limits.requestTime = 1_000_000_000
        let server = try server(Echo(), limits)
        let status = await browse(server.port) { browser in
            browser.send("GET / HT")
            return Response(browser.readToEnd())?.status
        }
        #expect(status == 408)
        // A connection that sends nothing is just closed.
        let silence = await browse(server.port) { $0.readToEnd() }
        #expect(silence == "")
        await server.stop()
    }

    @Test func `of two hundred connections those over the limit are refused and the others served`() async throws {
        let server = try server(Echo())
        let browsers = await onThread { (0..<200).compactMap { _ in Browser(port: server.port) } }
        #expect(browsers.count == 200)
        let refused = await onThread { browsers.dropFirst(64).map { Response($0.readToEnd())?.status } }
        #expect(refused == Array(repeating: 503, count: 136))
        #expect(server.refusedCount == 136)
        #expect(server.connectionCount == 64)
        let served = await onThread {
            browsers.prefix(64).map { browser in
                browser.request("GET /?token=secret", ["Connection: close"])
                return Response(browser.readToEnd())?.status
            }
        }
        #expect(served == Array(repeating: 200, count: 64))
        for browser in browsers { browser.close() }
        await server.stop()
    }

    @Test func `a browser that never reads is dropped, and the others get each event`() async throws {
        let echo = Echo()
        let server = try server(echo)
        let lazy = try await onThread { Browser(port: server.port) }.unwrapped()
        let eager = try await onThread { Browser(port: server.port) }.unwrapped()
        for browser in [lazy, eager] {
            let isOpen = await onThread {
                browser.request("GET /events?token=secret")
                return browser.read(until: "event: hello\ndata: 1\n\n") != nil
            }
            try #require(isOpen)
        }
        let streams = echo.streams.withLock { $0 }
        let data = [UInt8](repeating: 65, count: 100_000)
        var sent = 0
        while streams[0].send(event: "tick", data: data), sent < 1_000 {
            sent += 1
            streams[1].send(event: "tick", data: data)
            let isRead = await onThread { eager.read(until: "A\n\n") != nil }
            #expect(isRead)
        }
        // At least the limit was accepted, and not much more than it and what the system buffers.
        #expect(sent >= 40)
        #expect(sent < 200)
        await withCheckedContinuation { continuation in streams[0].onClose { continuation.resume() } }
        #expect(streams[0].isClosed)
        #expect(!streams[1].isClosed)
        #expect(server.stalledCount == 1)
        await server.stop()
        #expect(streams[1].isClosed)
    }

    @Test func `writing to a browser that has left ends its stream and not the process`() async throws {
        let echo = Echo()
        let server = try server(echo)
        let opened = Lock<EventStream?>(nil)
        _ = await browse(server.port) { browser in
            browser.request("GET /events?token=secret")
            _ = browser.read(until: "data: 1\n\n")
            // The server forgets the stream as soon as it notices that the browser has left.
            opened.withLock { $0 = echo.streams.withLock { $0.first } }
            browser.close()
        }
        let stream = try #require(opened.withLock { $0.take() })
        // The first one makes the other side report that it is gone, and the next ones are written to a broken connection.
        for _ in 0..<100 { stream.send(event: "tick", data: [65]) }
        await withCheckedContinuation { continuation in stream.onClose { continuation.resume() } }
        #expect(server.stalledCount == 0)
        await server.stop()
    }

    @Test func `a port that is taken is reported, and free after the server has stopped`() async throws {
        // Repeated, because the system may give the port to another test in between.
        var isReused = false
        for _ in 0..<10 where !isReused {
            let first = try server(Echo())
            let port = first.port
            #expect(throws: ServerError.portTaken(port)) { try server(Echo(), port: port) }
            await first.stop()
            guard let second = try? server(Echo(), port: port) else { continue }
            isReused = second.port == port
            await second.stop()
        }
        #expect(isReused)
    }

    @Test func `a server that stops or is deallocated closes its connections`() async throws {
        var server: LoopbackServer? = try server(Echo())
        let port = try #require(server?.port)
        let browser = try await onThread { Browser(port: port) }.unwrapped()
        let head = await onThread {
            browser.request("GET /events?token=secret")
            return browser.read(until: "data: 1\n\n")
        }
        #expect(head?.hasPrefix("HTTP/1.1 200 OK\r\n") == true)
        server = nil
        let rest = await onThread { browser.readToEnd() }
        #expect(rest == "")
        // Stopping twice is harmless.
        let other = try self.server(Echo())
        await other.stop()
        await other.stop()
        let isReachable = await onThread { Browser(port: other.port) != nil }
        #expect(!isReachable)
    }

    #if os(Linux)
        /// The number of sockets of this process that listen at a port or are connected to it, in any state but the last.
        private func sockets(of port: UInt16) throws -> Int {
            let digits = String(port, radix: 16, uppercase: true)
            let address = "0100007F:" + String(repeating: "0", count: 4 - digits.count) + digits
            // The size of the file is reported as 0, so it must be read piece by piece.
            let file = try #require(FileHandle(forReadingAtPath: "/proc/net/tcp"))
            var text = Data()
            while let piece = try file.read(upToCount: 64 << 10), !piece.isEmpty { text += piece }
            let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
            // The columns are: number, local address, remote address, state. Sockets without an inode (column 9) belong to no process.
            return lines.count { line in
                let columns: [Substring] = line.split(separator: " ")
                return columns.count > 9 && String(columns[1]) == address && columns[9] != "0"
            }
        }

        @Test func `each descriptor is closed`() async throws {
            let server = try server(Echo())
            for _ in 0..<20 {
                let reply = await response(from: server.port, to: "GET /?token=secret")
                #expect(reply?.status == 200)
            }
            let stream = try await onThread { Browser(port: server.port) }.unwrapped()
            let isOpen = await onThread {
                stream.request("GET /events?token=secret")
                return stream.read(until: "data: 1\n\n") != nil
            }
            #expect(isOpen)
            #expect(try sockets(of: server.port) >= 2)
            await server.stop()
            #expect(try sockets(of: server.port) == 0)
        }
    #endif
}

extension Optional {
    fileprivate func unwrapped() throws -> Wrapped { try #require(self) }
}
