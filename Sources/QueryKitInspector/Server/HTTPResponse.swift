/// The complete reply to a request.
struct HTTPResponse: Hashable, Sendable {
    let status: Int
    let type: String
    let body: [UInt8]
    /// Further fields, or other values for the fields that each response has.
    var fields: [String: String] = [:]

    init(_ status: Int = 200, type: String, body: [UInt8]) {
        self.status = status
        self.type = type
        self.body = body
    }

    /// A sentence for the reader.
    init(_ status: Int, _ message: String) {
        self.init(status, type: "text/plain; charset=utf-8", body: Array((message + "\n").utf8))
    }

    init(_ refusal: HTTPRequest.Refusal) { self.init(refusal.status, refusal.message) }

    /// The head and the body.
    func bytes(keepsAlive: Bool) -> [UInt8] {
        let own = ["content-type": type, "content-length": "\(body.count)", "connection": keepsAlive ? "keep-alive" : "close"]
        return Self.head(status, own.merging(fields) { $1 }) + body
    }

    /// The head of a response whose body is a stream of server-sent events that ends with the connection.
    static let eventStreamHead = head(200, ["content-type": "text/event-stream", "connection": "close"])

    private static func head(_ status: Int, _ fields: [String: String]) -> [UInt8] {
        var text = "HTTP/1.1 \(status) \(reasons[status] ?? "Unknown")\r\n"
        for (name, value) in safety.merging(fields, uniquingKeysWith: { $1 }).sorted(by: { $0.key < $1.key }) {
            text += "\(name): \(value)\r\n"
        }
        return Array((text + "\r\n").utf8)
    }

    /// Fields that keep other pages from using a response, and browsers from storing it or guessing its type.
    private static let safety = [
        "cache-control": "no-store",
        "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
    ]

    private static let reasons = [
        200: "OK", 400: "Bad Request", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 408: "Request Timeout",
        413: "Content Too Large", 415: "Unsupported Media Type", 417: "Expectation Failed", 431: "Request Header Fields Too Large",
        500: "Internal Server Error", 501: "Not Implemented", 503: "Service Unavailable", 505: "HTTP Version Not Supported",
    ]
}

/// The reply to a request: complete, or a stream of events.
enum HTTPReply: Sendable {
    case response(HTTPResponse)
    /// Begins a stream of server-sent events. The closure is called with the stream as soon as the head of the response is on its way.
    case stream(@Sendable (EventStream) -> Void)
}

/// Replies to the requests that the server has accepted.
protocol RequestHandler: Sendable {
    /// Called in a task of its own, which is cancelled when the connection is closed. It must not block the thread.
    func respond(to request: HTTPRequest) async -> HTTPReply
}
