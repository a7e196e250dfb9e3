import Foundation
import QueryKit

extension DatabaseCore {
    /// Replaces the damaged file of a database in use with a new one that contains what can be saved.
    ///
    /// - Parameter inode: The inode of the file in which the damage was found.
    /// - Returns: False if another process has recovered the file: then there is another file, which was checked.
    func recover(from error: SQLiteError, in inode: UInt64?) async throws -> Bool {
        try await exclusively { [self] lane in
            let recovered = try recover(from: error, in: inode, on: lane, isInUse: true)
            // Before anything else is committed.
            announce(SQLiteChangeSet(recovered == nil ? .otherProcess : .local, [.everything]))
            report = try recovered ?? prepare(on: lane)
            return recovered != nil
        }
    }

    private func recovery(of path: String, _ inode: UInt64?, because error: SQLiteError) -> Recovery {
        Recovery(path, inode: inode, because: error.message, knownLog: opener.knownLog.state, migrations, configuration)
    }

    /// Recovers the file if its last connection has found at its end that commits in the log are lost: the process may end now, and the
    /// next one knows nothing about them. Call it while no connection is open. Returns whether the file was replaced.
    func recoverClosed() async -> Bool {
        guard let error = opener.knownLog.damage, configuration.damage.recovers, let path = opener.path else { return false }
        let recovered = try? await lanes.whilePaused { [self] lane in
            defer { lane.disconnect() }
            return try recover(from: error, in: Disk.inode(path), on: lane, isInUse: true)
        }
        guard let recovered else { return false }
        report = recovered
        return true
    }

    /// Replaces the damaged file. Call it while no connection is open.
    ///
    /// - Parameter isInUse: Whether the database is in use. If so, and no new file can be created, the database is left as it is. During
    ///   opening, it would continue in memory instead.
    /// - Returns: `nil` if another process has recovered the file: then there is another file, which hasn't been checked.
    func recover(from error: SQLiteError, in inode: UInt64?, on lane: Lane, isInUse: Bool) throws -> SQLiteReport? {
        guard let path = opener.path else { throw error }
        switch try recovery(of: path, inode, because: error).run() {
        case .replaced(let report):
            opener.knownLog.clear()
            // The new file is in place, whether or not it can be opened now.
            opener.forgetFile()
            if let connection = try? lane.connected() { try? log.begin(on: connection, isNewFile: true) }
            return report
        case .overtaken:
            opener.knownLog.clear()
            opener.forgetFile()
            if let connection = try? lane.connected() { try? log.begin(on: connection, isNewFile: true) }
            return nil
        case .impossible(let reason, let locked):
            defer { locked?.copy.remove() }
            if isInUse { throw SQLiteError(.corrupt, reason) }
            // Retaining the lock prevents other processes from recovering the file in the meantime.
            return try withExtendedLifetime(locked) { try continueInMemory(because: reason, locked?.copy, on: lane) }
        }
    }

    private func continueInMemory(because reason: String, _ copy: ScratchCopy?, on lane: Lane) throws -> SQLiteReport {
        // Fill the new database before the file is given up: this may fail, and then the database still uses its file.
        let filled = try Connection(path: nil, settings: ConnectionSettings(mode: .readWrite))
        let salvage = try Salvage(from: copy?.path, to: filled, migrations, configuration)
        opener.moveToMemory()
        lanes.useWriterOnly()
        let connection = try lane.connected()
        try filled.copyAll(to: connection)
        connection.adoptSchema()
        let rest = salvage.isReadable ? "" : " Nothing in it could be read."
        return SQLiteReport(.inMemory(because: reason + rest), migrated: salvage.migrated)
    }

    // MARK: While the database is in use

    /// Recovers from damage that a statement, a copy or a check has found. Concurrent calls share one recovery. Returns once reading works
    /// again.
    ///
    /// - Throws: The error that prevents the recovery.
    func recoverInUse(from error: SQLiteError) async throws {
        if let failure = await recover(after: error) { throw failure }
    }

    /// Recovers like ``recoverInUse(from:)``, but also right after a failed attempt. Returns true if reading works again.
    func repair(after error: SQLiteError) async -> Bool {
        repairBackoff.end()
        return await recover(after: error) == nil
    }

    /// - Returns: The error that prevents the recovery; `nil` if reading works again.
    private func recover(after error: SQLiteError) async -> SQLiteError? {
        guard error.hintsAtDamage, configuration.damage.recovers, !opener.isReader, let path = opener.path else {
            return opener.withAdvice(error)
        }
        if error.code == .full, configuration.maxPageCount != nil || !Disk.hasRoom(path) { return error }
        if let latest = repairBackoff.latestError {
            if !error.isDamage { return error }
            // The latest attempt may have been caused by an error that doesn't mean damage.
            if latest.isDamage { return latest }
        }
        return await repairs.join { [self] in
            let start = monotonicNanoseconds()
            let failure = await repairOnce(after: error)
            if let failure { repairBackoff.begin(failure, after: monotonicNanoseconds() - start) } else { repairBackoff.end() }
            return failure
        }
    }

    private func repairOnce(after error: SQLiteError) async -> SQLiteError? {
        let inode = opener.path.flatMap(Disk.inode)
        let isSound: Bool
        do {
            isSound = try await self.isSound(after: error)
        } catch let failure {
            // The file can't be checked now, so the original error is returned.
            let failure = failure as? SQLiteError
            return failure?.code == .closed ? Lanes.closedError : failure?.code == .moved ? failure : error
        }
        do {
            // The error may come from a file that has been replaced in the meantime, or from a full-text index whose table is undamaged.
            if isSound {
                guard error.isOfVirtualTable else { return error.isDamage ? nil : error }
                if await rebuild() { return nil }
                // The virtual table can't be opened, or there is no `rebuild` for it.
                if error.isDamage { return opener.withAdvice(error) }
            }
            // If another process has recovered the file, the new file contains its report.
            _ = try await recover(from: error, in: inode)
            return nil
        } catch {
            let reason = (error as? SQLiteError)?.message ?? "\(error)"
            return SQLiteError(.corrupt, "The file is damaged and can't be recovered now: \(reason)")
        }
    }

    /// Checks the whole file, or only the parts that an error concerns.
    ///
    /// If a virtual table reports damage, only tables that store rows are checked. Newer versions of SQLite also check full-text indexes
    /// when they check a whole file, and those are rebuilt in place.
    ///
    /// - Throws: An error if the check can't be performed now.
    private func isSound(after error: SQLiteError) async throws -> Bool {
        do {
            do {
                try await separateWork.perform { [opener, migrations] _ in
                    let connection = try opener.openSeparately(.check)
                    if error.isOfVirtualTable { try connection.checkTables() } else if !error.isOfSchema { try connection.check(.full) }
                    try connection.checkShape(migrations)
                }
            } catch let error as SQLiteError where error.isOfShortLog {}
            try await lanes.perform(.write) { connection, _ in try connection.checkLog() }
            return true
        } catch let error as SQLiteError where error.isDamage {
            return false
        }
    }

    func acknowledgeRecoveries() async throws {
        try await lanes.perform(.write) { [log = opener.log(log)] connection, _ in
            try ChangeLog.commitQuietly(log, on: connection) { try RecoveryLog.clear(on: $0) }
        }
        report.unacknowledged = []
        unsavedReports.withLock { $0 = [] }
    }

    fileprivate func add(_ recovery: SQLiteReport.Recovery) async throws {
        try await lanes.perform(.write) { [log = opener.log(log)] connection, _ in try connection.add(recovery, log) }
        report.unacknowledged.append(recovery)
    }

    /// Reopens all connections after the log was deleted: commits to a file without a name would be lost when the process ends.
    ///
    /// - Parameter loss: What happened to the log.
    func beginNewLog(_ loss: LogLoss) async {
        _ = await logRepairs.join { [self] in
            guard let path = opener.path else { return nil }
            await separateWork.pause(.newLog)
            let found = Lock<SQLiteReport.Recovery?>(Self.report(of: loss, at: path, isSaved: false))
            // All readers of this process are closed at this point, so none of them prevents the log from being written back.
            await lanes.pause(.newLog) { connection in
                let log = connection.log
                let isSaved =
                    switch loss {
                    case .deleted: (try? connection.writeLogBack())?.isComplete == true
                    case .replaced: log.aside != nil && log.known.state.isWritten || log.known.state.isContained(in: path)
                    }
                if isSaved { log.removeAside() }
                let isReported = !isSaved || log.aside == nil
                let report = Self.report(of: loss, at: path, isSaved: isSaved, isSaved ? nil : log.keep(), connection.appTables)
                found.withLock { $0 = isReported ? report : nil }
            }
            opener.knownLog.clear()
            lanes.resume(.newLog)
            separateWork.resume(.newLog)
            if let recovery = found.withLock(\.self) {
                do {
                    try await add(recovery)
                } catch {
                    // It is shown now, and written when the database is closed.
                    report.unacknowledged.append(recovery)
                    unsavedReports.withLock { $0.append(recovery) }
                }
            }
            return nil
        }
    }

    /// - Parameter kept: The log with the commits that are not saved.
    private static func report(
        of loss: LogLoss,
        at path: String,
        isSaved: Bool,
        _ kept: String? = nil,
        _ tables: [String] = []
    ) -> SQLiteReport.Recovery {
        let cause = "\(path)-wal was \(loss == .deleted ? "deleted" : "replaced") while the database was in use."
        if isSaved { return SQLiteReport.Recovery("\(cause) The commits of this process were saved.") }
        let place = kept.map { " The log that contains them is now \($0)." } ?? ""
        return SQLiteReport.Recovery(
            "\(cause) Commits of this process since the latest checkpoint may be missing.\(place)",
            incomplete: tables
        )
    }

    private func rebuild() async -> Bool {
        guard let rebuild = configuration.rebuild else { return false }
        var hasBegun = false
        // `writeOnce` doesn't start another repair, which would wait for this one.
        return (try? await writeOnce(at: ReadSite(#fileID, #line), nil, &hasBegun) { try rebuild($0) }) != nil
    }
}

extension Connection {
    /// Adds a recovery to the file.
    func add(_ recovery: SQLiteReport.Recovery, _ log: ChangeLog?) throws {
        try ChangeLog.commitQuietly(log, on: self) { try RecoveryLog.begin(recovery, on: $0, after: []) }
    }
}

extension SQLiteDatabase {
    /// Opens the file that has the path of the database now: call it after a backup was restored over an open database.
    ///
    /// While the database is open or suspended, another program may move, delete or replace its file. Then reads and writes throw
    /// ``SQLiteError/Code/moved``: each write, and each read that begins at least 10 ms after an earlier check. Nothing is written into the
    /// new file. The commits so far are in the old file, wherever it is now.
    ///
    /// ```swift
    /// catch let error as SQLiteError where error.code == .moved {
    ///     try await database.reopen()
    /// }
    /// ```
    ///
    /// The file is checked, migrated and, if it is damaged, recovered, as by ``open(_:migrations:configuration:)``; see ``report``. All
    /// requests that read the database run again. If there is no file, a new one is created, and a log that is still there is set aside
    /// like a damaged file. Does nothing in memory.
    ///
    /// - Throws: The errors of ``open(_:migrations:configuration:)``. Then all reads and writes throw ``SQLiteError/Code/moved`` until a
    ///   later call succeeds.
    public func reopen() async throws { try await core.reopen() }

    /// Recovers from damage that a read or a write has found, in the same way as when a damaged file is opened: what can be read is saved,
    /// the damaged file is set aside, and ``report`` and ``reports`` describe the result. Listeners of ``changes`` are notified that
    /// everything has changed.
    ///
    /// Reads, writes, ``backup(to:progress:)`` and ``integrityCheck(progress:)`` call it automatically when they find damage. Reads and
    /// writes wait for it. Concurrent calls share one repair.
    ///
    /// - Parameter error: The error that a read or a write has thrown.
    /// - Returns: Whether reading works again. Also true if the file turns out to be undamaged. False if the error indicates no damage, if
    ///   the configuration disables recovery, or if the file can't be recovered now, for example because another process has it open.
    public func repair(after error: any Error) async -> Bool {
        guard let error = error as? SQLiteError else { return false }
        return await core.repair(after: error)
    }

    /// Adds damage that the app has found and handled to ``SQLiteReport/unacknowledged``. The file still contains the original data.
    package func report(_ cause: String, missing: [String: Int], partitions: [String: [String: Int]]) async throws {
        guard core.opener.path != nil else { return }
        try await core.add(
            SQLiteReport.Recovery(cause, incomplete: missing.keys.sorted(), missing: missing, missingPartitions: partitions)
        )
    }

    /// The current report, and then the report of each later recovery.
    ///
    /// ```swift
    /// for await report in database.reports
    /// where !report.unacknowledged.isEmpty {
    ///     show(report.unacknowledged)
    /// }
    /// ```
    ///
    /// Each access returns a new stream, which ends when the database is closed. A slow consumer receives the latest eight reports.
    public var reports: AsyncStream<SQLiteReport> { core.reports }

    /// Confirms that the user knows what the recoveries in ``SQLiteReport/unacknowledged`` have saved and what is missing. Until then, each
    /// process that opens the file reports them. The files that were set aside are kept.
    ///
    /// - Throws: ``SQLiteError``, for example if the disk is full.
    public func acknowledgeRecoveries() async throws { try await core.acknowledgeRecoveries() }
}

extension SQLiteReader {
    /// Opens the file that has the path of the database now; see ``SQLiteDatabase/reopen()``. Does nothing if the reader belongs to a
    /// database: reopen the database instead.
    public func reopen() async throws { if isOwner { try await core.reopen() } }
}
