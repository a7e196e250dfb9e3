import FoodDiaryKit
package import Foundation
import QueryKitSQLite

/// Keeps the program's hands off files that are no diary: the engine would set aside a file that it can not read, and make its tables in a database of
/// another program.
package enum DiaryFile {
    // "The first 16 bytes of the file" (sqlite.org/fileformat.html, The Database Header).
    private static let magic = Data("SQLite format 3\u{0}".utf8)

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

    /// Throws a sentence if there is a file that holds something else. Nothing is changed.
    package static func check(_ file: URL) async throws {
        guard let handle = try? FileHandle(forReadingFrom: file), let head = try? handle.read(upToCount: magic.count), !head.isEmpty else {
            return
        }
        try? handle.close()
        guard head == magic else {
            throw Obstacle(
                "\(file.path) is no diary, and was left as it is. If it was one, its beginning is damaged: food-diary doctor --repair --db \(file.path)"
            )
        }
        // What can not be read is for those who open it to mend.
        guard let tables = try? await tables(of: file), !tables.isEmpty, !tables.contains("daily_totals") else { return }
        throw Obstacle(
            "\(file.path) is the database of another program, and was left as it is; a diary needs a file of its own, such as: --db diary.db"
        )
    }

    private static func tables(of file: URL) async throws -> [String] {
        let reader = try await SQLiteReader.open(file)
        let names = try await reader.read { db in try db.values(String.self, "SELECT name FROM sqlite_schema WHERE type = 'table'") }
        await reader.close()
        return names
    }
}
