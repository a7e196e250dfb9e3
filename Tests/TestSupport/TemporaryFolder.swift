package import Foundation

/// A folder for the files of one test, deleted with it.
package final class TemporaryFolder: Sendable {
    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "querykit-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    package func file(_ name: String = "test.sqlite") -> URL { url.appending(path: name) }

    package func path(_ name: String = "test.sqlite") -> String { file(name).path(percentEncoded: false) }
}
