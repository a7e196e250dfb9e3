package import Foundation
package import QueryKitSQLite

/// Looks at the place of a diary before it is opened. What a file holds is judged by the engine, which leaves a file of somebody else as it is.
package enum DiaryFile {
    /// Throws a sentence if what lies there is nothing that a diary can be kept in. Nothing is opened: who opens a pipe waits for whoever writes into it.
    package static func checkPlace(_ file: URL) throws {
        var entry = stat()
        guard stat(file.path, &entry) == 0 else {
            guard lstat(file.path, &entry) == 0 else { return }
            throw Obstacle("\(file.path) is a link to a file that is not there; make its folder, or remove the link.")
        }
        switch entry.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw Obstacle("\(file.path) is a folder; a diary needs a file, such as: --db \(file.path)/diary.db")
        default:
            throw Obstacle(
                "\(file.path) is no file, but a pipe, a socket or a device; a diary needs a file of its own, such as: --db diary.db"
            )
        }
        // Also who only looks at a diary makes a file beside it, by which processes tell each other what they read (sqlite.org/wal.html, Read-Only Databases).
        let folder = file.resolvingSymlinksInPath().deletingLastPathComponent().path
        guard access(file.path, R_OK | W_OK) == 0, access(folder, W_OK) == 0 else {
            throw Obstacle(
                "\(file.path) may not be written by you, or its folder may not. That has to be, also to look at a diary: copy it, and what lies beside it under its name, to a folder of yours."
            )
        }
    }

    /// How the diary's database is opened.
    ///
    /// - Parameter isDiary: Whether the user says that the file is a diary, whatever it looks like: with `doctor --repair`.
    package static func configuration(isDiary: Bool) -> SQLiteDatabase.Configuration {
        var configuration = SQLiteDatabase.Configuration()
        if isDiary { configuration.damage = .recoverAnyFile }
        return configuration
    }
}
