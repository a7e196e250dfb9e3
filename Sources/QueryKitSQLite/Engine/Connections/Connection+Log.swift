import CSQLite
import QueryKit

extension Connection {
    /// Records the length of the log after each commit.
    func watchLog() {
        sqlite3_wal_hook(
            handle,
            { context, handle, _, pages in
                guard let context else { return SQLITE_OK }
                let log = Unmanaged<LogFile>.fromOpaque(context).takeUnretainedValue()
                log.pages = pages
                if log.index == nil { log.index = findIndex(of: handle) }
                if let index = log.index { log.known.noteCommit(pages, LogIndex(index)) }
                return SQLITE_OK
            },
            Unmanaged.passUnretained(log).toOpaque()
        )
    }

    /// The number of pages in the log after the latest commit.
    var logPages: Int32 { log.pages }

    /// Writes the log back as far as readers allow, without waiting for them.
    ///
    /// Makes a full checkpoint rather than a passive one, because a full one holds the write lock while it runs: SQLite versions 3.7.0 to
    /// 3.51.2 can damage a file if one process writes while another checkpoints.
    ///
    /// - Parameter mode: `SQLITE_CHECKPOINT_TRUNCATE` to empty the log as well.
    func checkpoint(_ mode: Int32 = SQLITE_CHECKPOINT_FULL) throws(SQLiteError) -> (pages: Int, written: Int, isComplete: Bool) {
        var pages: Int32 = 0
        var written: Int32 = 0
        // "This mode blocks (it invokes the busy-handler callback) until … all readers are reading from the most recent database snapshot".
        // This library's busy handler returns at once.
        interruption.work = interruption.noWaiting
        defer { interruption.work = nil }
        let code = sqlite3_wal_checkpoint_v2(handle, nil, mode, &pages, &written)
        // If busy, there are readers, or another process is writing. The checkpoint is complete as far as possible.
        guard code == SQLITE_OK || code & 0xff == SQLITE_BUSY else { throw SQLiteError(connection: handle, code: code) }
        let isComplete = code == SQLITE_OK && pages == written
        if isComplete { log.known.noteCheckpoint() }
        return (Int(max(0, pages)), Int(max(0, written)), isComplete)
    }
}

// MARK: Lost commits

extension Connection {
    /// Checks whether the log still contains all commits: those in the index of a log in use, and otherwise those that its checksums prove.
    /// Call it before the log is written back, and before the connection is closed.
    ///
    /// The check holds the writer's lock, because a commit in progress would look like damage.
    ///
    /// - Parameter milliseconds: How long to wait for a writer of another process.
    /// - Returns: False if another process is writing. Then the log is in use, and that process has checked it.
    /// - Throws: ``SQLiteError/Code/corrupt`` if commits are lost; another error if the log can't be read now.
    @discardableResult
    func checkLog(milliseconds: Int32 = 0) throws -> Bool {
        guard let path = log.path else { return true }
        guard try beginCheck(milliseconds) else { return false }
        defer { rollBack() }
        guard let index = findIndex(of: handle).map({ LogIndex($0) }) else { return true }
        if index.hasCommits, index.written >= index.frames, log.known.state.isWritten { return true }
        // A new index contains only what the log contains, and says nothing about commits that were made before.
        let known = index.hasCommits ? log.known.note(index) : log.known.state
        guard let loss = known.loss(in: try log.contents(), at: String(path.dropLast(4))) else { return true }
        throw SQLiteError(.corrupt, loss)
    }

    private func beginCheck(_ milliseconds: Int32) throws -> Bool {
        var waited: Int32 = 0
        while true {
            interruption.work = interruption.noWaiting
            defer { interruption.work = nil }
            do {
                try run(.beginImmediate)
                return true
            } catch {
                rollBack()
                guard error.code == .busy else { throw error }
                if waited >= milliseconds { return false }
            }
            sqlite3_sleep(5)
            waited += 5
        }
    }

    /// Call before the connection is closed. Then closing it writes the log back, unless commits in the log are lost.
    func endLog() {
        guard log.path != nil else { return }
        do {
            guard try checkLog() else {
                // From now on, the log is the other process's concern.
                return log.known.clear()
            }
            try setWritesLogBack(true)
            if log.known.state.isWritten { log.removeAside() }
            log.known.clear()
        } catch {
            keepLog(error)
        }
    }

    /// Checks the log before it is written back. If it has lost commits, this connection isn't used any more, and the next work recovers
    /// the file.
    func checkLogInUse() throws {
        do {
            try checkLog()
        } catch {
            isBroken = keepLog(error)
            throw error
        }
    }

    /// Leaves the log unchanged when the connection is closed. Returns whether the log must be recovered before the next one opens.
    @discardableResult
    private func keepLog(_ error: any Error) -> Bool {
        try? setWritesLogBack(false)
        guard let error = error as? SQLiteError, error.code == .corrupt else { return false }
        log.known.damage = error
        return true
    }
}

/// The header of the index of a connection's log, through SQLite's file methods: a descriptor of our own would release SQLite's locks.
private func findIndex(of handle: OpaquePointer?) -> UnsafeRawPointer? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
    guard let file, let methods = file.pointee.pMethods?.pointee, methods.iVersion >= 2 else { return nil }
    var start: UnsafeMutableRawPointer?
    // The first region of an index has 32 KiB.
    guard methods.xShmMap?(file, 0, 32_768, 0, &start) == SQLITE_OK else { return nil }
    return UnsafeRawPointer(start)
}
