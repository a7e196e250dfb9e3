import Foundation
import QueryKit

extension DatabaseCore {
    /// Gives the database a new file with what can be saved of the damaged one.
    ///
    /// - Parameters:
    ///   - seen: In which file the damage was seen.
    ///   - isInUse: Whether the database is in use. Then it stays as it is where no new file can be made; at its opening it goes on in memory.
    /// - Returns: False if somebody else has recovered it: there is another file now, which nobody here has looked at.
    func recover(from error: SQLiteError, in seen: UInt64?, isInUse: Bool = false) async throws -> Bool {
        guard let path = opener.path else { throw error }
        await sideWork.hold(.recovery)
        guard await lanes.beginRecovery() else {
            sideWork.resume(.recovery)
            throw error
        }
        do {
            let recovery = Recovery(path, seen: seen, because: error.message, migrations, configuration)
            let report = try await lanes.atRest { [self] lane in try recover(recovery, on: lane, isInUse: isInUse) }
            if let report { self.report = report }
            // Before anything else is committed.
            announce(SQLiteChangeSet(report == nil ? .otherProcess : .local, [.everything]))
            resume(.recovery)
            return report != nil
        } catch {
            resume(.recovery)
            throw error
        }
    }

    /// - Returns: `nil` if somebody else has recovered the file.
    private func recover(_ recovery: Recovery, on lane: Lane, isInUse: Bool) throws -> SQLiteReport? {
        switch try recovery.run() {
        case .replaced(let report):
            // The new file is in place, whether or not it can be opened just now.
            if let connection = try? lane.connected() { try? log.begin(on: connection) }
            return report
        case .overtaken:
            return nil
        case .impossible(let reason, let remains):
            defer { remains?.copy.remove() }
            if isInUse { throw SQLiteError(.corrupt, reason) }
            // Nobody else recovers the file meanwhile.
            return try withExtendedLifetime(remains) { try goOnInMemory(because: reason, remains?.copy, on: lane) }
        }
    }

    private func goOnInMemory(because reason: String, _ copy: ScratchCopy?, on lane: Lane) throws -> SQLiteReport {
        // Filled before anything is given up: it may fail, and then the database is still the file.
        let filled = try Connection(path: nil, settings: ConnectionSettings(mode: .readWrite))
        let salvage = try Salvage(from: copy?.path, to: filled, migrations, configuration)
        opener.moveToMemory()
        lanes.useWriterOnly()
        let connection = try lane.connected()
        try filled.copyAll(to: connection)
        connection.adoptSchema()
        let rest = salvage.isReadable ? "" : " Nothing of it could be read."
        return SQLiteReport(.inMemory(because: reason + rest), migrated: salvage.migrated)
    }

    // MARK: While the database is in use

    /// Recovers from damage that a statement, a copy or a check has found, once for all who find it at the same time. Returns when reading works again.
    ///
    /// - Throws: The error, and what prevents the recovery.
    func recoverInUse(from error: SQLiteError) async throws {
        if let obstacle = await obstacle(to: error) { throw obstacle }
    }

    /// Recovers as ``recoverInUse(from:)`` does, also just after an attempt that failed. True when reading works again.
    func repair(after error: SQLiteError) async -> Bool {
        repairPause.end()
        return await obstacle(to: error) == nil
    }

    private func obstacle(to error: SQLiteError) async -> SQLiteError? {
        guard error.hintsAtDamage, configuration.damage.recovers, !opener.isReader, let path = opener.path else { return error }
        if error.code == .full, configuration.maxPageCount != nil || !Disk.hasRoom(path) { return error }
        if let obstacle = repairPause.obstacle {
            if !error.isDamage { return error }
            // The latest attempt may have been due to an error that was no damage.
            if obstacle.isDamage { return obstacle }
        }
        return await repairs.join { [self] in
            let start = monotonicNanoseconds()
            let obstacle = await repairOnce(after: error)
            if let obstacle { repairPause.begin(obstacle, after: monotonicNanoseconds() - start) } else { repairPause.end() }
            return obstacle
        }
    }

    private func repairOnce(after error: SQLiteError) async -> SQLiteError? {
        let seen = opener.path.flatMap(Disk.inode)
        let isSound: Bool
        do {
            isSound = try await self.isSound(after: error)
        } catch let obstacle {
            // The file can't be checked now, so the error stands as it is.
            return (obstacle as? SQLiteError)?.code == .closed ? Lanes.closedError : error
        }
        do {
            // The error may be of a file that somebody has replaced since, or of a full-text index whose table is sound.
            if isSound {
                guard error.isOfVirtualTable else { return error.isDamage ? nil : error }
                if await rebuild() { return nil }
                // It can't even be opened, or nobody knows how to rebuild it.
                if error.isDamage { return error }
            }
            // If another process has recovered the file, what it has to report is in the new one.
            if try await !recover(from: error, in: seen, isInUse: true) { report = try await prepare() }
            return nil
        } catch {
            let reason = (error as? SQLiteError)?.message ?? "\(error)"
            return SQLiteError(.corrupt, "The file is damaged, and can't be recovered now: \(reason)")
        }
    }

    /// Looks the whole file through, or as much of it as an error concerns.
    ///
    /// Where a virtual table tells of damage, only tables with rows of their own count. Newer versions of SQLite also look into indexes for full-text
    /// search when they check a whole file, and those are rebuilt in their place.
    ///
    /// - Throws: Where that can't be done now.
    private func isSound(after error: SQLiteError) async throws -> Bool {
        do {
            try await sideWork.perform { [opener, migrations] _ in
                let connection = try opener.openAside(.check)
                if error.isOfVirtualTable { try connection.lookAtTables() } else if !error.isOfSchema { try connection.look(.full) }
                try connection.lookAtShape(migrations)
            }
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
    }

    fileprivate func add(_ recovery: SQLiteReport.Recovery) async throws {
        try await lanes.perform(.write) { [log = opener.log(log)] connection, _ in
            try ChangeLog.commitQuietly(log, on: connection) { try RecoveryLog.begin(recovery, on: $0, after: []) }
        }
        report.unacknowledged.append(recovery)
    }

    /// Opens everything again after the log was deleted: each commit to a file without a name would be lost at the end of the process.
    ///
    /// - Parameter loss: What became of the log.
    func beginNewLog(_ loss: LogLoss) async {
        _ = await logRepairs.join { [self] in
            guard let path = opener.path else { return nil }
            await sideWork.hold(.newLog)
            let isSaved = Lock(false)
            // All readers of this process are closed by now, so none of them keeps the log from being written back.
            await lanes.rest(.newLog) { connection in
                let isComplete = loss == .deleted && (try? connection.writeLogBack())?.isComplete == true
                isSaved.withLock { $0 = isComplete }
            }
            lanes.resume(.newLog)
            sideWork.resume(.newLog)
            try? await add(try await lossReport(path, isSaved: isSaved.withLock(\.self)))
            return nil
        }
    }

    private func lossReport(_ path: String, isSaved: Bool) async throws -> SQLiteReport.Recovery {
        let cause = "\(path)-wal was deleted while the database was in use."
        if isSaved { return SQLiteReport.Recovery("\(cause) What this process had committed was saved.") }
        let tables = try await lanes.value(.write) { $0.appTables }
        return SQLiteReport.Recovery(
            "\(cause) What this process had committed since the log was written back last may be missing.",
            incomplete: tables
        )
    }

    private func rebuild() async -> Bool {
        guard let rebuild = configuration.rebuild else { return false }
        // Without a further repair, which would wait for this one.
        return (try? await writeOnce(at: ReadSite(#fileID, #line), nil) { try rebuild($0) }) != nil
    }
}

extension Connection {
    /// After a commit: whether the log to which it was written has been deleted or replaced.
    func lossOfLog(of path: String?) -> LogLoss? {
        guard let path else { return nil }
        let inode = log.fileNumber()
        guard let known = log.inode else {
            log.inode = inode
            return nil
        }
        if inode == known || !Disk.exists(path) || hasMoved { return nil }
        return inode == nil ? .deleted : .replaced
    }
}

extension SQLiteDatabase {
    /// Recovers from damage that a read or a write has come upon, as it is done when a damaged file is opened: what can be read is saved, the damaged file
    /// is set aside, and ``report`` and ``reports`` tell. Whoever follows ``changes`` hears that everything has changed.
    ///
    /// Reads, writes, ``backup(to:progress:)`` and ``integrityCheck(progress:)`` call it by themselves when they find damage. Reads and writes wait for it.
    /// Calls at the same time share one repair.
    ///
    /// - Parameter error: What a read or a write has thrown.
    /// - Returns: Whether reading works again: also where the file turns out to be sound. False if the error tells of no damage, if the configuration
    ///   says that damage stays, or if the file can not be recovered now, for instance because another process has it open.
    public func repair(after error: any Error) async -> Bool {
        guard let error = error as? SQLiteError else { return false }
        return await core.repair(after: error)
    }

    /// Adds damage that the app has found and dealt with to ``SQLiteReport/unacknowledged``. The rows that are missing are still in the file itself.
    package func report(_ cause: String, missing: [String: Int], partitions: [String: [String: Int]]) async throws {
        guard core.opener.path != nil else { return }
        try await core.add(
            SQLiteReport.Recovery(cause, incomplete: missing.keys.sorted(), missing: missing, missingPartitions: partitions)
        )
    }

    /// The report of the opening, or of the latest recovery, and then each later one: damage that a read or a write finds is recovered from at once.
    ///
    /// ```swift
    /// for await report in database.reports where !report.unacknowledged.isEmpty { show(report.unacknowledged) }
    /// ```
    ///
    /// Each call returns a stream of its own, which ends when the database is closed. A slow reader gets the latest eight.
    public var reports: AsyncStream<SQLiteReport> { core.reports }

    /// Says that the user knows what the recoveries of ``SQLiteReport/unacknowledged`` have saved and what is missing. Until then each process that opens
    /// the file is told again. The files that were set aside stay.
    ///
    /// - Throws: ``SQLiteError``, such as for a full disk.
    public func acknowledgeRecoveries() async throws { try await core.acknowledgeRecoveries() }
}
