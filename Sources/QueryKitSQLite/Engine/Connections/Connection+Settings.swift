import CSQLite
import QueryKit

extension Connection {
    /// Applies the settings that this library relies on, and reads each one back: SQLite ignores unknown settings.
    func configure(isInMemory: Bool) throws(SQLiteError) {
        sqlite3_extended_result_codes(handle, 1)
        // DEFENSIVE doesn't prevent ATTACH.
        sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
        // If the file is damaged, closing the connection must leave its log unchanged.
        try setWritesLogBack(false)
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
            // A reader doesn't checkpoint either: two concurrent checkpoints can damage the file because of a bug in SQLite 3.7.0 to
            // 3.51.2.
            return
        }
        if !isInMemory {
            // Takes effect only for a new file.
            try run("PRAGMA page_size = \(settings.pageSize)")
            try changeJournal()
        }
        try pragma("synchronous", settings.syncsEachCommit ? "2" : "1")
        try pragma("journal_size_limit", "\(Self.journalLimit)")
        // The writer checkpoints when no work is waiting for it.
        try pragma("wal_autocheckpoint", "0")
        if settings.syncsEachCommit { try run("PRAGMA fullfsync = 1") }
        if let count = settings.maxPageCount { try run("PRAGMA max_page_count = \(count)") }
        // Only the writer writes the log back.
        try setWritesLogBack(true)
    }

    /// Sets whether closing the connection writes the log back and deletes it, if it is the last connection.
    func setWritesLogBack(_ isOn: Bool) throws(SQLiteError) {
        try set(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, to: isOn ? 0 : 1, "NO_CKPT_ON_CLOSE")
    }

    /// Erases the database. "Resetting a database is destructive and irreversible", so SQLite requires a setting and a VACUUM.
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

    /// Enables or disables the triggers of the schema.
    func setTriggers(_ areOn: Bool) throws(SQLiteError) { try set(SQLITE_DBCONFIG_ENABLE_TRIGGER, to: areOn ? 1 : 0, "ENABLE_TRIGGER") }

    /// Continues if the schema can't be parsed: with "PRAGMA writable_schema" SQLite skips the invalid entries.
    private func tolerateDamage() throws(SQLiteError) {
        try set(SQLITE_DBCONFIG_DEFENSIVE, to: 0, "DEFENSIVE")
        try set(SQLITE_DBCONFIG_TRUSTED_SCHEMA, to: 0, "TRUSTED_SCHEMA")
        try run("PRAGMA writable_schema = 1")
        try run("PRAGMA cell_size_check = 1")
    }

    /// The size that the log may keep after it was written back.
    static var journalLimit: Int64 { 16 << 20 }

    private func changeJournal() throws(SQLiteError) {
        let wanted = settings.usesWriteAheadLog ? "wal" : "delete"
        var found: String?
        // Each attempt may itself wait for the lock, so the time counts rather than the number of attempts.
        let deadline = monotonicNanoseconds() + UInt64(max(0, settings.busyMilliseconds)) * 1_000_000
        while found == nil {
            do throws(SQLiteError) {
                found = try text("PRAGMA journal_mode = \(wanted)") ?? "none"
            } catch {
                // Several connections are creating the file at once: "If SQLite determines that invoking the busy handler could result in a
                // deadlock, it will go ahead and return SQLITE_BUSY".
                guard error.code == .busy, monotonicNanoseconds() < deadline else { throw error }
                sqlite3_sleep(5)
            }
        }
        guard found == wanted else {
            throw SQLiteError(
                .setting,
                "The database can't use the journal mode \"\(wanted)\": it uses \"\(found ?? "none")\". Store it on a local disk."
            )
        }
    }

    /// Sets a pragma and checks that it took effect.
    private func pragma(_ name: String, _ value: String) throws(SQLiteError) {
        try run("PRAGMA \(name) = \(value)")
        let found = try text("PRAGMA \(name)")
        // A library without memory mapping doesn't have this setting.
        if name == "mmap_size", found == nil { return }
        guard found == value else {
            throw SQLiteError(.setting, "PRAGMA \(name) should be \(value), but is \(found ?? "missing").")
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
            throw SQLiteError(.setting, "The setting \(name) should be \(value), but is \(found).")
        }
    }
}
