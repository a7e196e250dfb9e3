import Foundation

@testable import QueryKitSQLite

/// A folder of its own for the files of one test, which goes with it.
final class ScratchFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "querykit-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func file(_ name: String = "test.sqlite") -> URL { url.appending(path: name) }

    /// Writes over a part of a file, as a fault of the disk would.
    func damage(_ file: URL, at offset: UInt64, _ count: Int) throws {
        let handle = try FileHandle(forWritingTo: file)
        try handle.seek(toOffset: offset)
        try handle.write(contentsOf: Data(repeating: 0xa5, count: count))
        try handle.close()
    }
}
