import QueryKit

/// A mark in the file of a database in use, which shows when the file was copied without its log.
///
/// The mark is a row that exists in the file and is deleted in the log: it is inserted, written back into the file, and then deleted in the
/// log. SQLite reads file and log together, so the mark is visible in only two cases: if the log is missing, or between the insertion and
/// the deletion. A process may be killed between these two steps. So if the mark is visible although there is a log, it is removed and not
/// reported.
extension Connection {
    private static var useTable: String { "querykit_use" }

    func installUseMark() throws(SQLiteError) {
        try run("CREATE TABLE IF NOT EXISTS \(Self.useTable) (mark INTEGER PRIMARY KEY) STRICT")
    }

    /// Writes the log back like ``checkpoint(_:)``, and leaves the mark in the file.
    ///
    /// If a reader prevents the log from being written back, or another process is writing, the file stays without the mark until the next
    /// checkpoint.
    ///
    /// - Returns: Whether all of the log is in the file.
    /// - Throws: ``SQLiteError/Code/corrupt`` if commits in the log are lost.
    @discardableResult
    func checkpointInUse(_ changes: ChangeLog?) throws -> Bool {
        isMarkedInUse = true
        try checkLogInUse()
        insertUseMark(changes)
        let isComplete = (try? checkpoint())?.isComplete ?? false
        // If the mark can't be removed now, the next write tries again.
        if hasUseMark, (try? removeUseMark(changes)) == nil { isMarkedInUse = false }
        log.noteMark()
        return isComplete
    }

    /// Whether the mark is visible: either the log is missing, or a process is between the insertion and the deletion.
    var hasUseMark: Bool {
        (try? value(Int.self, "SELECT count(*) FROM sqlite_schema WHERE name = '\(Self.useTable)'")) == 1
            && (try? value(Int.self, "SELECT count(*) FROM \(Self.useTable)")) == 1
    }

    /// Removes the mark if it is visible, and performs more work in the same transaction.
    func removeUseMark(_ changes: ChangeLog?, _ work: () throws -> Void = {}) throws {
        try ChangeLog.commitQuietly(changes, on: self) { connection in
            guard connection.hasUseMark else { return }
            try connection.run("DELETE FROM \(Self.useTable)")
            try work()
        }
    }

    /// Inserts the mark, unless another process is writing.
    private func insertUseMark(_ changes: ChangeLog?) {
        interruption.begin(deadline: monotonicNanoseconds() + 10_000_000)
        defer { interruption.deadline = 0 }
        try? ChangeLog.commitQuietly(changes, on: self) { try $0.run("INSERT OR IGNORE INTO \(Self.useTable) (mark) VALUES (1)") }
    }
}
