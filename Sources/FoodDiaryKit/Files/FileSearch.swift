import Foundation
import QueryKit

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Determines what a path refers to, without releasing the locks that this process has on a database.
///
/// "If a process closes any file descriptor referring to a file, then all of the process's locks on that file are released"
/// (fcntl(2)), and SQLite relies on such locks. So a file that this process has open is read through the existing descriptor, a file that
/// SQLite keeps beside a database is never opened, and the descriptor of a database is never closed.
struct FileSearch: Sendable {
    private let openFiles = OpenFiles()

    /// Collects the facts about a path that is to be written.
    func target(_ name: String) -> OutputTarget {
        guard let path = Self.followed(name) else { return OutputTarget(name: name, path: name, found: .unreachable(ELOOP)) }
        let base = OutputTarget.base(of: path).map { self.found($0, leadingTo: $0) } ?? .nothing
        let found = self.found(name, leadingTo: path, isCompanion: base.mayHaveCompanions)
        // The links in /dev/fd point to text such as pipe:[7], which is not a path.
        if case .special = found { return OutputTarget(name: name, path: name, found: found) }
        let logs = ["-wal", "-journal"].map { self.found(path + $0, leadingTo: path + $0) }
        return OutputTarget(name: name, path: path, found: found, base: base, logs: logs)
    }

    /// The reason why a file must not be opened for reading, because closing it would release locks of SQLite; `nil` if it may be opened.
    func reasonNotToRead(_ name: String) -> String? {
        switch target(name).found.contents {
        case .database, .companion, .databaseLog:
            "\(name) belongs to a diary or another database, so nothing was imported. Export its entries, and import that file."
        case .inUse: "\(name) is open for writing in this process, so nothing was imported. Close it first."
        default: nil
        }
    }

    /// The path at the end of a chain of symbolic links, whether or not a file exists there; `nil` if the chain has no end.
    private static func followed(_ name: String) -> String? {
        var path = name
        // The limit of Linux (path_resolution(7)).
        for _ in 0...40 {
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { return path }
            path = target.hasPrefix("/") ? target : Disk.folder(of: path) + target
        }
        return nil
    }

    /// - Parameter isCompanion: Whether SQLite keeps this file beside a database, and may have locks on it.
    private func found(_ name: String, leadingTo path: String, isCompanion: Bool = false) -> FoundFile {
        var (entry, end) = (stat(), stat())
        guard stat(name, &entry) == 0 else { return errno == ENOENT ? .nothing : .unreachable(errno) }
        switch entry.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: return .folder
        case S_IFIFO: return .special(.pipe)
        case S_IFSOCK: return .special(.socket)
        default: return .special(.device)
        }
        // A link such as /dev/fd/3 points to an open file, but the text of the link may not be its path (proc_pid_fd(5)).
        guard stat(path, &end) == 0, FileIdentity(end) == FileIdentity(entry) else { return .special(.nameless) }
        return .file(isCompanion ? .companion : contents(of: path, entry), isWritable: access(path, W_OK) == 0)
    }

    private func contents(of path: String, _ entry: stat) -> FoundFile.Contents {
        let file = FileIdentity(entry)
        let known = openFiles.head(of: file, upTo: FoundFile.Contents.headLength).map { FoundFile.Contents(head: $0) }
        if let known, known != .other { return known }
        // Includes a new database, which is empty, and an encrypted one, which doesn't begin with the usual header.
        if openFiles.isWritten(file) { return .inUse }
        return entry.st_size == 0 ? .other : known ?? Self.contents(of: path)
    }

    private static func contents(of path: String) -> FoundFile.Contents {
        // Doesn't block if a pipe has replaced the file.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return .unreadable(errno) }
        guard let head = OpenFiles.head(descriptor, upTo: FoundFile.Contents.headLength) else {
            defer { close(descriptor) }
            return .unreadable(errno)
        }
        let contents = FoundFile.Contents(head: head)
        // Another thread may have opened the database since the search began. The next search finds this descriptor.
        if contents != .database { close(descriptor) }
        return contents
    }
}
