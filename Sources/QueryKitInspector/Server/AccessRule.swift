/// Decides whether a request may see anything: it must be for this machine, from the inspector's own page, and have the token.
///
/// A page on the internet can make a browser send requests to this machine. The field `Host` contains the name in the browser's address
/// line: a foreign name if that name was made to point to this machine (DNS rebinding). The field `Origin` identifies the page that sent
/// the request.
struct AccessRule: Sendable {
    /// The name of the field that may contain the token, in lower case.
    static let field = "x-querykit-token"

    let token: String
    let port: UInt16

    /// A token that can't be guessed: 128 random bits.
    static func newToken() -> String {
        var generator = SystemRandomNumberGenerator()
        return [generator.next(), generator.next()].map { (bits: UInt64) in
            let digits = String(bits, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Why the request is refused; `nil` if it is allowed.
    func refusal(of request: HTTPRequest) -> HTTPRequest.Refusal? {
        let host = request.fields["host"]?.lowercased() ?? ""
        guard ["127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)"].contains(host) else {
            return HTTPRequest.Refusal(403, "The inspector is available only at http://127.0.0.1:\(port).")
        }
        if let origin = request.fields["origin"]?.lowercased(), origin != "http://\(host)" {
            return HTTPRequest.Refusal(403, "The inspector replies only to its own page.")
        }
        let isActing = request.method != "GET" && request.method != "HEAD"
        // A request that acts must have the token in a field, which only a script of the page can set. So a form or a link can't act, even
        // if its author knows the token.
        guard let token = request.fields[Self.field] ?? (isActing ? nil : request.query["token"]), isToken(token) else {
            return HTTPRequest.Refusal(
                403,
                "The token is missing or wrong. Open the whole address that the app has printed, with ?token=…."
            )
        }
        return nil
    }

    /// Compares all bytes, so that the time it takes does not depend on how many of them are correct.
    private func isToken(_ candidate: String) -> Bool {
        let (own, other) = (Array(token.utf8), Array(candidate.utf8))
        var difference = own.count ^ other.count
        for index in own.indices { difference |= Int(own[index] ^ (index < other.count ? other[index] : 0)) }
        return difference == 0
    }
}
