/// A complete HTTP request.
struct HTTPRequest: Hashable, Sendable {
    let method: String
    /// The path of the target, percent-decoded, such as `/api/store`.
    let path: String
    /// The items of the target's query, percent-decoded. If several items have the same name, the first one counts.
    let query: [String: String]
    /// The fields of the head by their names in lower case. The values of fields with the same name are joined by commas.
    let fields: [String: String]
    var body: [UInt8] = []

    /// Whether the sender wants to use the connection for another request.
    let keepsAlive: Bool
}

extension HTTPRequest {
    /// A reason not to accept a request, and the reply to its sender.
    struct Refusal: Error, Hashable, Sendable {
        let status: Int
        let message: String

        init(_ status: Int, _ message: String) {
            self.status = status
            self.message = message
        }
    }

    /// Parses the head of a request: the request line and the fields, without the empty line at the end.
    init(head: some Collection<UInt8>) throws(Refusal) {
        var lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: false)
        let parts = lines.removeFirst().split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, !parts[0].isEmpty, parts[0].utf8.allSatisfy({ $0 >= 0x41 && $0 <= 0x5a }) else {
            throw Refusal(400, "The first line is not a request line.")
        }
        guard parts[2] == "HTTP/1.1" || parts[2] == "HTTP/1.0" else { throw Refusal(505, "Only HTTP/1.1 is supported.") }
        method = parts[0]
        (path, query) = try Self.target(parts[1])
        fields = try Self.fields(lines)
        if parts[2] == "HTTP/1.1", fields["host"] == nil { throw Refusal(400, "The field Host is missing.") }
        let connection = fields["connection"]?.lowercased() ?? ""
        keepsAlive = parts[2] == "HTTP/1.1" && !connection.contains("close")
    }

    private static func target(_ text: String) throws(Refusal) -> (path: String, query: [String: String]) {
        guard text.hasPrefix("/") else { throw Refusal(400, "The target must begin with a slash.") }
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = decoded(parts[0]) else { throw Refusal(400, "The target is not encoded correctly.") }
        var query: [String: String] = [:]
        for item in parts.count > 1 ? parts[1].split(separator: "&") : [] {
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            // A plus stands for a space in queries that forms and URLSearchParams make.
            guard let name = decoded(pair[0], plusIsSpace: true), let value = decoded(pair.count > 1 ? pair[1] : "", plusIsSpace: true)
            else { throw Refusal(400, "The target is not encoded correctly.") }
            if query[name] == nil { query[name] = value }
        }
        return (path, query)
    }

    /// Decodes `%41` and the like. Returns `nil` if a sequence is incomplete, or if the bytes are not UTF-8 or contain a control character.
    private static func decoded(_ text: Substring, plusIsSpace: Bool = false) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == 0x2b, plusIsSpace {
                bytes.append(0x20)
            } else if byte == 0x25 {
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else { return nil }
                bytes.append(high << 4 | low)
            } else {
                bytes.append(byte)
            }
        }
        let decoded = String(decoding: bytes, as: UTF8.self)
        return bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7f } && decoded.utf8.elementsEqual(bytes) ? decoded : nil
    }

    /// The value of a hexadecimal digit.
    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }

    /// Fields that determine who may do what, or where the request ends. If such a field occurred twice, different readers could understand
    /// the request differently.
    private static let singular: Set = ["host", "origin", "content-length", "content-type", "transfer-encoding", AccessRule.field]

    private static func fields(_ lines: [Substring]) throws(Refusal) -> [String: String] {
        guard lines.count <= 100 else { throw Refusal(431, "The request has more than 100 fields.") }
        var fields: [String: String] = [:]
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            // A space before the colon or at the beginning of a line was used to smuggle requests past other servers.
            guard parts.count == 2, !parts[0].isEmpty, parts[0].utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
                throw Refusal(400, "A line of the head is not a field.")
            }
            let name = parts[0].lowercased()
            let value = String(parts[1].trimming { $0 == " " || $0 == "\t" })
            if let first = fields[name] {
                if singular.contains(name) { throw Refusal(400, "The field \(name) occurs twice.") }
                fields[name] = first + ", " + value
            } else {
                fields[name] = value
            }
        }
        return fields
    }
}

extension Substring {
    fileprivate func trimming(_ isTrimmed: (Character) -> Bool) -> Substring {
        var text = drop(while: isTrimmed)
        while let last = text.last, isTrimmed(last) { text.removeLast() }
        return text
    }
}
