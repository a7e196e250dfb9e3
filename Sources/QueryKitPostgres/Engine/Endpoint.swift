#if Postgres
import CPostgres

/// Where and how to connect, from a connection string.
struct Endpoint: Sendable {
    /// The options of the client library, by keyword.
    private(set) var options: [String: String] = [:]
    /// Settings of the server, by name.
    private(set) var settings: [String: String] = [:]

    /// Throws if the string can't be read. The error doesn't contain the string, because the string may contain the password.
    init(_ url: String) throws(PostgresError) {
        var message: UnsafeMutablePointer<CChar>?
        guard let list = PQconninfoParse(url, &message) else {
            if let message { PQfreemem(message) }
            throw Self.unreadable
        }
        defer { PQconninfoFree(list) }
        options = Self.values(of: list)
        if url.hasPrefix("postgres"), Self.mayContainPassword(options) { throw Self.unreadable }
        // The library sends and expects UTF-8.
        options["client_encoding"] = "UTF8"
        // Without these defaults, a connection hangs for hours after a router has silently dropped it.
        let defaults = [
            "application_name": "QueryKit", "keepalives_idle": "30", "keepalives_interval": "10", "keepalives_count": "3",
            "tcp_user_timeout": "30000",
        ]
        options.merge(defaults) { own, _ in own }
        // Reads go to the primary: when the listener is notified of a commit, a standby may not have it yet.
        if options["host"]?.contains(",") == true || options["hostaddr"]?.contains(",") == true,
            options["target_session_attrs"] == nil, Self.defaults["target_session_attrs"] ?? "any" == "any"
        {
            options["target_session_attrs"] = PQlibVersion() >= 140_000 ? "primary" : "read-write"
        }
    }

    private static let unreadable = PostgresError(
        .misuse,
        "The connection string can't be read. Write it as postgresql://user:password@host:port/database?sslmode=require; characters such as @ or / in a password are written as %40 or %2F."
    )

    /// Whether other options contain a part of a password with an unescaped `@` or `/`: the client library lets the password end there. The
    /// rest would be shown as host, port or database.
    private static func mayContainPassword(_ options: [String: String]) -> Bool {
        ["host", "hostaddr", "dbname"].contains { options[$0]?.contains("@") == true }
            || options["port"]?.allSatisfy { "0123456789,".contains($0) } == false
    }

    /// The client library's values for options that the string doesn't contain, for example from `PGHOST`.
    private static let defaults: [String: String] = {
        guard let list = PQconndefaults() else { return [:] }
        defer { PQconninfoFree(list) }
        return values(of: list)
    }()

    private static func values(of list: UnsafeMutablePointer<PQconninfoOption>) -> [String: String] {
        var values: [String: String] = [:]
        var option = list
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return values
    }

    /// Server, port and database, without user and password.
    var name: String { "\(place)/\(options["dbname"] ?? Self.defaults["dbname"] ?? options["user"] ?? Self.defaults["user"] ?? "")" }

    /// Server and port.
    var place: String {
        let host = options["host"] ?? options["hostaddr"] ?? Self.defaults["host"] ?? Self.defaults["hostaddr"] ?? "localhost"
        return "\(host):\(options["port"] ?? Self.defaults["port"] ?? "5432")"
    }

    /// Sets a setting of the server for all statements of a connection.
    ///
    /// It is sent after connecting, because poolers refuse or ignore settings in the connection's first message.
    mutating func set(_ setting: String, to value: String) { settings[setting] = value }

    /// The statement that applies the settings; `nil` if there are none.
    var settingStatement: String? {
        func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "''"))'" }
        if settings.isEmpty { return nil }
        let calls = settings.sorted { $0.key < $1.key }.map { "set_config(\(quoted($0.key)), \(quoted($0.value)), false)" }
        return "SELECT \(calls.joined(separator: ", "))"
    }

    /// Sets an option of the client library, such as `application_name`.
    mutating func setOption(_ keyword: String, to value: String) { options[keyword] = value }

    /// Calls a closure with the keywords and values as the client library takes them.
    func withPointers<Result>(
        _ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result {
        let pairs = options.sorted { $0.key < $1.key }
        let keywords = pairs.map { Array($0.key.utf8CString) }
        let values = pairs.map { Array($0.value.utf8CString) }
        func pointers(_ texts: [[CChar]], _ index: Int, _ list: [UnsafePointer<CChar>?], _ use: ([UnsafePointer<CChar>?]) -> Result)
            -> Result
        {
            guard index < texts.count else { return use(list + [nil]) }
            return texts[index].withUnsafeBufferPointer { pointers(texts, index + 1, list + [$0.baseAddress], use) }
        }
        return pointers(keywords, 0, []) { keywords in pointers(values, 0, []) { values in body(keywords, values) } }
    }
}
#endif
