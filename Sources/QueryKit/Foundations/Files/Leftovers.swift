package import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Temporary files that a killed process has left.
package enum Leftovers {
    /// Removes the files whose names are a prefix, a UUID and a suffix.
    ///
    /// - Parameter age: Only files that are older, in seconds: no process writes them any more. Default: a day.
    package static func remove(in folder: String, prefix: String, suffix: String = "", olderThan age: TimeInterval = 86_400) {
        for name in Disk.names(in: folder.isEmpty ? "." : folder) where isOurs(name, prefix, suffix) {
            let path = folder.isEmpty || folder.hasSuffix("/") ? folder + name : folder + "/" + name
            let date = try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
            guard let date, date.timeIntervalSinceNow < -age, !Disk.isFolder(path) else { continue }
            unlink(path)
        }
    }

    private static func isOurs(_ name: String, _ prefix: String, _ suffix: String) -> Bool {
        guard name.hasPrefix(prefix) else { return false }
        let rest = name.dropFirst(prefix.count)
        let uuid = rest.prefix(36)
        guard uuid.count == 36, UUID(uuidString: String(uuid)) != nil else { return false }
        return ["", "-wal", "-shm", "-journal"].contains { rest.dropFirst(36) == suffix + $0 }
    }
}
