import QueryKit

/// A mark in the file of a database that is in use, by which a copy without its log is recognised.
///
/// The mark is a row that the file has and the log removes: it is inserted, written back into the file, and deleted in the log. SQLite reads file and log
/// together, so it sees the mark only where the log is missing. A backup, a clean close and a process that was killed leave a database without it.
extension Connection {
    private static var useTable: String { "querykit_use" }

    func installUseMark() throws(SQLiteError) {
        try run("CREATE TABLE IF NOT EXISTS \(Self.useTable) (mark INTEGER PRIMARY KEY) STRICT")
    }

    /// Writes the log back as ``checkpoint(_:)`` does, and leaves the mark in the file.
    ///
    /// It waits for no other process. Where it has to, or a reader keeps the log from being written back, the file may stay without the mark until the next
    /// checkpoint.
    ///
    /// - Returns: Whether all of the log is in the file.
    @discardableResult
    func checkpointInUse(_ changes: ChangeLog?) -> Bool {
        isMarkedInUse = true
        setUseMark("INSERT OR IGNORE INTO \(Self.useTable) (mark) VALUES (1)", changes)
        let isComplete = (try? checkpoint())?.isComplete ?? false
        setUseMark("DELETE FROM \(Self.useTable)", changes)
        log.noteMark()
        return isComplete
    }

    /// The mark, which is seen only where the log is missing.
    var hasUseMark: Bool {
        (try? value(Int.self, "SELECT count(*) FROM sqlite_schema WHERE name = '\(Self.useTable)'")) == 1
            && (try? value(Int.self, "SELECT count(*) FROM \(Self.useTable)")) == 1
    }

    func removeUseMark() throws(SQLiteError) { try run("DELETE FROM \(Self.useTable)") }

    private func setUseMark(_ text: String, _ changes: ChangeLog?) {
        do {
            interruption.begin(deadline: monotonicNanoseconds() + 10_000_000)
            defer { interruption.deadline = 0 }
            try run(.beginImmediate)
            try run(text)
            // Other processes see a commit, and would take it for one of a program that keeps no log.
            try changes?.append([], on: self)
            try run(.commit)
            changes?.confirm()
        } catch {
            changes?.forget()
            rollBack()
        }
    }
}
