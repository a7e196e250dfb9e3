package import FoodDiaryKit
import FoodDiarySQLite
package import Foundation
import QueryKitSQLite

/// Checks the location of a diary before it is opened. The engine checks the contents, and leaves files of other programs unchanged.
package enum DiaryFile {
    /// Throws a message if no diary can be stored at that path. Opens nothing, because opening a pipe would block until another process
    /// writes to it.
    package static func checkPlace(_ file: URL) throws {
        var entry = stat()
        guard stat(file.path, &entry) == 0 else {
            guard lstat(file.path, &entry) == 0 else { return }
            throw CommandError("\(file.path) is a link to a file that doesn't exist; create its folder, or remove the link.")
        }
        switch entry.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw CommandError("\(file.path) is a folder; a diary needs a file, such as: --db \(file.path)/diary.db")
        default:
            throw CommandError(
                "\(file.path) is a pipe, a socket or a device; a diary needs a regular file, such as: --db diary.db"
            )
        }
        // Even a reader creates a file beside the diary, through which processes coordinate their reads (sqlite.org/wal.html, Read-Only
        // Databases).
        let folder = file.resolvingSymlinksInPath().deletingLastPathComponent().path
        guard access(file.path, R_OK | W_OK) == 0, access(folder, W_OK) == 0 else {
            throw CommandError(
                "You can't write to \(file.path) or its folder, which is necessary even to show a diary. Copy it, and the files beside it that begin with its name, to one of your folders."
            )
        }
    }

    /// Opens the diary of a command. Creates the file if it doesn't exist.
    ///
    /// Only a repair recovers a diary whose list of migrations doesn't match, and only a forced one a file that isn't recognized as a
    /// diary. The database of another program is always refused.
    package static func open(_ file: URL, for command: DiaryCommand) async throws -> FoodDiary {
        guard let repair = command.repair else { return try await open(file, .recover) }
        if repair == .anyFile { return try await open(file, .recoverAnyFile) }
        do {
            return try await open(file, .recover)
        } catch let error as SQLiteError where error.code == .migration {
            // Only a diary has a list of migrations that was compared.
            return try await open(file, .recoverAnyFile)
        } catch let error as SQLiteError where error.code == .notADatabase && !isDatabase(file) {
            throw CommandError(
                "\(error.message)\nIf it was a diary, keep the file under another name and save what can be read: food-diary doctor --repair --force"
            )
        }
    }

    private static func open(_ file: URL, _ damage: SQLiteDatabase.Damage) async throws -> FoodDiary {
        var configuration = SQLiteDatabase.Configuration()
        configuration.damage = damage
        return try await FoodDiary.open(.file(file), databaseConfiguration: configuration)
    }

    /// Whether a file begins like a database. Only for a file that is not open in this process: closing a file releases all locks that the
    /// process has on it.
    private static func isDatabase(_ file: URL) -> Bool {
        guard let handle = try? FileHandle(forReadingFrom: file) else { return false }
        defer { try? handle.close() }
        return (try? handle.read(upToCount: 16)) == Data("SQLite format 3\0".utf8)
    }
}
