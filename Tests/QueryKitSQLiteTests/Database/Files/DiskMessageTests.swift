import Foundation
import QueryKit
import Testing

@testable import QueryKitSQLite

/// The texts of errors of file operations.
struct DiskMessageTests {
    @Test func `a file operation that fails has the path and the reason of the system`() throws {
        let folder = try WatchedFolder()
        try folder.make("file")
        let (file, none, other) = (folder.path(of: "file"), folder.path(of: "none"), folder.path(of: "other"))
        func refusal(_ work: () throws -> Void) -> SQLiteError? { #expect(throws: SQLiteError.self) { try work() } }
        let missing = String(cString: strerror(ENOENT))
        #expect(refusal { try Disk.make(file) }?.message == "\(file) can't be created: \(String(cString: strerror(EEXIST))).")
        #expect(refusal { try Disk.move(none, to: other) }?.message == "\(none) can't be moved to \(other): \(missing).")
        #expect(refusal { _ = try Disk.link(none, as: other) }?.message == "\(none) can't be linked to \(other): \(missing).")
        #expect(refusal { try Disk.sync(none) }?.message == "\(none) can't be opened: \(missing).")
        #expect(refusal { try Disk.write([1], to: none, at: 0) }?.message == "\(none) can't be opened: \(missing).")
        let reason = #expect(throws: (any Error).self) { try FileManager.default.copyItem(atPath: none, toPath: other) }
        let copying = refusal { try Disk.copy(none, to: other) }
        #expect(copying?.message == "\(none) can't be copied to \(other): \(try #require(reason).localizedDescription)")
    }
}
