import CSQLite
import Foundation
import QueryKit

/// Files that belong to other programs. They are refused before a byte is changed, and keep their name.
enum ForeignFile {
    /// Throws ``SQLiteError/Code/notADatabase`` for a file that shows no sign of being an SQLite database, and for the database of another
    /// program.
    static func check(_ path: String, _ configuration: SQLiteDatabase.Configuration) throws {
        guard Disk.isFile(path), let size = Disk.size(path), size > 0 else { return }
        guard configuration.damage == .recoverAnyFile || isDatabase(path, size: size) else {
            throw SQLiteError(.notADatabase, "\(path) is not an SQLite database, and was left unchanged. Choose another file.")
        }
        // If the schema can't be read, the file is handled like any damaged file.
        guard let isForeign = configuration.isForeign, let found = contents(of: path), !found.tables.isEmpty,
            isForeign(found.tables, found.migrations)
        else { return }
        throw SQLiteError(.notADatabase, "\(path) is the database of another program, and was left unchanged. Choose another file.")
    }

    // MARK: Evidence of SQLite

    /// Whether there is evidence that the file is or was a database: its header, a log, or pages of tables and indexes.
    private static func isDatabase(_ path: String, size: Int64) -> Bool {
        // Read through SQLite: closing a descriptor of our own would release the locks that this process has on the file.
        guard let file = try? DamagedFile(path, isReadOnly: true) else { return true }
        let head = file.bytes(FileHeader.count, at: 0)
        if head.starts(with: Array("SQLite format 3\0".utf8)) || (Disk.size(path + "-wal") ?? 0) > 32 { return true }
        var header = FileHeader(head, fileSize: size)
        return header.mend() || hasPages(file, size: size)
    }

    /// Whether the file consists of pages of tables and indexes, of the size that this library uses.
    static func hasPages(_ file: DamagedFile, size: Int64) -> Bool {
        var (pages, signs) = (0, 0)
        // The first page is damaged, or isn't a database page.
        for page in 1..<max(2, min(200, size / 4_096)) {
            let bytes = file.bytes(12, at: page * 4_096)
            guard bytes.contains(where: { $0 != 0 }) else { continue }
            pages += 1
            if isPage(bytes) { signs += 1 }
        }
        return signs > 0 && signs * 3 >= pages
    }

    /// Whether these bytes can be the beginning of a table or index page ("B-tree Pages").
    private static func isPage(_ bytes: [UInt8]) -> Bool {
        let number = { (offset: Int) in Int(bytes[offset]) << 8 | Int(bytes[offset + 1]) }
        guard [2, 5, 10, 13].contains(bytes[0]) else { return false }
        return number(1) < 4_096 && number(3) < 1_024 && number(5) <= 4_096 && bytes[7] <= 60
    }

    // MARK: Tables

    private typealias Contents = (tables: Set<String>, migrations: Set<String>)

    /// The names of the tables of an undamaged file, in lowercase, and of its migrations; `nil` if they can't be read. Neither the file nor
    /// its neighbors are changed.
    private static func contents(of path: String) -> Contents? {
        // With "immutable", SQLite creates no file next to the database, but doesn't read a log either.
        let found = contents(of: path, options: "immutable=1")
        if let found, !found.tables.isEmpty { return found }
        return contentsWithLog(of: path) ?? found
    }

    /// Reads a copy of a small file with its log, because the first checkpoint may not have been made yet.
    private static func contentsWithLog(of path: String) -> Contents? {
        let logSize = Disk.size(path + "-wal") ?? 0
        guard logSize > 0, logSize + (Disk.size(path) ?? 0) < 64 << 20, let file = try? DamagedFile(path, isReadOnly: true) else {
            return nil
        }
        let copy = FileManager.default.temporaryDirectory.appending(path: "querykit-\(UUID().uuidString).scratch").path(
            percentEncoded: false
        )
        defer { for suffix in ["", "-wal", "-shm"] { try? Disk.remove(copy + suffix) } }
        do {
            try file.copy(to: copy)
            try Disk.copy(path + "-wal", to: copy + "-wal")
        } catch {
            return nil
        }
        return contents(of: copy, options: "mode=ro")
    }

    private static func contents(of path: String, options: String) -> Contents? {
        guard let name = path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) else { return nil }
        var opened: OpaquePointer?
        defer { sqlite3_close_v2(opened) }
        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX
        guard sqlite3_open_v2("file:\(name)?\(options)", &opened, flags, nil) == SQLITE_OK,
            let tables = texts("SELECT lower(name) FROM sqlite_schema WHERE type = 'table'", opened)
        else { return nil }
        if !tables.contains("querykit_migrations") { return (tables, []) }
        return texts("SELECT name FROM querykit_migrations", opened).map { (tables, $0) }
    }

    private static func texts(_ text: String, _ handle: OpaquePointer?) -> Set<String>? {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(handle, text, -1, &statement, nil) == SQLITE_OK else { return nil }
        var texts: Set<String> = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: if let text = sqlite3_column_text(statement, 0) { texts.insert(String(cString: text)) }
            case SQLITE_DONE: return texts
            default: return nil
            }
        }
    }
}
