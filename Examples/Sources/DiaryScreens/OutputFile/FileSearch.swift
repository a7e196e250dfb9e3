import Foundation

/// Finds out what a path leads to, without opening what must stay closed.
///
/// "If a process closes any file descriptor referring to a file, then all of the process's locks on that file are released"
/// (fcntl(2)). So the files of a diary that this process has open are known by device and inode, which takes no descriptor.
struct FileSearch: Sendable {
    /// The diary that this process has open; `nil` in memory.
    let diary: String?

    /// Collects what there is to know about a place to write to.
    func target(_ name: String) -> OutputTarget {
        let own = OwnFiles(diary: diary)
        guard let path = Self.followed(name) else { return OutputTarget(name: name, path: name, found: .unreachable(ELOOP)) }
        let found = found(name, leadingTo: path, own)
        // The links in /dev/fd lead to text such as pipe:[7], which is no path.
        if case .special = found { return OutputTarget(name: name, path: name, found: found) }
        return OutputTarget(
            name: name,
            path: path,
            found: found,
            base: OutputTarget.base(of: path).map { self.found($0, leadingTo: $0, own) } ?? .nothing,
            logs: ["-wal", "-journal"].map { self.found(path + $0, leadingTo: path + $0, own) }
        )
    }

    /// A path as the user wrote it, from the root of the file system.
    static func absolute(_ path: String) -> String { path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path }

    /// The path at the end of a chain of symbolic links, whether or not there is a file; `nil` if the chain has no end.
    static func followed(_ name: String) -> String? {
        var path = name
        // As many as Linux follows (path_resolution(7)).
        for _ in 0...40 {
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { return path }
            path = target.hasPrefix("/") ? target : folder(of: path) + target
        }
        return nil
    }

    /// The folder of a file, ending with a slash.
    static func folder(of path: String) -> String { path.lastIndex(of: "/").map { String(path[...$0]) } ?? "./" }

    private func found(_ name: String, leadingTo path: String, _ own: OwnFiles) -> FoundFile {
        var (entry, end) = (stat(), stat())
        guard stat(name, &entry) == 0 else { return errno == ENOENT ? .nothing : .unreachable(errno) }
        switch entry.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: return .folder
        case S_IFIFO: return .special(.pipe)
        case S_IFSOCK: return .special(.socket)
        default: return .special(.device)
        }
        // A link such as /dev/fd/3 leads to an open file, which the text of the link may not name (proc_pid_fd(5)).
        guard stat(path, &end) == 0, FileIdentity(end) == FileIdentity(entry) else { return .special(.nameless) }
        return .file(own.contents(FileIdentity(entry)) ?? Self.contents(of: path), isWritable: access(path, W_OK) == 0)
    }

    private static func contents(of path: String) -> FoundFile.Contents {
        // Does not wait if a pipe has taken the place of the file.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return .unreadable(errno) }
        defer { close(descriptor) }
        var head = [UInt8](repeating: 0, count: FoundFile.Contents.headLength)
        let count = read(descriptor, &head, head.count)
        return count < 0 ? .unreadable(errno) : .init(head: head.prefix(count))
    }
}

/// The number of a file in its file system, the same under each of its names.
struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    init(_ entry: stat) {
        device = UInt64(truncatingIfNeeded: entry.st_dev)
        inode = UInt64(truncatingIfNeeded: entry.st_ino)
    }
}

/// The files that this process has open and still needs.
private struct OwnFiles {
    private let diary: Set<FileIdentity>
    private let output: Set<FileIdentity>

    init(diary: String?) {
        // SQLite keeps its files beside the file that a link leads to.
        let paths = [diary, diary.flatMap { FileSearch.followed($0) }].compactMap { $0 }
        let files = paths.flatMap { path in [path] + OutputTarget.companionEndings.map { path + $0 } }
        self.diary = Set(
            files.compactMap { file in
                var entry = stat()
                return stat(file, &entry) == 0 ? FileIdentity(entry) : nil
            }
        )
        output = Set(
            [STDOUT_FILENO, STDERR_FILENO].compactMap { descriptor in
                var entry = stat()
                return fstat(descriptor, &entry) == 0 ? FileIdentity(entry) : nil
            }
        )
    }

    func contents(_ file: FileIdentity) -> FoundFile.Contents? {
        if diary.contains(file) { return .diary }
        return output.contains(file) ? .ownOutput : nil
    }
}
