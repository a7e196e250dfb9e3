import Foundation

/// Files of work that ended with its process, before it could tidy up.
enum Leftovers {
    /// How old they are: by then nobody works with them any more, in whatever process.
    private static let age: TimeInterval = 86_400

    /// Removes those whose names are ours, with a UUID between two known parts.
    static func remove(in folder: String, prefix: String, suffix: String) {
        for name in Disk.names(in: folder) where isOurs(name, prefix, suffix) {
            let path = folder.hasSuffix("/") ? folder + name : folder + "/" + name
            let date = try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
            guard let date, date.timeIntervalSinceNow < -age, !Disk.isFolder(path) else { continue }
            try? Disk.remove(path)
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
