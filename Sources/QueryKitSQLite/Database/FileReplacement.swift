import Foundation

/// Puts a new file in the place of a damaged one, which stays beside it under another name. Wherever it is cut off, nothing is lost.
///
/// 1. The new file is complete under the name `.recovered`. From here on, whoever opens the database goes through to the end.
/// 2. The damaged file and its log get a second name.
/// 3. The log goes: SQLite would play it back into the new file, since nothing in it says to which it belongs.
/// 4. The new file takes the place of the damaged one.
struct FileReplacement: Sendable {
    let path: String
    /// Called after each step; a test throws here.
    var didStep: @Sendable (Int) throws -> Void = { _ in }

    init(_ path: String) { self.path = path }

    /// Where the new file is made.
    var draft: String { path + ".recovering" }
    /// Where it lies once it is complete.
    private var complete: String { path + ".recovered" }
    private static let logs = ["-wal", "-journal"]

    /// Whether a replacement was cut off, and has to be brought to its end.
    var isPending: Bool { Disk.exists(complete) }

    /// Removes what a recovery that was cut off has left of its draft.
    func removeDraft() throws(SQLiteError) {
        for suffix in ["", "-wal", "-shm", "-journal"] { try Disk.remove(draft + suffix) }
    }

    /// Puts the draft in the place of the file. Returns where that is now.
    func replace(_ file: DamagedFile) throws -> URL {
        try Disk.sync(draft)
        try Disk.move(draft, to: complete)
        try Disk.sync(Disk.folder(of: path))
        try didStep(1)
        return try finish(file)
    }

    /// Goes on behind the first step. Called with everybody else kept out.
    func finish(_ file: DamagedFile) throws -> URL {
        let quarantine = try setAside(file)
        try didStep(2)
        for suffix in ["-shm"] + Self.logs { try Disk.remove(path + suffix) }
        try Disk.sync(Disk.folder(of: path))
        try didStep(3)
        try Disk.move(complete, to: path)
        try Disk.sync(Disk.folder(of: path))
        try didStep(4)
        return URL(filePath: quarantine)
    }

    /// Gives the damaged file a name of its own, with its log: a second one while the first is still needed, or a copy where a file can have only one.
    private func setAside(_ file: DamagedFile) throws(SQLiteError) -> String {
        let name = freeName()
        Disk.restrict(path)
        // The logs first: a file under the new name has all that belongs to it.
        for suffix in Self.logs where Disk.size(path + suffix) ?? 0 > 0 {
            Disk.restrict(path + suffix)
            if try !Disk.link(path + suffix, as: name + suffix) {
                try copy(to: name + suffix) { part throws(SQLiteError) in try Disk.copy(path + suffix, to: part) }
            }
        }
        if try !Disk.link(path, as: name) { try copy(to: name) { part throws(SQLiteError) in try file.copy(to: part) } }
        try Disk.sync(Disk.folder(of: path))
        return name
    }

    private func copy(to name: String, _ make: (String) throws(SQLiteError) -> Void) throws(SQLiteError) {
        let part = name + ".part"
        try Disk.remove(part)
        try make(part)
        try Disk.sync(part)
        try Disk.move(part, to: name)
    }

    /// Says the time, so that the newest of several is told from the others.
    private func freeName() -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = "yyyyMMdd-HHmmss"
        let stem = path + ".damaged-" + formatter.string(from: Date())
        var name = stem
        var number = 2
        while ([""] + Self.logs).contains(where: { Disk.exists(name + $0) }) {
            name = "\(stem)-\(number)"
            number += 1
        }
        return name
    }
}
