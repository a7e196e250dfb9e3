package import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Temporary files that were left behind by a killed process.
package enum Leftovers {
    /// Removes the files whose names consist of a prefix, a UUID, optionally a process number, and a suffix.
    ///
    /// - Parameter age: The minimum age in seconds of the files to remove, because a process may still be writing newer files. Default: a
    ///   day.
    package static func remove(in folder: String, prefix: String, suffix: String = "", olderThan age: TimeInterval = 86_400) {
        for name in Disk.names(in: folder.isEmpty ? "." : folder) where isOurs(name, prefix, suffix) {
            let path = folder.isEmpty || folder.hasSuffix("/") ? folder + name : folder + "/" + name
            let date = try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
            guard let date, date.timeIntervalSinceNow < -age, !Disk.isFolder(path) else { continue }
            unlink(path)
        }
    }

    /// A name for a temporary file. The name contains the number of the process that writes the file.
    package static func name(_ prefix: String, suffix: String) -> String { "\(prefix).\(UUID().uuidString)-\(getpid())\(suffix)" }

    /// Removes the files that have a name from ``name(_:suffix:)`` and whose process has ended.
    package static func removeOrphans(in folder: String, suffix: String) {
        for name in Disk.names(in: folder.isEmpty ? "." : folder) {
            guard let owner = owner(of: name, suffix), kill(owner, 0) != 0, errno == ESRCH else { continue }
            let path = folder.isEmpty || folder.hasSuffix("/") ? folder + name : folder + "/" + name
            if !Disk.isFolder(path) { unlink(path) }
        }
    }

    private static func owner(of name: String, _ suffix: String) -> pid_t? {
        guard let end = name.range(of: suffix, options: .backwards), ["", "-wal", "-shm", "-journal"].contains(name[end.upperBound...])
        else {
            return nil
        }
        let stem = name[..<end.lowerBound]
        guard let dash = stem.lastIndex(of: "-"), let owner = pid_t(stem[stem.index(after: dash)...]), owner > 0 else { return nil }
        let rest = stem[..<dash]
        let uuid = rest.suffix(36)
        return uuid.count == 36 && UUID(uuidString: String(uuid)) != nil && rest.dropLast(36).hasSuffix(".") ? owner : nil
    }

    private static func isOurs(_ name: String, _ prefix: String, _ suffix: String) -> Bool {
        guard name.hasPrefix(prefix) else { return false }
        let rest = name.dropFirst(prefix.count)
        let uuid = rest.prefix(36)
        guard uuid.count == 36, UUID(uuidString: String(uuid)) != nil else { return false }
        // Some names also contain the number of the process that writes the file.
        var end = rest.dropFirst(36)
        if end.first == "-", let next = end.dropFirst().firstIndex(where: { !$0.isNumber }) { end = end[next...] }
        return ["", "-wal", "-shm", "-journal"].contains { end == suffix + $0 }
    }
}
