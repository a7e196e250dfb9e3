/// Turns the bytes of a connection into requests, regardless of how the bytes are split into pieces.
///
/// It is strict: lines end with CR LF, the head has no control characters, and a body needs a `Content-Length`. After a refusal the
/// position of the next request is unknown, so the connection must be closed.
struct HTTPRequestParser: Sendable {
    enum Outcome: Equatable {
        case incomplete
        case request(HTTPRequest)
        case refused(HTTPRequest.Refusal)
    }

    private enum Phase {
        /// Looks for the empty line that ends the head. The bytes before `scanned` have been checked.
        case head(scanned: Int)
        case body(HTTPRequest, count: Int)
        case refused(HTTPRequest.Refusal)
    }

    private let headLimit: Int
    private let bodyLimit: Int
    private var phase = Phase.head(scanned: 0)
    private var buffer: [UInt8] = []

    init(headLimit: Int, bodyLimit: Int) {
        self.headLimit = headLimit
        self.bodyLimit = bodyLimit
    }

    /// Whether a request has begun and isn't complete.
    var hasBegun: Bool { if case .body = phase { true } else { !buffer.isEmpty } }

    /// The number of bytes that belong to requests not yet returned.
    var bufferedCount: Int { buffer.count }

    mutating func append(_ bytes: some Collection<UInt8>) { buffer += bytes }

    /// Returns the next request, if its bytes are complete.
    mutating func next() -> Outcome {
        do {
            if case .head(let scanned) = phase { try readHead(scanned) }
            switch phase {
            case .head: return .incomplete
            case .refused(let refusal): return .refused(refusal)
            case .body(var request, let count):
                guard buffer.count >= count else { return .incomplete }
                request.body = Array(buffer.prefix(count))
                buffer.removeFirst(count)
                phase = .head(scanned: 0)
                return .request(request)
            }
        } catch {
            phase = .refused(error)
            buffer = []
            return .refused(error)
        }
    }

    private mutating func readHead(_ scanned: Int) throws(HTTPRequest.Refusal) {
        var index = scanned
        while index < buffer.count {
            let byte = buffer[index]
            let follows = index > 0 ? buffer[index - 1] : 0
            guard (byte == 0x0a) == (follows == 0x0d), byte >= 0x20 && byte != 0x7f || byte == 0x09 || byte == 0x0a || byte == 0x0d else {
                throw HTTPRequest.Refusal(400, "The head of the request is not text with lines that end with CR LF.")
            }
            index += 1
            guard index <= headLimit else { throw HTTPRequest.Refusal(431, "The head of the request is longer than \(headLimit) bytes.") }
            if byte == 0x0a, index >= 4, buffer[index - 3] == 0x0a {
                let request = try HTTPRequest(head: buffer[..<(index - 4)])
                phase = .body(request, count: try bodyCount(of: request))
                buffer.removeFirst(index)
                return
            }
        }
        phase = .head(scanned: index)
    }

    private func bodyCount(of request: HTTPRequest) throws(HTTPRequest.Refusal) -> Int {
        if request.fields["transfer-encoding"] != nil { throw HTTPRequest.Refusal(501, "Send the body with a Content-Length.") }
        guard let text = request.fields["content-length"] else { return 0 }
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else {
            throw HTTPRequest.Refusal(400, "The field Content-Length is not a number.")
        }
        guard let count = Int(text), count <= bodyLimit else {
            throw HTTPRequest.Refusal(413, "The body of the request is longer than \(bodyLimit) bytes.")
        }
        // A sender of this field waits for permission before it sends the body. Bodies as small as these need no permission.
        if request.fields["expect"] != nil { throw HTTPRequest.Refusal(417, "Send the request without the field Expect.") }
        return count
    }
}
