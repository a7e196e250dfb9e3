import Testing

@testable import QueryKitInspector

struct AccessRuleTests {
    private let rule = AccessRule(token: "secret", port: 8080)

    private func status(_ method: String = "GET", query: [String: String] = [:], fields: [String: String]) -> Int? {
        let request = HTTPRequest(method: method, path: "/", query: query, fields: fields, keepsAlive: true)
        return rule.refusal(of: request)?.status
    }

    @Test(
        arguments: [
            ("127.0.0.1:8080", nil), ("localhost:8080", nil), ("LOCALHOST:8080", nil), ("[::1]:8080", nil), ("127.0.0.1", 403),
            ("127.0.0.1:80", 403), ("127.0.0.1:80800", 403), ("evil.example:8080", 403), ("127.0.0.1:8080.evil.example", 403),
            ("localhost:8080@evil.example", 403), ("", 403),
        ] as [(String, Int?)]
    )
    func `a request must name this machine and port`(host: String, expected: Int?) {
        #expect(status(query: ["token": "secret"], fields: ["host": host]) == expected)
    }

    @Test(
        arguments: [
            ("http://127.0.0.1:8080", nil), ("HTTP://127.0.0.1:8080", nil), ("http://localhost:8080", 403), ("https://127.0.0.1:8080", 403),
            ("http://127.0.0.1:8081", 403), ("http://evil.example", 403), ("null", 403), ("", 403),
        ] as [(String, Int?)]
    )
    func `a request must come from the own page or from none`(origin: String, expected: Int?) {
        #expect(status(query: ["token": "secret"], fields: ["host": "127.0.0.1:8080", "origin": origin]) == expected)
    }

    @Test(
        arguments: [("secret", nil), ("", 403), ("secre", 403), ("secrets", 403), ("Secret", 403), ("secret\u{0}", 403)] as [(String, Int?)]
    )
    func `a request must have the token`(token: String, expected: Int?) {
        let host = ["host": "127.0.0.1:8080"]
        #expect(status(query: ["token": token], fields: host) == expected)
        #expect(status(fields: host.merging([AccessRule.field: token]) { $1 }) == expected)
        #expect(status(fields: host) == 403)
        // The field counts, whatever the address says.
        #expect(status(query: ["token": "secret"], fields: host.merging([AccessRule.field: token]) { $1 }) == expected)
    }

    @Test func `an action must have the token as a field`() {
        let host = ["host": "127.0.0.1:8080"]
        #expect(status("POST", query: ["token": "secret"], fields: host) == 403)
        #expect(status("POST", fields: host.merging([AccessRule.field: "secret"]) { $1 }) == nil)
    }

    @Test func `each token is new and has 32 digits`() {
        let tokens = (0..<100).map { _ in AccessRule.newToken() }
        #expect(Set(tokens).count == 100)
        #expect(tokens.allSatisfy { $0.count == 32 && $0.allSatisfy(\.isHexDigit) })
    }
}
