import Foundation
import QueryKit

/// The location of a database in the file system.
struct ResolvedLocation: Sendable {
    /// `nil` in memory.
    let path: String?
    let isTemporary: Bool

    init(_ location: SQLiteDatabase.Location) {
        switch location {
        case .file(let url):
            // SQLite resolves symbolic links too: its log is next to the file, not next to the link.
            path = url.resolvingSymlinksInPath().path(percentEncoded: false)
            isTemporary = false
        case .inMemory:
            path = nil
            isTemporary = false
        case .temporary:
            path = FileManager.default.temporaryDirectory.appending(path: "querykit-\(UUID().uuidString).sqlite").path(
                percentEncoded: false
            )
            isTemporary = true
        }
    }

    /// The file and the files that SQLite creates next to it.
    static func files(of path: String) -> [String] { [path, path + "-wal", path + "-shm"] }

    func deleteIfTemporary() {
        guard isTemporary, let path else { return }
        for file in Self.files(of: path) { try? FileManager.default.removeItem(atPath: file) }
    }
}

/// Opens the connections of a database, all with the same settings.
struct ConnectionOpener: Sendable {
    let location: ResolvedLocation
    let configuration: SQLiteDatabase.Configuration
    /// Whether this process never writes to the database.
    let isReader: Bool

    let name: String
    private let longStatements = LongStatements()
    private let snapshots = SnapshotGate()
    private let descriptions = StatementDescriptions()
    /// What the writer knows about its log.
    let knownLog = KnownLog()
    /// Whether the database is in memory because no file could replace a damaged one.
    private let isInMemory = Lock(false)
    /// The inode of the file that all connections use; `nil` until one is open.
    private let fileNumber = Lock<UInt64?>(nil)

    init(location: ResolvedLocation, configuration: SQLiteDatabase.Configuration, isReader: Bool) {
        self.location = location
        self.configuration = configuration
        self.isReader = isReader
        // Two databases in memory need different names.
        name =
            configuration.name ?? location.path.map { URL(filePath: $0).deletingPathExtension().lastPathComponent }
            ?? "memory-\(UUID().uuidString)"
    }

    /// The current path of the database; `nil` in memory.
    var path: String? { isInMemory.withLock { $0 } ? nil : location.path }

    /// Whether the file is marked while it is in use.
    var isMarked: Bool { path != nil && !location.isTemporary && !isReader }

    /// The log of changes, if other processes are notified.
    func log(_ log: ChangeLog) -> ChangeLog? { configuration.tellsOtherProcesses && path != nil ? log : nil }

    /// From now on, opens all connections in memory.
    func moveToMemory() { isInMemory.withLock { $0 = true } }

    /// From now on, the connections use the file that has the path when the first of them opens. Call it while no connection is open.
    func forgetFile() { fileNumber.withLock { $0 = nil } }

    /// Whether the path leads to the file that the connections have used.
    var isFileInPlace: Bool { fileNumber.withLock(\.self) == path.flatMap(Disk.inode) }

    /// From now on, no connection opens, as if the file had been moved.
    func refuseFile() { fileNumber.withLock { $0 = 0 } }

    /// A database in memory has a single connection.
    var readerCount: Int { location.path == nil ? 0 : max(1, configuration.readerCount) }

    /// Opens the connection of a lane. Lane 0 writes, unless the database is read-only.
    func open(_ lane: Int) throws -> Connection {
        if let damage = knownLog.damage { throw damage }
        let writes = lane == 0 && !isReader
        if let path { try checkPlace(path) }
        if writes, let path { try makeFile(path) }
        let connection = writes ? try connect(.readWrite) : try openSeparately()
        if writes, let path {
            connection.log.follow(path, knownLog)
            try connection.checkLog(milliseconds: Self.logCheckLimit)
        }
        // The writer reports the partitions of the rows it writes; readers name the partitions they read.
        if writes {
            try connection.installPartitions(configuration.partitions, isLenient: true)
        } else {
            connection.partitions = configuration.partitions
        }
        return connection
    }

    /// How long an opening waits for a writer of another process before it trusts the log, which that process has checked.
    private static let logCheckLimit: Int32 = 250

    /// Opens a connection for reading that belongs to no lane.
    func openSeparately(_ mode: ConnectionSettings.Mode = .readOnly) throws -> Connection {
        if let path {
            try checkPlace(path)
            try checkFile(path)
        }
        return try connect(isReader ? .readOnly : mode)
    }

    private func connect(_ mode: ConnectionSettings.Mode) throws -> Connection {
        let path = path
        var attempts = 8
        while true {
            let before = path.flatMap(Disk.inode)
            do {
                return try connectOnce(path, mode)
            } catch {
                // The error is about a file that has been replaced in the meantime.
                guard let path, attempts > 0, Disk.inode(path) != before else { throw error }
                attempts -= 1
            }
        }
    }

    private func connectOnce(_ path: String?, _ mode: ConnectionSettings.Mode) throws -> Connection {
        do {
            let hasLog = path.map { !Disk.isWithoutLog($0) } ?? false
            let connection = try Connection(path: path, settings: settings(mode))
            guard let path, let file = connection.file else { return connection }
            // Until the log is checked, closing the connection must not destroy what a damaged file and its log still contain.
            if hasLog { try connection.setWritesLogBack(false) }
            try connection.check(.schema)
            if mode == .readWrite, connection.isReadOnly { throw readOnlyError(connection) }
            // A file without a log has no lock between two statements.
            try connection.checkFile()
            let number = fileNumber.withLock { number in
                number = number ?? file.number
                return number
            }
            if number != file.number { throw OpenFile.moved(path) }
            return connection
        } catch let error as SQLiteError where error.message == "unsupported file format" {
            // Since 2005, no version of SQLite has written a higher format number into the header than the supported versions write.
            throw SQLiteError(.corrupt, "The file is damaged: its header has an unknown format number.")
        } catch let error as SQLiteError {
            throw Self.explained(error, path ?? "memory", isDiskFull: path.map(Disk.isFull) == true)
        }
    }

    /// Adds the path and what to do next to an error of the file system.
    static func explained(_ error: SQLiteError, _ path: String, isDiskFull: Bool) -> SQLiteError {
        switch error.code {
        case .full where isDiskFull, .cannotOpen where isDiskFull, .inputOutput where isDiskFull:
            SQLiteError(
                .full,
                "\(path): the disk is full. Reading fails too, because SQLite needs space for a file next to the database. Free some space.",
                extendedCode: error.extendedCode
            )
        // Apple's SQLite reports "authorization denied" while a device is locked.
        case .cannotOpen, .permission, .readOnly, .notAuthorized:
            SQLiteError(
                error.code == .notAuthorized ? .permission : error.code,
                "\(path): \(error.message). Check that the file can be read and written.",
                extendedCode: error.extendedCode
            )
        default: error
        }
    }

    /// The error for a file that SQLite doesn't write. Only a later version of SQLite could write a version above 2 into the header, and no
    /// such version exists. So the file is damaged, or the file system doesn't allow writing it now.
    func readOnlyError(_ connection: Connection) -> SQLiteError {
        connection.writeVersion > 2
            ? SQLiteError(.corrupt, "The file is damaged: its header doesn't allow writing.")
            : SQLiteError(.readOnly, "The file can't be written")
    }

    /// Adds the path and what to do next to the error of a damaged file.
    func withAdvice(_ error: SQLiteError) -> SQLiteError {
        guard let path, error.isDamage else { return error }
        let prefix = error.message.contains(path) ? "" : "\(path): "
        let fullStop = error.message.hasSuffix(".") ? "" : "."
        let advice =
            if isReader {
                "Open it with SQLiteDatabase, which saves what can be read."
            } else if configuration.damage.recovers {
                "Restore a backup."
            } else {
                "Restore a backup, or set the configuration's damage to .recover, which saves what can be read."
            }
        return SQLiteError(
            error.code,
            "\(prefix)\(error.message)\(fullStop) \(advice)",
            extendedCode: error.extendedCode,
            sql: error.sql
        )
    }

    func withAdvice(_ error: any Error) -> any Error { (error as? SQLiteError).map(withAdvice) ?? error }

    private func settings(_ mode: ConnectionSettings.Mode) -> ConnectionSettings {
        var settings = ConnectionSettings(mode: mode)
        settings.fileNumber = fileNumber.withLock(\.self)
        settings.busyMilliseconds = Int32(clamping: configuration.busyTimeout.milliseconds)
        settings.statementLimit = max(8, configuration.statementLimit)
        settings.cacheKibibytes = max(64, configuration.cacheKibibytes)
        settings.syncsEachCommit = configuration.durability == .powerLoss
        settings.maxPageCount = configuration.maxPageCount
        settings.trustsSchema = configuration.trustsSchema
        settings.quickLimit = configuration.quickLimit
        settings.longStatements = longStatements
        settings.snapshots = snapshots
        settings.descriptions = descriptions
        return settings
    }

    /// Creates the file, readable for its user only. SQLite gives the files next to it the same mode.
    private func makeFile(_ path: String) throws {
        try checkFolder(path)
        try checkLog(path)
        if Disk.exists(path) { return }
        do {
            // Don't use `FileManager` here: it would replace a file that another process has created and filled in the meantime.
            try Disk.make(path)
        } catch {
            if Disk.exists(path) { return }
            throw SQLiteError(
                .cannotOpen,
                "\(error.message) Check that the folder is writable and that the disk has space.",
                extendedCode: error.extendedCode
            )
        }
    }

    /// Throws if the path doesn't lead to the file that the other connections use, or have used before a suspension.
    private func checkPlace(_ path: String) throws {
        guard let number = fileNumber.withLock(\.self), number != Disk.inode(path) else { return }
        // During a suspension, another process may have recovered the file.
        guard Disk.filesSetAside(path).contains(where: { Disk.inode($0) == number }) else { throw OpenFile.moved(path) }
        forgetFile()
    }

    private func checkFile(_ path: String) throws {
        try checkFolder(path)
        guard FileManager.default.fileExists(atPath: path) else {
            throw SQLiteError(.cannotOpen, "The file \(path) doesn't exist. Open it with SQLiteDatabase first, which creates it.")
        }
        try checkLog(path)
    }

    /// SQLite deletes the log of an empty file, including all commits in it. Refuse the file instead.
    private func checkLog(_ path: String) throws {
        let header: Int64 = 32
        // SQLite treats a file of one byte as empty too.
        guard Disk.size(path) ?? 0 <= 1, let size = Disk.size(path + "-wal"), size > header else { return }
        throw SQLiteError(.corrupt, "The file \(path) is empty, but the log next to it is not: the contents of the file are lost.")
    }

    private func checkFolder(_ path: String) throws {
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
            throw SQLiteError(.cannotOpen, "\(path) is a folder, not a file. Choose a file in it.")
        }
        // SQLite opens any kind of file, and blocks forever on a pipe without a writer.
        guard !Disk.exists(path) || Disk.isFile(path) else {
            throw SQLiteError(.cannotOpen, "\(path) is not a file, but a pipe, a socket or a device.")
        }
        let folder = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
            throw SQLiteError(.cannotOpen, "The folder \(folder) doesn't exist. Create it before you open a database in it.")
        }
    }
}

extension Duration {
    /// The duration in whole milliseconds, rounded up.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        guard seconds < Int64.max / 1_000 else { return .max }
        return seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }
}
