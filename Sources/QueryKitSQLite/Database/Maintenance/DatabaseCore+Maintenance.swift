import CSQLite
import Foundation
import QueryKit

extension DatabaseCore {
    func backup(to target: URL, _ progress: (@Sendable (Double) -> Void)?) async throws {
        // The original path counts even if the database is in memory because its file is damaged: that file must not be overwritten.
        let copy = try BackupFile(target, of: opener.location.path)
        let work: @Sendable (Connection, any Interruptible) throws -> Void = { connection, job in
            try connection.inSnapshot { try copy.write(from: connection, job, progress) }
        }
        do {
            try await performSeparately(.readOnly, work)
        } catch let error as SQLiteError where error.isDamage {
            try await recoverInUse(from: error)
            try await performSeparately(.readOnly, work)
        }
    }

    func integrityCheck(_ progress: (@Sendable (Double) -> Void)?) async throws -> [String] {
        var problems: [String]
        do {
            problems = try await performSeparately(.check) { [migrations, opener] connection, job in
                try connection.problems(job, progress) + connection.missingParts(of: opener.isReader ? [] : migrations)
            }
        } catch let error as SQLiteError where error.isDamage {
            problems = [error.message]
        }
        // Treated like damage that a statement finds. Dangling references are not damage of the file, so `repair` ignores them.
        if let first = problems.first { _ = await repair(after: SQLiteError(.corrupt, "The file is damaged: \(first)")) }
        return problems
    }

    /// Performs work that writes the log back. If the log has lost commits, recovers the file first.
    func performOnLog<Value: Sendable>(_ work: @escaping @Sendable (Connection, any Interruptible) throws -> Value) async throws -> Value {
        let box = ResultBox<Value>()
        let checked: @Sendable (Connection, any Interruptible) throws -> Void = { connection, job in
            try connection.checkFile()
            try connection.checkLogInUse()
            box.put(try work(connection, job))
        }
        do {
            try await lanes.perform(.write, checked)
        } catch let error as SQLiteError where error.isDamage {
            try await recoverInUse(from: error)
            try await lanes.perform(.write, checked)
        }
        return box.take()
    }

    /// Performs long work on a separate connection. A database in memory has only one connection, so the work runs on that.
    private func performSeparately<Value: Sendable>(
        _ mode: ConnectionSettings.Mode = .readOnly,
        _ work: @escaping @Sendable (Connection, any Interruptible) throws -> Value
    ) async throws -> Value {
        guard opener.path == nil else {
            return try await separateWork.perform { [opener] job in try work(try opener.openSeparately(mode), job) }
        }
        let box = ResultBox<Value>()
        try await lanes.perform(.write) { connection, job in box.put(try work(connection, job)) }
        return box.take()
    }
}

extension Connection {
    /// Writes the log back, so that the single file is complete.
    ///
    /// - Parameter truncates: Whether the log is emptied as well. That changes SQLite's `data_version` without a commit, so other processes
    ///   read everything again.
    func writeLogBack(truncates: Bool = true) throws -> SQLiteCheckpoint {
        // A mark that could not be removed earlier would stay in the file.
        if hasUseMark { try? removeUseMark(nil) }
        let done = try checkpoint()
        if truncates, done.isComplete { _ = try checkpoint(SQLITE_CHECKPOINT_TRUNCATE) }
        // The file now has no mark.
        isMarkedInUse = false
        log.noteMark()
        return SQLiteCheckpoint(logPages: done.pages, writtenPages: done.written)
    }

    /// Afterwards, all tables and indexes have other pages, which the record of the schema contains.
    func vacuum(_ job: any Interruptible) throws {
        let schemaChange = try inSnapshot { try SchemaRecord.Change(on: self) }
        // VACUUM attaches the file that it writes.
        sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 1)
        interruption.work = job
        defer {
            interruption.work = nil
            sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
        }
        do {
            try run("VACUUM")
        } catch {
            throw job.isCancelled && error.code == .interrupted ? CancellationError() : error
        }
        // If the schema can't be recorded now, for example on a full disk, the next opening does it.
        if let schemaChange { try? ChangeLog.commitQuietly(nil, on: self) { try schemaChange.record(on: $0) } }
        _ = try writeLogBack()
    }
}
