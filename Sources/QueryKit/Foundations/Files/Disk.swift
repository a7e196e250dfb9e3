import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What is asked of the file system. No file is opened for an answer.
package enum Disk {
    package static func exists(_ path: String) -> Bool { entry(path) != nil }

    /// In bytes; `nil` where there is no such file.
    package static func size(_ path: String) -> Int64? { entry(path).map { Int64($0.st_size) } }

    /// Whether there are bytes under a name, rather than a folder, a device or what another process writes.
    package static func isFile(_ path: String) -> Bool { entry(path).map { $0.st_mode & S_IFMT == S_IFREG } ?? false }

    /// Whether two names lead to one file, through links too.
    package static func isSame(_ path: String, _ other: String) -> Bool {
        guard let first = entry(path), let second = entry(other) else { return false }
        return first.st_ino == second.st_ino && first.st_dev == second.st_dev
    }

    /// By which the file system knows the file under a name, for as long as it has any.
    package static func inode(_ path: String) -> UInt64? { entry(path).map { UInt64($0.st_ino) } }

    /// The names of what is in a folder; none where that can not be told.
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
