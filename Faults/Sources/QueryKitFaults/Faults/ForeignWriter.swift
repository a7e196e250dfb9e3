import CSQLite

/// Writes to a file without the engine, through SQLite's C interface.
enum ForeignWriter {
    /// Executes a statement with one text parameter, which may contain any bytes.
    static func run(_ sql: String, _ bytes: [UInt8], in path: String) -> Int32 {
        var handle: OpaquePointer?
        defer { sqlite3_close_v2(handle) }
        guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else { return SQLITE_CANTOPEN }
        sqlite3_busy_timeout(handle, 5_000)
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
        guard code == SQLITE_OK else { return code }
        defer { sqlite3_finalize(statement) }
        bytes.withUnsafeBufferPointer { bytes in
            _ = bytes.withMemoryRebound(to: CChar.self) { querykit_bind_text(statement, 1, $0.baseAddress, UInt64($0.count)) }
        }
        return sqlite3_step(statement)
    }
}
