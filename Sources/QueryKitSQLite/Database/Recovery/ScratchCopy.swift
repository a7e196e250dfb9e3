import Foundation
import QueryKit

/// A copy of a damaged database for reading. Opening the original would change it, because SQLite writes its log back.
struct ScratchCopy {
    let path: String

    /// Copies the file and its log into the first folder with enough space. The folder of the file is used only if all other connections
    /// are locked out.
    static func make(of original: String, _ file: DamagedFile) throws(SQLiteError) -> ScratchCopy {
        if file.isExclusive, let copy = try? make(of: original, file, at: original + ".scratch") { return copy }
        let temporary = FileManager.default.temporaryDirectory.appending(path: "querykit-\(UUID().uuidString).scratch")
        return try make(of: original, file, at: temporary.path(percentEncoded: false))
    }

    private static func make(of original: String, _ file: DamagedFile, at path: String) throws(SQLiteError) -> ScratchCopy {
        do {
            try copy(original, file, to: path)
            try mend(path)
            return ScratchCopy(path: path)
        } catch {
            remove(path)
            throw error
        }
    }

    func remove() { Self.remove(path) }

    /// Removes what an interrupted recovery has left.
    static func removeLeftover(of original: String) {
        remove(original + ".scratch")
        Leftovers.remove(in: FileManager.default.temporaryDirectory.path(percentEncoded: false), prefix: "querykit-", suffix: ".scratch")
    }

    private static func remove(_ path: String) {
        for suffix in ["", "-wal", "-shm", "-journal"] { try? Disk.remove(path + suffix) }
    }

    private static func copy(_ original: String, _ file: DamagedFile, to path: String) throws(SQLiteError) {
        try file.copy(to: path)
        for suffix in ["-wal", "-journal"] where Disk.exists(original + suffix) { try Disk.copy(original + suffix, to: path + suffix) }
    }

    private static func mend(_ path: String) throws(SQLiteError) {
        let size = Disk.size(path) ?? 0
        var bytes = Array((FileManager.default.contents(atPath: path, count: FileHeader.count)))
        bytes += Array(repeating: 0, count: FileHeader.count - bytes.count)
        var header = FileHeader(bytes, fileSize: size)
        guard header.mend(knownPageSize: logPageSize(path) ?? visiblePageSize(path, size)) else { return }
        try Disk.write(header.bytes, to: path, at: 0)
    }

    /// The page size of this library's files, if the file has such pages. Without it, nothing could be saved if the whole header is lost.
    private static func visiblePageSize(_ path: String, _ size: Int64) -> Int64? {
        guard let file = try? DamagedFile(path, isReadOnly: true), ForeignFile.hasPages(file, size: size) else { return nil }
        return 4_096
    }

    /// The page size from the header of the log: at byte 8, after one of two magic numbers.
    private static func logPageSize(_ path: String) -> Int64? {
        let bytes = FileManager.default.contents(atPath: path + "-wal", count: 32)
        guard bytes.count == 32, bytes.starts(with: [0x37, 0x7f, 0x06]), bytes[3] & 0xfe == 0x82 else { return nil }
        let size = bytes[8..<12].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        return size >= 512 && size <= 65_536 && size & (size - 1) == 0 ? size : nil
    }
}

extension FileManager {
    /// Reads the beginning of a file, which must not be a database in use.
    fileprivate func contents(atPath path: String, count: Int) -> Data {
        guard let file = FileHandle(forReadingAtPath: path) else { return Data() }
        defer { try? file.close() }
        return (try? file.read(upToCount: count)) ?? Data()
    }
}
