import Foundation
import QueryKit

/// Where a database lies, in terms of the file system.
struct DatabasePlace: Sendable {
    /// `nil` in memory.
    let path: String?
    let isTemporary: Bool

    init(_ location: SQLiteDatabase.Location) {
        switch location {
        case .file(let url):
            // As SQLite does it: what lies beside a link is not what lies beside the file.
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

    /// The file and those that SQLite puts beside it.
    static func files(of path: String) -> [String] { [path, path + "-wal", path + "-shm"] }

    func deleteIfTemporary() {
        guard isTemporary, let path else { return }
        for file in Self.files(of: path) { try? FileManager.default.removeItem(atPath: file) }
    }
}

/// Opens the connections of a database, all in the same way.
struct ConnectionOpener: Sendable {
    let place: DatabasePlace
    let configuration: SQLiteDatabase.Configuration
    /// Whether nothing of this process writes.
    let isReader: Bool

    let name: String
    private let longStatements = LongStatements()
    /// Whether no file could be made in the place of a damaged one.
    private let isInMemory = Lock(false)

    init(place: DatabasePlace, configuration: SQLiteDatabase.Configuration, isReader: Bool) {
        self.place = place
        self.configuration = configuration
        self.isReader = isReader
        // Two databases in memory must not be taken for one.
        name =
            configuration.name ?? place.path.map { URL(filePath: $0).deletingPathExtension().lastPathComponent }
            ?? "memory-\(UUID().uuidString)"
    }

    /// Where the database lies now; `nil` in memory.
    var path: String? { isInMemory.withLock { $0 } ? nil : place.path }

    /// Whether the file is marked while it is in use.
    var isMarked: Bool { path != nil && !place.isTemporary && !isReader }

    /// The log of changes, if other processes are told.
    func log(_ log: ChangeLog) -> ChangeLog? { configuration.tellsOtherProcesses && path != nil ? log : nil }

    /// From now on all connections that are opened are in memory.
    func moveToMemory() { isInMemory.withLock { $0 = true } }

    /// A database in memory belongs to one connection.
    var readerCount: Int { place.path == nil ? 0 : max(1, configuration.readerCount) }

    /// Opens the connection of a lane. Lane 0 writes, unless nobody may.
    func open(_ lane: Int) throws -> Connection {
        let writes = lane == 0 && !isReader
        if writes, let path { try makeFile(path) }
        let connection = writes ? try connect(.readWrite) : try openAside()
        if writes, let path { connection.log.follow(path) }
        // Partitions are reported where rows are written, and named where they are read.
        if writes {
            try connection.installPartitions(configuration.partitions, isLenient: true)
        } else {
            connection.partitions = configuration.partitions
        }
        return connection
    }

    /// Opens a connection that reads, and belongs to no lane.
    func openAside(_ mode: ConnectionSettings.Mode = .readOnly) throws -> Connection {
        if let path { try checkFile(path) }
        return try connect(isReader ? .readOnly : mode)
    }

    private func connect(_ mode: ConnectionSettings.Mode) throws -> Connection {
        let path = path
        var patience = 8
        while true {
            let before = path.flatMap(Disk.inode)
            do {
                return try connectOnce(path, mode)
            } catch {
                // What was found was true of a file that somebody has replaced.
                guard let path, patience > 0, Disk.inode(path) != before else { throw error }
                patience -= 1
            }
        }
    }

    private func connectOnce(_ path: String?, _ mode: ConnectionSettings.Mode) throws -> Connection {
        do {
            while true {
                let connection = try Connection(path: path, settings: settings(mode))
                // The first look takes the lock that keeps the file from being replaced. Before it, that may have happened.
                if path != nil { try connection.look(.schema) }
                if let path, mode == .readWrite, connection.isReadOnly { throw whyReadOnly(path) }
                if path == nil || !connection.hasMoved { return connection }
            }
        } catch let error as SQLiteError where error.message == "unsupported file format" {
            // A number of the header that no version of SQLite since 2005 has set higher than those that we work with.
            throw SQLiteError(.corrupt, "The file is damaged: its header names a format that is not known.")
        } catch let error as SQLiteError where [.cannotOpen, .inputOutput].contains(error.code) && path.map(Disk.isFull) == true {
            throw SQLiteError(
                .full,
                "\(path ?? "memory"): the disk is full, which prevents reading, too: SQLite needs room for a file beside the database. Make room.",
                extendedCode: error.extendedCode
            )
        } catch let error as SQLiteError where error.code == .cannotOpen || error.code == .permission || error.code == .readOnly {
            throw SQLiteError(
                error.code,
                "\(path ?? "memory"): \(error.message). Check that the file can be read and written.",
                extendedCode: error.extendedCode
            )
        }
    }

    /// A number in the header says that only a later version of SQLite may write, of which there is none.
    private func whyReadOnly(_ path: String) -> SQLiteError {
        FileManager.default.isWritableFile(atPath: path)
            ? SQLiteError(.corrupt, "The file is damaged: its header does not let anybody write.")
            : SQLiteError(.readOnly, "The file can not be written")
    }

    private func settings(_ mode: ConnectionSettings.Mode) -> ConnectionSettings {
        var settings = ConnectionSettings(mode: mode)
        settings.busyMilliseconds = Int32(clamping: configuration.busyTimeout.milliseconds)
        settings.statementLimit = max(8, configuration.statementLimit)
        settings.cacheKibibytes = max(64, configuration.cacheKibibytes)
        settings.syncsEachCommit = configuration.durability == .powerLoss
        settings.maxPageCount = configuration.maxPageCount
        settings.trustsSchema = configuration.trustsSchema
        settings.quickLimit = configuration.quickLimit
        settings.longStatements = longStatements
        return settings
    }

    /// Makes the file, readable for its user only: SQLite gives the files beside it the same mode.
    private func makeFile(_ path: String) throws {
        try checkFolder(path)
        try checkLog(path)
        if Disk.exists(path) { return }
        do {
            // Not by `FileManager`, which would put its file in the place of one that somebody else has made and filled meanwhile.
            try Disk.make(path)
        } catch {
            if Disk.exists(path) { return }
            throw SQLiteError(
                .cannotOpen,
                "\(error.message) Check that the folder can be written and that the disk has space.",
                extendedCode: error.extendedCode
            )
        }
    }

    private func checkFile(_ path: String) throws {
        try checkFolder(path)
        guard FileManager.default.fileExists(atPath: path) else {
            throw SQLiteError(.cannotOpen, "There is no file \(path). Whoever writes has to open it first.")
        }
        try checkLog(path)
    }

    /// SQLite deletes the log of a file that is empty, and with it all that was committed to it.
    private func checkLog(_ path: String) throws {
        let header: Int64 = 32
        // A single byte counts as nothing, too.
        guard Disk.size(path) ?? 0 <= 1, let size = Disk.size(path + "-wal"), size > header else { return }
        throw SQLiteError(.corrupt, "The file \(path) is empty, and the log beside it is not: what was in the file is lost.")
    }

    private func checkFolder(_ path: String) throws {
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
            throw SQLiteError(.cannotOpen, "\(path) is a folder, not a file.")
        }
        // SQLite opens whatever there is, and waits for ever where nobody writes into a pipe.
        guard !Disk.exists(path) || Disk.isFile(path) else {
            throw SQLiteError(.cannotOpen, "\(path) is no file, but a pipe, a socket or a device.")
        }
        let folder = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
            throw SQLiteError(.cannotOpen, "The folder \(folder) is not there. Make it before you open a database in it.")
        }
    }
}

extension Duration {
    /// In whole milliseconds, at least one for anything that is not zero.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        guard seconds < Int64.max / 1_000 else { return .max }
        return seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }
}
