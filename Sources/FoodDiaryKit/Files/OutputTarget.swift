import Foundation

/// The path of a file to be written, and the decision whether writing is allowed.
///
/// A pure value: ``FileSearch`` collects the facts, and ``verdict`` uses nothing else.
struct OutputTarget: Hashable, Sendable {
    enum Verdict: Hashable, Sendable {
        case create
        /// A file exists that may be replaced if the user agrees.
        case replace
        /// The message says what is there and what to do next.
        case refuse(String)
    }

    /// The suffixes of the files that SQLite keeps beside a database (sqlite.org/tempfiles.html).
    private static let companionEndings = ["-wal", "-shm", "-journal"]

    /// The absolute path as the user wrote it.
    let name: String

    /// The path after following symbolic links.
    let path: String

    let found: FoundFile

    /// If the path has the suffix of a companion file: the database it would belong to.
    var base: FoundFile = .nothing

    /// The files that would be the logs of the target if it were a database.
    var logs: [FoundFile] = []

    /// The database whose companion file the path would be; `nil` if the path doesn't have the suffix of a companion file.
    static func base(of path: String) -> String? {
        // Some file systems ignore case.
        companionEndings.first { path.lowercased().hasSuffix($0) }.map { String(path.dropLast($0.count)) }
    }

    var verdict: Verdict {
        switch found {
        case .unreachable(ELOOP):
            .refuse("\(name) is a symbolic link that points to itself. Nothing was written; remove the link, or choose another file.")
        case .unreachable(let number):
            .refuse("\(name) can't be reached: \(Self.reason(number)). Nothing was written; choose another file.")
        case .folder: .refuse("\(subject) is a folder. Nothing was written; choose a file in it.")
        case .special(let kind):
            .refuse("\(subject) is \(kind.rawValue), not a file. Nothing was written; choose a file.")
        case .nothing where path.hasSuffix("/"):
            .refuse("\(name) names a folder that doesn't exist. Nothing was written; choose a file.")
        case .nothing where base.mayHaveCompanions:
            .refuse("SQLite keeps a file of its own at \(path), beside a database. Nothing was written; choose another name.")
        case .nothing: .create
        case .file(let contents, let isWritable): verdict(of: contents, isWritable: isWritable)
        }
    }

    private func verdict(of contents: FoundFile.Contents, isWritable: Bool) -> Verdict {
        let rest = "It was left unchanged; choose another file"
        switch contents {
        case .database: return .refuse("\(subject) is an SQLite database. \(rest).")
        case .unreadable(let number):
            return .refuse("\(subject) can't be read, so it may be a diary: \(Self.reason(number)). \(rest), or make it readable.")
        case .companion, .databaseLog: return .refuse("\(subject) belongs to an SQLite database. \(rest).")
        case .inUse: return .refuse("\(subject) is open for writing in this process. \(rest), or close it first.")
        case .other where logs.contains { $0.contents == .databaseLog }:
            return .refuse("\(subject) belongs to an SQLite database. \(rest).")
        case .other where !isWritable: return .refuse("\(subject) is read-only. \(rest), or make it writable.")
        case .other: return .replace
        }
    }

    /// The path as the user wrote it, and where it leads.
    private var subject: String { name == path ? path : "\(name) points to \(path), which" }

    private static func reason(_ number: Int32) -> String { String(cString: strerror(number)) }
}
