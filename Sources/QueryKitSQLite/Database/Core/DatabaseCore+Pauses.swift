import QueryKit

/// Times in which no connection is open: a suspension, work that needs the file alone, and the end.
extension DatabaseCore {
    func suspend() async {
        let suspension = lanes.announceSuspension()
        // A recovery that has begun holds the file, so wait for its end. From the first pause on, a new recovery waits for the end of the
        // suspension, so the suspension must not wait for that recovery.
        await lanes.pause(suspension: suspension, disconnects: false)
        await lanes.recoveryEnded()
        await lanes.pause(suspension: suspension, disconnects: opener.path != nil) { [watch] in watch.noteEnd(of: $0) }
        await separateWork.pause(.suspension, suspension: suspension)
        // The database was resumed during the wait.
        if lanes.isOver(suspension) { return separateWork.resume(.suspension, suspension: suspension) }
        watch.noteClosing()
        if opener.knownLog.damage != nil, lanes.beginRecovery(in: suspension) {
            if await recoverClosed() { announce(SQLiteChangeSet(.local, [.everything])) }
            lanes.resume(.recovery)
        }
    }

    func resume() { separateWork.resume(.suspension, suspension: lanes.resume()) }

    /// Performs work on the writer's thread while no other work runs and no connection is open, such as a recovery. Waiting and later jobs
    /// start when the work has ended. Concurrent calls run one after the other.
    func exclusively<Value: Sendable>(_ work: @escaping @Sendable (Lane) throws -> Value) async throws -> Value {
        try Task.checkCancellation()
        guard await lanes.beginRecovery() else { throw Lanes.closedError }
        defer {
            // The lanes last, because the next call begins when they resume.
            separateWork.resume(.recovery)
            lanes.resume(.recovery)
        }
        await separateWork.pause(.recovery)
        // Closing a connection in memory would lose the data.
        await lanes.pause(.recovery, disconnects: opener.path != nil)
        return try await lanes.whilePaused(work)
    }

    /// - Parameter keepsLog: Whether the log stays unchanged, because the database could not be opened.
    func close(keepsLog: Bool = false) async {
        watch.stop()
        await separateWork.close()
        // SQLite doesn't write the log back if another process has the file open. This code does it in any case, so that a copy of the
        // single file is complete.
        let writesBack = !opener.isReader && opener.path != nil && !keepsLog
        await lanes.close(keepsLog: keepsLog) { [opener, log, unsavedReports] connection in
            guard writesBack, (try? connection.checkLog()) == true else { return }
            for recovery in unsavedReports.withLock(\.self) { try? connection.add(recovery, opener.log(log)) }
            _ = try? connection.writeLogBack(truncates: false)
        }
        _ = await recoverClosed()
        feed.finish()
        endReports()
        opener.location.deleteIfTemporary()
    }
}
