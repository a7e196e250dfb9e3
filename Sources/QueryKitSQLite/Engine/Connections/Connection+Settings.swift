import CSQLite

extension Connection {
    /// Sets what the engine relies on, and reads it back: SQLite ignores a setting that it does not know.
    func configure(isInMemory: Bool) throws(SQLiteError) {
        sqlite3_extended_result_codes(handle, 1)
        // DEFENSIVE does not stop ATTACH.
        sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
        // A file that turns out to be damaged stays as it was found.
        try keepLog()
        if settings.mode == .salvage { return try tolerateDamage() }
        try set(SQLITE_DBCONFIG_DEFENSIVE, to: 1, "DEFENSIVE")
        try set(SQLITE_DBCONFIG_TRUSTED_SCHEMA, to: settings.trustsSchema ? 1 : 0, "TRUSTED_SCHEMA")
        try set(SQLITE_DBCONFIG_DQS_DML, to: 0, "DQS_DML")
        try set(SQLITE_DBCONFIG_DQS_DDL, to: 0, "DQS_DDL")
        try set(SQLITE_DBCONFIG_ENABLE_FKEY, to: 1, "ENABLE_FKEY")
        try pragma("mmap_size", "0")
        try pragma("cell_size_check", "1")
        try pragma("cache_size", "-\(settings.cacheKibibytes)")
        try pragma("temp_store", "2")
        guard settings.mode == .readWrite else {
            try pragma("query_only", "1")
            // Nor does it checkpoint: two at the same time can damage the file, by a fault of SQLite from 3.7.0 to 3.51.2.
            return
        }
        if !isInMemory {
            // Only for a file that is made just now.
            try run("PRAGMA page_size = \(settings.pageSize)")
            try changeJournal()
        }
        try pragma("synchronous", settings.syncsEachCommit ? "2" : "1")
        try pragma("journal_size_limit", "\(Self.journalLimit)")
        // The writer does it itself, when nobody waits for it.
        try pragma("wal_autocheckpoint", "0")
        if settings.syncsEachCommit { try run("PRAGMA fullfsync = 1") }
        if let count = settings.maxPageCount { try run("PRAGMA max_page_count = \(count)") }
        // Only the writer writes the log back.
        try set(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, to: 0, "NO_CKPT_ON_CLOSE")
    }

    /// Lets the log stay as it is when the connection is closed.
    func keepLog() throws(SQLiteError) { try set(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, to: 1, "NO_CKPT_ON_CLOSE") }

    /// Makes the database empty. "Resetting a database is destructive and irreversible", so SQLite wants it said twice.
    func erase() throws(SQLiteError) {
        forgetStatements()
        try set(SQLITE_DBCONFIG_RESET_DATABASE, to: 1, "RESET_DATABASE")
        // VACUUM attaches the file that it writes.
        sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 1)
        defer {
            sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
            try? set(SQLITE_DBCONFIG_RESET_DATABASE, to: 0, "RESET_DATABASE")
        }
        try run("VACUUM")
        forgetStatements()
    }

    /// Lets triggers of the schema do their work, or not.
    func setTriggers(_ areOn: Bool) throws(SQLiteError) { try set(SQLITE_DBCONFIG_ENABLE_TRIGGER, to: areOn ? 1 : 0, "ENABLE_TRIGGER") }

    /// Goes on where the schema can not be understood: with "PRAGMA writable_schema" SQLite skips the entries that it can not parse.
    private func tolerateDamage() throws(SQLiteError) {
        try set(SQLITE_DBCONFIG_DEFENSIVE, to: 0, "DEFENSIVE")
        try set(SQLITE_DBCONFIG_TRUSTED_SCHEMA, to: 0, "TRUSTED_SCHEMA")
        try run("PRAGMA writable_schema = 1")
        try run("PRAGMA cell_size_check = 1")
    }

    /// How large the log may stay once it was written back.
    static var journalLimit: Int64 { 16 << 20 }

    private func changeJournal() throws(SQLiteError) {
        let wanted = settings.usesWriteAheadLog ? "wal" : "delete"
        var found: String?
        var waited: Int32 = 0
        while found == nil {
            do throws(SQLiteError) {
                found = try text("PRAGMA journal_mode = \(wanted)") ?? "none"
            } catch {
                // Several that make one file at once: "If SQLite determines that invoking the busy handler could result in a deadlock, it will go ahead
                // and return SQLITE_BUSY".
                guard error.code == .busy, waited < settings.busyMilliseconds else { throw error }
                sqlite3_sleep(5)
                waited += 5
            }
        }
        guard found == wanted else {
            throw SQLiteError(.setting, "The database can not use the journal \"\(wanted)\": it uses \"\(found ?? "none")\".")
        }
    }

    /// Sets a pragma and checks that it holds.
    private func pragma(_ name: String, _ value: String) throws(SQLiteError) {
        try run("PRAGMA \(name) = \(value)")
        let found = try text("PRAGMA \(name)")
        // A library without memory mapping has no such setting.
        if name == "mmap_size", found == nil { return }
        guard found == value else {
            throw SQLiteError(.setting, "PRAGMA \(name) should be \(value), and is \(found ?? "not there").")
        }
    }

    private func text(_ pragma: String) throws(SQLiteError) -> String? {
        let statement = try prepare(pragma, for: .engine)
        guard try statement.step(), let text = sqlite3_column_text(statement.handle, 0) else { return nil }
        return String(cString: text)
    }

    private func set(_ option: Int32, to value: Int32, _ name: String) throws(SQLiteError) {
        var found: Int32 = -1
        let code = querykit_db_config_flag(handle, option, value, &found)
        guard code == SQLITE_OK, found == value else {
            throw SQLiteError(.setting, "The setting \(name) should be \(value), and is \(found).")
        }
    }
}
