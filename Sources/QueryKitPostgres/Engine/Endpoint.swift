#if Postgres
import CPostgres

/// Where and how to connect, from a connection string.
struct Endpoint: Sendable {
    /// The options of the client library, by keyword.
    private(set) var options: [String: String] = [:]

    /// Throws if the string can't be read. The error doesn't contain the string, because the string may contain the password.
    init(_ url: String) throws(PostgresError) {
        var message: UnsafeMutablePointer<CChar>?
        guard let list = PQconninfoParse(url, &message) else {
            if let message { PQfreemem(message) }
            throw PostgresError(
                .misuse,
                "The connection string can't be read. Write it as postgresql://user:password@host:port/database?sslmode=require; characters such as @ or / in a password are written as %40 or %2F."
            )
        }
        defer { PQconninfoFree(list) }
        var option = list
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { options[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        // The library sends and expects UTF-8.
        options["client_encoding"] = "UTF8"
        options["application_name"] = options["application_name"] ?? "QueryKit"
    }

    /// Server, port and database, without user and password.
    var name: String { "\(place)/\(options["dbname"] ?? options["user"] ?? "")" }

    /// Server and port.
    var place: String {
        let host = options["host"] ?? options["hostaddr"] ?? "localhost"
        return "\(host):\(options["port"] ?? "5432")"
    }

    /// Sets a setting of the server for all statements of a connection.
    mutating func set(_ setting: String, to value: String) {
        let escaped = value.replacing("\\", with: "\\\\").replacing(" ", with: "\\ ")
        options["options"] = (options["options"].map { "\($0) " } ?? "") + "-c \(setting)=\(escaped)"
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
