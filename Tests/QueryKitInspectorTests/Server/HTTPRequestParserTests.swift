import Testing

@testable import QueryKitInspector

struct HTTPRequestParserTests {
    private let line = "GET /api/store?client=0&id=7 HTTP/1.1\r\n"
    private let host = "Host: 127.0.0.1:80\r\n"

    private func parser(head: Int = 1_000, body: Int = 100) -> HTTPRequestParser { HTTPRequestParser(headLimit: head, bodyLimit: body) }

    /// All requests of a text, and the refusal that ends it.
    private func parse(
        _ text: String,
        piece: Int,
        head: Int = 1_000,
        body: Int = 100
    ) -> (requests: [HTTPRequest], refusal: HTTPRequest.Refusal?) {
        var parser = parser(head: head, body: body)
        var requests: [HTTPRequest] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            parser.append(rest.prefix(piece))
            rest = rest.dropFirst(piece)
            reading: while true {
                switch parser.next() {
                case .request(let request): requests.append(request)
                case .refused(let refusal): return (requests, refusal)
                case .incomplete: break reading
                }
            }
        }
        return (requests, nil)
    }

    @Test(arguments: [1, 2, 3, 7, 10_000])
    func `requests are the same however their bytes are cut`(piece: Int) throws {
        let post = "POST /api/action HTTP/1.1\r\n\(host)Content-Length: 5\r\nX-A:  b \r\nX-A: c\r\nConnection: Close\r\n\r\nhello"
        let (requests, refusal) = parse(line + host + "\r\n" + post + line + host + "\r\n", piece: piece)
        #expect(refusal == nil)
        #expect(requests.map(\.method) == ["GET", "POST", "GET"])
        #expect(requests.map(\.path) == ["/api/store", "/api/action", "/api/store"])
        #expect(requests.map(\.query) == [["client": "0", "id": "7"], [:], ["client": "0", "id": "7"]])
        #expect(requests.map(\.keepsAlive) == [true, false, true])
        #expect(requests.map { String(decoding: $0.body, as: UTF8.self) } == ["", "hello", ""])
        #expect(requests[1].fields["x-a"] == "b, c")
    }

    @Test func `a target is percent-decoded`() {
        let (requests, _) = parse("GET /a%20b?q=food%2F**+%2b&q=2&e HTTP/1.1\r\n\(host)\r\n", piece: 1)
        #expect(requests.first?.path == "/a b")
        #expect(requests.first?.query == ["q": "food/** +", "e": ""])
    }

    private static let noText = "The head of the request is not text with lines that end with CR LF."
    private static let noLine = "The first line is not a request line."
    private static let noTarget = "The target is not encoded correctly."

    @Test(
        arguments: [
            ("GET / HTTP/1.1\n\n", 400, noText), ("GET / HTTP/1.1\r\r\n", 400, noText), ("\r\nGET / HTTP/1.1\r\n\r\n", 400, noLine),
            ("GET  / HTTP/1.1\r\n\r\n", 400, noLine), ("get / HTTP/1.1\r\n\r\n", 400, noLine),
            ("GET http://a/ HTTP/1.1\r\n\r\n", 400, "The target must begin with a slash."),
            ("GET / HTTP/1.1\r\n\r\n", 400, "The field Host is missing."),
            ("GET / HTTP/2\r\n\r\n", 505, "Only HTTP/1.1 is supported."),
            ("GET /%4 HTTP/1.1\r\n\r\n", 400, noTarget), ("GET /%00 HTTP/1.1\r\n\r\n", 400, noTarget),
            ("GET /%ff HTTP/1.1\r\n\r\n", 400, noTarget), ("GET /?a=%zz HTTP/1.1\r\n\r\n", 400, noTarget),
            ("GET /\u{0} HTTP/1.1\r\n\r\n", 400, noText), ("\u{16}\u{3}\u{1}", 400, noText),
        ] as [(String, Int, String)]
    )
    func `a malformed request line is refused with a sentence`(text: String, status: Int, sentence: String) {
        for piece in [1, 1_000] { #expect(parse(text, piece: piece).refusal == HTTPRequest.Refusal(status, sentence)) }
    }

    private static let noField = "A line of the head is not a field."
    private static let noNumber = "The field Content-Length is not a number."
    private static let tooLong = "The body of the request is longer than 100 bytes."

    @Test(
        arguments: [
            ("Host: b\r\n", 400, "The field host occurs twice."), (" A: b\r\n", 400, noField), ("A : b\r\n", 400, noField),
            ("A\r\n", 400, noField), (": b\r\n", 400, noField), ("Origin: a\r\nOrigin: a\r\n", 400, "The field origin occurs twice."),
            ("Content-Length: 1\r\nContent-Length: 1\r\n", 400, "The field content-length occurs twice."),
            ("Content-Length: -1\r\n", 400, noNumber), ("Content-Length: 1x\r\n", 400, noNumber), ("Content-Length:\r\n", 400, noNumber),
            ("Content-Length: 101\r\n", 413, tooLong), ("Content-Length: 99999999999999999999\r\n", 413, tooLong),
            ("Transfer-Encoding: chunked\r\n", 501, "Send the body with a Content-Length."),
            ("Expect: 100-continue\r\nContent-Length: 1\r\n", 417, "Send the request without the field Expect."),
            ("X-QueryKit-Token: a\r\nX-QueryKit-Token: b\r\n", 400, "The field x-querykit-token occurs twice."),
        ] as [(String, Int, String)]
    )
    func `a field that is malformed or ambiguous is refused with a sentence`(field: String, status: Int, sentence: String) {
        for piece in [1, 1_000] {
            #expect(parse(line + host + field + "\r\n", piece: piece).refusal == HTTPRequest.Refusal(status, sentence))
        }
    }

    @Test func `a head has a maximum length`() {
        let head = line + host + "\r\n"
        let count = head.utf8.count
        #expect(parse(head, piece: 1, head: count).requests.count == 1)
        func longer(than limit: Int) -> HTTPRequest.Refusal {
            HTTPRequest.Refusal(431, "The head of the request is longer than \(limit) bytes.")
        }
        #expect(parse(head, piece: 1, head: count - 1).refusal == longer(than: count - 1))
        #expect(parse(String(repeating: "A", count: 2_000), piece: 100).refusal == longer(than: 1_000))
        let fields = (0..<101).map { "A\($0): b\r\n" }.joined()
        let refusal = parse(line + fields + "\r\n", piece: 100, head: 10_000).refusal
        #expect(refusal == HTTPRequest.Refusal(431, "The request has more than 100 fields."))
    }

    @Test func `a refusal is final and keeps no bytes`() {
        var parser = parser()
        parser.append("GET\r\n\r\n".utf8)
        guard case .refused(let first) = parser.next() else {
            Issue.record("The request was not refused.")
            return
        }
        parser.append((line + host + "\r\n").utf8)
        #expect(parser.next() == .refused(first))
    }

    @Test func `a request that has begun is known`() {
        var parser = parser()
        #expect(!parser.hasBegun)
        parser.append("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n".utf8)
        #expect(parser.next() == .incomplete)
        #expect(parser.hasBegun)
        parser.append("ab".utf8)
        guard case .request = parser.next() else {
            Issue.record("The request is not complete.")
            return
        }
        #expect(!parser.hasBegun)
    }
}
