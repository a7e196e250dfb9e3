import Foundation
import QueryKit

/// Saves what can be read of a damaged file into a new one. Runs on one thread, while no connection of the database is open.
struct Recovery: Sendable {
    enum Result {
        /// A new file is in place.
        case replaced(SQLiteReport)
        /// Another process has put a new file in place.
        case overtaken
        /// No file can be created. Save the data elsewhere, from this copy if there is one.
        case impossible(because: String, LockedCopy?)
    }

    /// A copy of a damaged file. The file stays locked for as long as the copy is used.
    struct LockedCopy {
        let copy: ScratchCopy
        let file: DamagedFile
    }

    let path: String
    let migrations: SQLiteMigrations
    let configuration: SQLiteDatabase.Configuration
    /// The inode of the file in which the damage was found; `nil` if there was only a log.
    let inode: UInt64?
    /// What was found.
    let cause: String
    /// What the log must contain.
    private let knownLog: KnownLog.State
    private let replacement: FileReplacement

    init(
        _ path: String,
        inode: UInt64?,
        because cause: String = "The file is damaged.",
        knownLog: KnownLog.State = KnownLog.State(),
        _ migrations: SQLiteMigrations,
        _ configuration: SQLiteDatabase.Configuration
    ) {
        self.inode = inode
        self.cause = cause
        self.knownLog = knownLog
        // Resolves symbolic links as SQLite does: its log is next to the target of the link.
        self.path = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
        self.migrations = migrations
        self.configuration = configuration
        replacement = FileReplacement(self.path)
    }

    /// - Throws: ``SQLiteError/Code/busy`` while other connections have the file open, and errors of the migrations. In these cases nothing
    ///   has changed.
    func run() throws -> Result {
        let file: DamagedFile
        do {
            guard let locked = try lockDamagedFile() else { return .overtaken }
            file = locked
        } catch {
            guard error.isShortage else { throw error }
            return .impossible(because: error.message, nil)
        }
        return try run(with: file)
    }

    func run(with file: DamagedFile) throws -> Result {
        guard file.isExclusive else {
            let copy = (try? ScratchCopy.make(of: path, file)).map { LockedCopy(copy: $0, file: file) }
            // Only writers are locked out, so other connections may have the file open for reading. They can't recover it either.
            return .impossible(because: "\(path) can't be recovered, because it can't be written.", copy)
        }
        return try run(on: file)
    }

    /// Runs with all other connections locked out, so that no other process uses this library's files next to the database.
    private func run(on file: DamagedFile) throws -> Result {
        var scratch: ScratchCopy?
        defer { scratch?.remove() }
        let loss = try knownLog.loss(in: LogContents(path: path + "-wal"), at: path)
        do {
            ScratchCopy.removeLeftover(of: path)
            scratch = try ScratchCopy.make(of: path, file)
            try replacement.removeDraft()
            let salvage = try fillDraft(from: scratch)
            let quarantine = Quarantine(of: path)
            let recovery = recovery(salvage, loss, URL(filePath: quarantine.name))
            try salvage.note(recovery)
            return .replaced(report(recovery, salvage, try replacement.replace(file, as: quarantine)))
        } catch let error as SQLiteError where error.isShortage {
            try? replacement.removeDraft()
            defer { scratch = nil }
            let reason = loss.map { "\(error.message) \($0)" } ?? error.message
            return .impossible(because: reason, scratch.map { LockedCopy(copy: $0, file: file) })
        } catch {
            try? replacement.removeDraft()
            throw error
        }
    }

    /// Finishes an interrupted replacement. Returns the location of the damaged file; `nil` if there was nothing to do.
    ///
    /// - Throws: ``SQLiteError/Code/corrupt`` if that is impossible, so that the file is recovered in another way.
    func finish() throws -> URL? {
        guard configuration.damage.recovers, replacement.isPending else { return nil }
        do {
            guard let file = try lockDamagedFile(), replacement.isPending else { return nil }
            guard file.isExclusive else { throw SQLiteError(.readOnly, "\(path) can't be written") }
            return try replacement.finish(file)
        } catch let error as SQLiteError where error.isShortage {
            throw SQLiteError(.corrupt, "The file is damaged, and its interrupted recovery can't be finished: \(error.message)")
        }
    }

    /// Locks the file in which the damage was found. Returns `nil` if another file has its path now.
    private func lockDamagedFile() throws(SQLiteError) -> DamagedFile? {
        var wanted = inode
        if wanted == nil, !Disk.exists(path) {
            // There is a log, but no file.
            try Disk.make(path)
            wanted = Disk.inode(path)
        }
        guard let wanted, Disk.inode(path) == wanted else { return nil }
        let file = try DamagedFile(path)
        try file.lock(milliseconds: Int32(clamping: configuration.busyTimeout.milliseconds))
        return !file.hasMoved && Disk.inode(path) == wanted ? file : nil
    }

    private func fillDraft(from scratch: ScratchCopy?) throws -> Salvage {
        try Disk.make(replacement.draft)
        var settings = ConnectionSettings(mode: .readWrite)
        // The new database is a single file without a log, and its writes don't wait for the disk, because the file counts only once it is
        // complete.
        settings.usesWriteAheadLog = false
        let target = try Connection(path: replacement.draft, settings: settings)
        try target.run("PRAGMA synchronous = 0")
        return try Salvage(from: scratch?.path, to: target, migrations, configuration)
    }

    /// - Parameter loss: A sentence about lost commits in the log; any table may be incomplete then.
    private func recovery(_ salvage: Salvage, _ loss: String?, _ quarantine: URL) -> SQLiteReport.Recovery {
        SQLiteReport.Recovery(
            loss.map { cause.contains($0) ? cause : "\(cause) \($0)" } ?? cause,
            quarantine: quarantine,
            rows: salvage.isReadable ? salvage.rows : [:],
            incomplete: salvage.incomplete.union(loss == nil ? [] : Array(salvage.rows.keys)).sorted(),
            missing: salvage.missing,
            missingPartitions: salvage.missingPartitions,
            mendedTexts: salvage.mendedTexts
        )
    }

    private func report(_ recovery: SQLiteReport.Recovery, _ salvage: Salvage, _ quarantine: URL) -> SQLiteReport {
        SQLiteReport(
            salvage.isReadable ? .recovered(recovery) : .quarantined(quarantine),
            migrated: salvage.migrated,
            unacknowledged: salvage.earlier + [recovery]
        )
    }
}

extension SQLiteError {
    /// Whether the cause is a lack of disk space or of permissions.
    var isShortage: Bool { [.full, .permission, .readOnly, .cannotOpen, .inputOutput].contains(code) }
}
