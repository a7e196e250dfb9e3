package import Foundation
import QueryKitSQLite
import Terminal

/// Keeps the program's hands off files that are no diary: the engine would set aside a file that it can not read, and make its tables in a database of
/// another program.
package enum DiaryFile {
    // "The first 16 bytes of the file" (sqlite.org/fileformat.html, The Database Header).
    private static let magic = Data("SQLite format 3\u{0}".utf8)

    /// Throws a sentence if there is a file that holds something else. Nothing is changed.
    package static func check(_ file: URL) async throws {
        guard let handle = try? FileHandle(forReadingFrom: file), let head = try? handle.read(upToCount: magic.count), !head.isEmpty else {
            return
        }
        try? handle.close()
        guard head == magic else {
            throw UsageError(
                "\(file.path) is no diary, and was left as it is. If it was one, its beginning is damaged: food-diary doctor --repair --db \(file.path)"
            )
        }
        // What can not be read is for those who open it to mend.
        guard let tables = try? await tables(of: file), !tables.isEmpty, !tables.contains("daily_totals") else { return }
        throw UsageError(
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
