package import Foundation
package import QueryKitSQLite

/// Checks the location of a diary before it is opened. The engine checks the contents, and leaves files of other programs unchanged.
package enum DiaryFile {
    /// Throws a message if no diary can be stored at that path. Opens nothing, because opening a pipe would block until another process
    /// writes to it.
    package static func checkPlace(_ file: URL) throws {
        var entry = stat()
        guard stat(file.path, &entry) == 0 else {
            guard lstat(file.path, &entry) == 0 else { return }
            throw Obstacle("\(file.path) is a link to a file that doesn't exist; create its folder, or remove the link.")
        }
        switch entry.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw Obstacle("\(file.path) is a folder; a diary needs a file, such as: --db \(file.path)/diary.db")
        default:
            throw Obstacle(
                "\(file.path) is a pipe, a socket or a device; a diary needs a regular file, such as: --db diary.db"
            )
        }
        // Even a reader creates a file beside the diary, through which processes coordinate their reads (sqlite.org/wal.html, Read-Only
        // Databases).
        let folder = file.resolvingSymlinksInPath().deletingLastPathComponent().path
        guard access(file.path, R_OK | W_OK) == 0, access(folder, W_OK) == 0 else {
            throw Obstacle(
                "You can't write to \(file.path) or its folder, which is necessary even to show a diary. Copy it, and the files beside it that begin with its name, to one of your folders."
            )
        }
    }

    /// The configuration with which the diary's database is opened.
    ///
    /// - Parameter isDiary: Whether the user says that the file is a diary, regardless of its contents: with `doctor --repair`.
    package static func configuration(isDiary: Bool) -> SQLiteDatabase.Configuration {
        var configuration = SQLiteDatabase.Configuration()
        if isDiary { configuration.damage = .recoverAnyFile }
        return configuration
    }
}
