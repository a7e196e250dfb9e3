import Foundation
import TestSupport
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A folder for one test, which is deleted with it. Each call makes one change that a watch can report.
final class WatchedFolder: Sendable {
    let path = FileManager.default.temporaryDirectory.appending(path: "QueryKit-\(UUID().uuidString)").path

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    deinit { removeFolder(path) }

    func path(of name: String) -> String { path + "/" + name }

    /// Creates an empty file.
    func make(_ name: String) throws {
        let descriptor = open(path(of: name), O_WRONLY | O_CREAT | O_EXCL, 0o600)
        try #require(descriptor >= 0)
        close(descriptor)
    }

    /// Writes to an existing file.
    func write(_ name: String) throws {
        let descriptor = open(path(of: name), O_WRONLY)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        try #require(pwrite(descriptor, "x", 1, 0) == 1)
    }

    func move(_ name: String, to other: String) throws { try #require(rename(path(of: name), path(of: other)) == 0) }

    func remove(_ name: String) throws { try #require(unlink(path(of: name)) == 0) }
}
