import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Queries of the file system. They don't open files.
package enum Disk {
    package static func exists(_ path: String) -> Bool { entry(path) != nil }

    /// The size in bytes; `nil` if there is no such file.
    package static func size(_ path: String) -> Int64? { entry(path).map { Int64($0.st_size) } }

    /// Whether the path refers to a regular file, and not to a folder, device or pipe.
    package static func isFile(_ path: String) -> Bool { entry(path).map { $0.st_mode & S_IFMT == S_IFREG } ?? false }

    /// Whether two paths refer to the same file, following links.
    package static func isSame(_ path: String, _ other: String) -> Bool {
        guard let first = entry(path), let second = entry(other) else { return false }
        return first.st_ino == second.st_ino && first.st_dev == second.st_dev
    }

    /// The number of the file in its file system. Renaming the file doesn't change it.
    package static func inode(_ path: String) -> UInt64? { entry(path).map { UInt64($0.st_ino) } }

    /// Whether the disk of a file has more than 16 MB of free space.
    package static func hasRoom(_ path: String) -> Bool { (freeSize(path) ?? 0) > 16 << 20 }

    /// Whether the disk of a file has less than 64 KB of free space, too little for a small file.
    package static func isFull(_ path: String) -> Bool { (freeSize(path) ?? .max) < 64 << 10 }

    private static func freeSize(_ path: String) -> Int64? {
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder(of: path))
        return (attributes?[.systemFreeSize] as? NSNumber)?.int64Value
    }

    /// The names of the files in a folder. Empty if the folder can't be read.
    package static func names(in folder: String) -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] }

    package static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    /// The folder of a file, ending with a slash.
    package static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? "./"
    }

    private static func entry(_ path: String) -> stat? {
        var entry = stat()
        return stat(path, &entry) == 0 ? entry : nil
    }
}
