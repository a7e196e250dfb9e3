import Foundation
import QueryKit

/// The name under which a damaged file and its log are kept.
struct Quarantine {
    static let logs = ["-wal", "-journal"]

    private let path: String
    let name: String

    /// Uses the name from an interrupted attempt with the same file, or an unused one.
    init(of path: String) {
        self.path = path
        name = Self.unfinishedName(path) ?? Self.unusedName(path)
    }

    /// Gives the damaged file and its log the new name: as a hard link while the original name is still needed, or as a copy if the file
    /// system has no links.
    func fill(_ file: DamagedFile) throws(SQLiteError) {
        removeParts()
        Disk.restrict(path)
        // The logs get the new name first, so that a file under the new name always has its logs.
        for suffix in Self.logs where Disk.size(path + suffix) ?? 0 > 0 && !Disk.isSame(path + suffix, name + suffix) {
            Disk.restrict(path + suffix)
            if try !Disk.link(path + suffix, as: name + suffix) {
                try copy(to: name + suffix) { part throws(SQLiteError) in try Disk.copy(path + suffix, to: part) }
            }
        }
        if !Disk.isSame(path, name), try !Disk.link(path, as: name) {
            try copy(to: name) { part throws(SQLiteError) in try file.copy(to: part) }
        }
        try Disk.sync(Disk.folder(of: path))
    }

    /// Restores the original names. Returns false if something can't be restored; it is then kept under the new name.
    func empty() -> Bool {
        for log in Self.logs where Disk.exists(name + log) && !Disk.exists(path + log) {
            if (try? Disk.link(name + log, as: path + log)) != true { try? Disk.copy(name + log, to: path + log) }
        }
        let isBack = Self.logs.allSatisfy { !Disk.exists(name + $0) || Disk.size(name + $0) == Disk.size(path + $0) }
        guard isBack, Disk.exists(path) else { return false }
        for suffix in [""] + Self.logs { try? Disk.remove(name + suffix) }
        removeParts()
        return true
    }

    private func copy(to name: String, _ make: (String) throws(SQLiteError) -> Void) throws(SQLiteError) {
        let part = name + ".part"
        try Disk.remove(part)
        try make(part)
        try Disk.sync(part)
        try Disk.move(part, to: name)
    }

    /// Removes incomplete copies.
    private func removeParts() {
        for part in Self.names(path) where part.hasSuffix(".part") { try? Disk.remove(part) }
    }

    // MARK: Names

    private static func names(_ path: String) -> [String] { Disk.filesSetAside(path) }

    private static func unfinishedName(_ path: String) -> String? {
        let names = names(path).map { name in logs.first { name.hasSuffix($0) }.map { String(name.dropLast($0.count)) } ?? name }
        return Set(names).sorted().first { name in
            if Disk.exists(name) {
                // Each log has been removed already, or is the same file.
                return Disk.isSame(name, path)
                    && logs.allSatisfy { !Disk.exists(name + $0) || !Disk.exists(path + $0) || Disk.isSame(name + $0, path + $0) }
            }
            return logs.contains { Disk.isSame(name + $0, path + $0) }
                && logs.allSatisfy { !Disk.exists(name + $0) || Disk.isSame(name + $0, path + $0) }
        }
    }

    /// The name contains the time, so that the newest of several files can be identified.
    private static func unusedName(_ path: String) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = "yyyyMMdd-HHmmss"
        let prefix = Disk.prefixOfFilesSetAside(path) + formatter.string(from: Date())
        var name = prefix
        var number = 2
        while ([""] + logs).contains(where: { Disk.exists(name + $0) }) {
            name = "\(prefix)-\(number)"
            number += 1
        }
        return name
    }
}
