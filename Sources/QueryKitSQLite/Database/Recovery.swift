import Foundation

/// Saves what can be saved of a damaged file into a new one. Works on one thread, while no connection of the database is open.
struct Recovery: Sendable {
    enum Result {
        /// A new file is in place.
        case replaced(SQLiteReport)
        /// Somebody else has put a new file in place.
        case overtaken
        /// No file can be made. What can be saved has to go elsewhere, from this copy if there is one.
        case impossible(because: String, copy: ScratchCopy?)
    }

    let path: String
    let migrations: SQLiteMigrations
    let configuration: SQLiteDatabase.Configuration
    private let replacement: FileReplacement

    init(_ path: String, _ migrations: SQLiteMigrations, _ configuration: SQLiteDatabase.Configuration) {
        // Through links, as SQLite goes: its log lies beside the file itself.
        self.path = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
        self.migrations = migrations
        self.configuration = configuration
        replacement = FileReplacement(self.path)
    }

    /// - Throws: ``SQLiteError/Code/busy`` while others have the file open, and what the migrations throw. Nothing has changed then.
    func run() throws -> Result {
        var scratch: ScratchCopy?
        defer { scratch?.remove() }
        do {
            let file = try heldFile()
            guard !file.hasMoved else { return .overtaken }
            ScratchCopy.removeLeftover(of: path)
            scratch = try ScratchCopy.make(of: path, file)
            try replacement.removeDraft()
            let salvage = try fillDraft(from: scratch)
            let quarantine = try replacement.replace(file)
            return .replaced(Self.report(salvage, quarantine))
        } catch let error as SQLiteError where error.isShortage {
            try? replacement.removeDraft()
            defer { scratch = nil }
            return .impossible(because: error.message, copy: scratch)
        } catch {
            try? replacement.removeDraft()
            throw error
        }
    }

    /// Brings a replacement to its end that was cut off. Returns where the damaged file is; `nil` if there was nothing to do.
    func finish() throws -> URL? {
        guard replacement.isPending else { return nil }
        let file = try heldFile()
        guard !file.hasMoved, replacement.isPending else { return nil }
        return try replacement.finish(file)
    }

    private func heldFile() throws(SQLiteError) -> DamagedFile {
        // A log without its file.
        if !Disk.exists(path) { try Disk.make(path) }
        let file = try DamagedFile(path)
        try file.lock(milliseconds: Int32(clamping: configuration.busyTimeout.milliseconds))
        return file
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

    private static func report(_ salvage: Salvage, _ quarantine: URL) -> SQLiteReport {
        let recovery = SQLiteReport.Recovery(quarantine: quarantine, rows: salvage.rows, incomplete: salvage.incomplete.sorted())
        return SQLiteReport(salvage.isReadable ? .recovered(recovery) : .quarantined(quarantine), migrated: salvage.migrated)
    }
}

extension SQLiteError {
    /// Whether the disk, or the right to use it, is what is missing.
    var isShortage: Bool { [.full, .permission, .readOnly, .cannotOpen, .inputOutput].contains(code) }
}
