package import Foundation

/// A folder for the files of one test, deleted with it.
package final class TemporaryFolder: Sendable {
    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "querykit-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { removeFolder(url.path(percentEncoded: false)) }

    package func file(_ name: String = "test.sqlite") -> URL { url.appending(path: name) }

    package func path(_ name: String = "test.sqlite") -> String { file(name).path(percentEncoded: false) }
}

/// Removes the folder of a test. A database that is just being closed deletes files of the folder too, which makes a removal fail.
package func removeFolder(_ path: String) {
    for _ in 0..<100 where FileManager.default.fileExists(atPath: path) { try? FileManager.default.removeItem(atPath: path) }
}
