import Foundation

/// The `sqlite3` program, if it is installed: it damages files in ways that the library refuses, and its recovery serves as a comparison.
enum SQLiteTool {
    static let path = ["/usr/bin/sqlite3", "/usr/local/bin/sqlite3", "/opt/homebrew/bin/sqlite3"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// Executes statements and returns their output; `nil` if they fail.
    static func run(_ text: String, on file: URL) -> String? {
        guard let path else { return nil }
        return run(path, ["-bail", file.path(percentEncoded: false), text])
    }

    /// The number of rows per table that `.recover` saves from a file; `nil` if it doesn't save a table.
    static func recover(_ file: URL, into target: URL, counting tables: [String]) -> [Int]? {
        guard let path else { return nil }
        let (from, to) = (file.path(percentEncoded: false), target.path(percentEncoded: false))
        _ = run("/bin/sh", ["-c", "\"$0\" \"$1\" .recover 2>/dev/null | \"$0\" \"$2\" >/dev/null 2>&1", path, from, to])
        defer { try? FileManager.default.removeItem(at: target) }
        let counts = tables.map {
            run("SELECT count(*) FROM \($0)", on: target).flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
        }
        return counts.contains(nil) ? nil : counts.compactMap { $0 }
    }

    private static func run(_ program: String, _ arguments: [String]) -> String? {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        let data = (try? output.fileHandleForReading.readToEnd()) ?? Data()
        process.waitUntilExit()
        return process.terminationStatus == 0 ? String(decoding: data, as: UTF8.self) : nil
    }
}
