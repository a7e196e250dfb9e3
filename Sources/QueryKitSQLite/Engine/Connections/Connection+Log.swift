import CSQLite
import QueryKit

extension Connection {
    /// Notes after each commit how long the log is.
    func watchLog() {
        sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                guard let context else { return SQLITE_OK }
                Unmanaged<LogFile>.fromOpaque(context).takeUnretainedValue().pages = pages
                return SQLITE_OK
            },
            Unmanaged.passUnretained(log).toOpaque()
        )
    }

    /// How many pages the log had after the latest commit.
    var logPages: Int32 { log.pages }

    /// Writes the log back, as far as readers let it; it waits for none of them.
    ///
    /// Not passively: a full checkpoint holds the lock for writing meanwhile. Versions 3.7.0 to 3.51.2 of SQLite can damage a file when one process writes
    /// while another checkpoints.
    ///
    /// - Parameter mode: `SQLITE_CHECKPOINT_TRUNCATE` to empty the log as well.
    func checkpoint(_ mode: Int32 = SQLITE_CHECKPOINT_FULL) throws(SQLiteError) -> (pages: Int, written: Int, isComplete: Bool) {
        var pages: Int32 = 0
        var written: Int32 = 0
        // "This mode blocks (it invokes the busy-handler callback) until … all readers are reading from the most recent database snapshot": ours gives up.
        interruption.work = interruption.impatience
        defer { interruption.work = nil }
        let code = sqlite3_wal_checkpoint_v2(handle, nil, mode, &pages, &written)
        // Busy: readers, or another process that writes. What could be done is done.
        guard code == SQLITE_OK || code & 0xff == SQLITE_BUSY else { throw SQLiteError(connection: handle, code: code) }
        return (Int(max(0, pages)), Int(max(0, written)), code == SQLITE_OK && pages == written)
    }
}

/// What a connection knows of its log.
final class LogFile {
    /// How long it is.
    var pages: Int32 = 0
    /// The path of the log.
    private var path: String?
    /// The file to which commits go; another one under its name means that somebody has deleted it.
    var inode: UInt64?
    /// How long it was when the file was last marked, or after the latest commit since then.
    private var last: Int32?

    /// After a commit: whether another process has written the log back since the latest one, and with it has removed the mark from the file. A log
    /// that is shorter says so; one that has grown longer at once is noticed at its next restart.
    func isRestarted() -> Bool {
        defer { last = pages }
        guard let last else { return false }
        return pages < last
    }

    func noteMark() { last = pages }

    /// From now on commits go to the log of this database.
    func follow(_ database: String) {
        let path = database + "-wal"
        self.path = path
        inode = fileNumber()
    }

    /// The file that has the path of the log now.
    func fileNumber() -> UInt64? {
        guard let path else { return nil }
        #if os(Linux)
            let number = querykit_file_number(path)
            if number != .max { return number == 0 ? nil : number }
        #endif
        return Disk.inode(path)
    }
}
