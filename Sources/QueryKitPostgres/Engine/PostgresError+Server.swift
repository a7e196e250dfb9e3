#if Postgres
import CPostgres

extension PostgresError {
    /// The error of a result.
    init(_ result: OpaquePointer, sql: String?) {
        func field(_ code: Int32) -> String? { PQresultErrorField(result, code).map { String(cString: $0) } }
        let state = field(Int32(UInt8(ascii: "C")))
        let message = field(Int32(UInt8(ascii: "M"))) ?? Self.line(PQresultErrorMessage(result))
        let code = state.map { Self.code(ofState: $0, message, field(Int32(UInt8(ascii: "R")))) } ?? .unavailable
        self.init(
            code,
            Self.sentence(state.map { Self.withoutValues(message, $0) } ?? message, code),
            sqlState: state,
            detail: field(Int32(UInt8(ascii: "D"))),
            hint: field(Int32(UInt8(ascii: "H"))) ?? Self.advice(state),
            sql: sql,
            constraintName: field(Int32(UInt8(ascii: "n")))
        )
    }

    /// The error of a connection that was lost or couldn't be opened.
    ///
    /// The client library provides only a text for it, from which the code is derived.
    init(connection: OpaquePointer?, to place: String, while action: String) {
        let failure = ConnectionFailure(connection.map { Self.line(PQerrorMessage($0)) } ?? "There is not enough memory.")
        self.init(
            failure.code,
            "\(action) \(place) failed: \(failure.text)",
            sqlState: failure.sqlState,
            hint: Self.advice(failure.code)
        )
    }

    /// A text of the client library as one line.
    static func line(_ text: UnsafePointer<CChar>?) -> String {
        guard let text else { return "unknown reason" }
        let lines = String(cString: text).split(whereSeparator: \.isNewline).map { $0.drop { $0 == "\t" || $0 == " " } }
        return lines.isEmpty ? "unknown reason" : lines.joined(separator: " ")
    }

    /// A message about a value without the value, which the server quotes: in errors about data, and in those about a text that is parsed,
    /// such as that of a search, after a colon.
    static func withoutValues(_ message: String, _ state: String) -> String {
        let quotes = message.indices.filter { "\"'«»„“”‘’".contains(message[$0]) }
        guard let first = quotes.first, let last = quotes.last, first < last else { return message }
        let isOfValue = state.hasPrefix("22") || state == "42601" && message[..<first].hasSuffix(": ")
        return isOfValue ? message[...first] + "…" + message[last...] : message
    }

    private static func sentence(_ message: String, _ code: Code) -> String {
        code == .misuse ? "\(message); use write instead of read, and connect to the primary (target_session_attrs=read-write)" : message
    }

    /// - Parameter function: The function of the server that reported the error. Unlike the message, its name isn't translated.
    static func code(ofState state: String, _ message: String, _ function: String? = nil) -> Code {
        if let code = codes[state] { return code }
        switch state {
        // "cached plan must not change result type" is a feature that is not supported.
        case "0A000": return function == "RevalidateCachedQuery" || message.contains("cached plan") ? .outdatedStatement : .server
        case "57014": return message.contains("timeout") ? .timeout : .cancelled
        default: return classes[String(state.prefix(2))] ?? .server
        }
    }

    private static let codes: [String: Code] = [
        "25006": .misuse, "25P02": .failedTransaction, "25P03": .timeout, "26000": .outdatedStatement, "3D000": .unknownDatabase,
        "40001": .serialization, "40P01": .deadlock, "40002": .constraint, "40003": .outcomeUnknown, "42501": .permission,
        "42P01": .undefinedTable, "42703": .undefinedColumn, "42883": .undefinedFunction, "53300": .unavailable, "55P03": .timeout,
        "57P01": .unavailable, "57P02": .unavailable, "57P03": .unavailable, "57P04": .unavailable, "57P05": .unavailable,
        "25P04": .timeout, "P0001": .raised,
    ]

    private static let classes: [String: Code] = [
        "08": .unavailable, "22": .invalidValue, "23": .constraint, "28": .authentication, "40": .serialization, "42": .syntax,
        "53": .resources, "54": .limit, "57": .unavailable, "58": .unavailable,
    ]

    /// What to do about an error of the server that doesn't come with a hint.
    private static func advice(_ state: String?) -> String? {
        switch state {
        case "42P18": "Give the value a type in the statement, such as \\(name)::text."
        case "22021": "The bytes are not text in this encoding. Name their encoding in convert_from, or keep them as bytea."
        default: nil
        }
    }

    private static func advice(_ code: Code) -> String? {
        switch code {
        case .authentication: "Check the user, the password and the server's pg_hba.conf."
        case .tls: "Check sslmode and sslrootcert in the connection string, and whether the server offers TLS."
        case .unknownDatabase: "Create it, or correct its name in the connection string."
        case .unavailable: "Check the host and the port, and whether the server is running."
        default: nil
        }
    }
}

/// The client library's message about a connection that couldn't be opened or was lost.
struct ConnectionFailure {
    /// The text without the server's code.
    let text: String
    /// The server's code. It is part of the text only while a connection is being opened.
    private(set) var sqlState: String?
    let code: PostgresError.Code

    init(_ line: String) {
        // The name of the host precedes this word. If there are several hosts, the failures of the others precede it too.
        let start = line.ranges(of: "failed: ").last?.upperBound ?? line.startIndex
        guard let match = line[start...].wholeMatch(of: /([^ :]+: +)([0-9A-Z]{5}): (.*?)( LOCATION: .*)?/) else {
            text = line
            code = start == line.startIndex ? Self.code(ofLine: line) : Self.code(of: line[start...])
            return
        }
        text = "\(line[..<start])\(match.1)\(match.3)"
        sqlState = String(match.2)
        code = PostgresError.code(ofState: String(match.2), String(match.3))
    }

    /// The kind of a text that may contain the name of the host.
    private static func code(ofLine line: String) -> PostgresError.Code {
        line.hasPrefix("could not translate host name") || line.contains("unexpectedly") ? .unavailable : code(of: line[...])
    }

    private static func code(of text: Substring) -> PostgresError.Code {
        let text = text.lowercased()
        func has(_ words: String...) -> Bool { words.contains { text.contains($0) } }
        // Checked before the texts about TLS: while a server with TLS restarts, some of these texts contain "SSL", too.
        if has("too many c", "ssl syscall", "closed unexpectedly", "closed the connection", "reset by peer", "refused", "starting up") {
            return .unavailable
        }
        if has("authentication", "no password supplied", "pg_hba") { return .authentication }
        if has("role \""), has("does not exist", "is not permitted") { return .authentication }
        if has("ssl", "certificate", "tls") { return .tls }
        if has("database \""), has("does not exist") { return .unknownDatabase }
        if has("timeout expired", "timed out") { return .timeout }
        return .unavailable
    }
}
#endif
