import Foundation
import QueryKit

/// Saves what can be saved of a damaged file into a new one. Works on one thread, while no connection of the database is open.
struct Recovery: Sendable {
    enum Result {
        /// A new file is in place.
        case replaced(SQLiteReport)
        /// Somebody else has put a new file in place.
        case overtaken
        /// No file can be made. What can be saved has to go elsewhere, from these remains if there are any.
        case impossible(because: String, Remains?)
    }

    /// A copy of a damaged file, which is kept for as long.
    struct Remains {
        let copy: ScratchCopy
        let file: DamagedFile
    }

    let path: String
    let migrations: SQLiteMigrations
    let configuration: SQLiteDatabase.Configuration
    /// In which file the damage was seen; `nil` if there was none, but its log.
    let seen: UInt64?
    /// What was found.
    let cause: String
    private let replacement: FileReplacement

    init(
        _ path: String,
        seen: UInt64?,
        because cause: String = "The file is damaged.",
        _ migrations: SQLiteMigrations,
        _ configuration: SQLiteDatabase.Configuration
    ) {
        self.seen = seen
        self.cause = cause
        // Through links, as SQLite goes: its log lies beside the file itself.
        self.path = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
        self.migrations = migrations
        self.configuration = configuration
        replacement = FileReplacement(self.path)
    }

    /// - Throws: ``SQLiteError/Code/busy`` while others have the file open, and what the migrations throw. Nothing has changed then.
    func run() throws -> Result {
        let file: DamagedFile
        do {
            guard let held = try heldFile() else { return .overtaken }
            file = held
        } catch {
            guard error.isShortage else { throw error }
            return .impossible(because: error.message, nil)
        }
        return try run(with: file)
    }

    func run(with file: DamagedFile) throws -> Result {
        guard file.isExclusive else {
            let remains = (try? ScratchCopy.make(of: path, file)).map { Remains(copy: $0, file: file) }
            // Others may read it, too, and recover nothing either.
            return .impossible(because: "\(path) can not be written, and so not be recovered.", remains)
        }
        return try run(on: file)
    }

    /// With everybody else kept out, so that what lies beside the file under our names is nobody's.
    private func run(on file: DamagedFile) throws -> Result {
        var scratch: ScratchCopy?
        defer { scratch?.remove() }
        do {
            ScratchCopy.removeLeftover(of: path)
            scratch = try ScratchCopy.make(of: path, file)
            try replacement.removeDraft()
            let salvage = try fillDraft(from: scratch)
            let quarantine = Quarantine(of: path)
            let recovery = recovery(salvage, URL(filePath: quarantine.name))
            try salvage.note(recovery)
            return .replaced(report(recovery, salvage, try replacement.replace(file, as: quarantine)))
        } catch let error as SQLiteError where error.isShortage {
            try? replacement.removeDraft()
            defer { scratch = nil }
            return .impossible(because: error.message, scratch.map { Remains(copy: $0, file: file) })
        } catch {
            try? replacement.removeDraft()
            throw error
        }
    }

    /// Brings a replacement to its end that was cut off. Returns where the damaged file is; `nil` if there was nothing to do.
    ///
    /// - Throws: ``SQLiteError/Code/corrupt`` where that is not possible, so that the file is recovered in another way.
    func finish() throws -> URL? {
        guard configuration.damage.recovers, replacement.isPending else { return nil }
        do {
            guard let file = try heldFile(), replacement.isPending else { return nil }
            guard file.isExclusive else { throw SQLiteError(.readOnly, "\(path) can not be written") }
            return try replacement.finish(file)
        } catch let error as SQLiteError where error.isShortage {
            throw SQLiteError(.corrupt, "The file is damaged, and its recovery can not be brought to its end: \(error.message)")
        }
    }

    /// The file in which the damage was seen, locked; `nil` if there is another one by now.
    private func heldFile() throws(SQLiteError) -> DamagedFile? {
        var wanted = seen
        if wanted == nil, !Disk.exists(path) {
            // A log without its file.
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
        // One file and no log, which nobody waits for: it counts only when it is complete.
        settings.usesWriteAheadLog = false
        let target = try Connection(path: replacement.draft, settings: settings)
        try target.run("PRAGMA synchronous = 0")
        return try Salvage(from: scratch?.path, to: target, migrations, configuration)
    }

    private func recovery(_ salvage: Salvage, _ quarantine: URL) -> SQLiteReport.Recovery {
        SQLiteReport.Recovery(
            cause,
            quarantine: quarantine,
            rows: salvage.isReadable ? salvage.rows : [:],
            incomplete: salvage.incomplete.sorted(),
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
    /// Whether the disk, or the right to use it, is what is missing.
    var isShortage: Bool { [.full, .permission, .readOnly, .cannotOpen, .inputOutput].contains(code) }
}
