import Foundation
import Testing

@testable import DiaryScreens

/// Paths at which no diary can be stored: they are reported in a sentence, and never opened.
@Suite(.timeLimit(.minutes(5))) struct DiaryFileTests {
    private let folder: URL
    private let file: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "food-diary-place-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        file = folder.appending(path: "diary.db")
    }

    /// The message about the file; `nil` if a diary may be stored there.
    private func said() -> String? {
        defer { try? FileManager.default.removeItem(at: folder) }
        do {
            try DiaryFile.checkPlace(file)
            return nil
        } catch {
            return "\(error)".replacing(file.path, with: "diary.db")
        }
    }

    @Test func `a regular file and a missing file are accepted`() throws {
        try Data().write(to: file)
        #expect(said() == nil && said() == nil)
    }

    @Test func `a pipe is refused`() throws {
        try #require(mkfifo(file.path, 0o600) == 0)
        #expect(said() == "diary.db is a pipe, a socket or a device; a diary needs a regular file, such as: --db diary.db")
    }

    @Test func `a folder is refused`() throws {
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        #expect(said() == "diary.db is a folder; a diary needs a file, such as: --db diary.db/diary.db")
    }

    @Test func `a link to a missing file is refused`() throws {
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: folder.appending(path: "gone.db"))
        #expect(said() == "diary.db is a link to a file that doesn't exist; create its folder, or remove the link.")
    }

    @Test(.enabled(if: getuid() != 0, "root may read and write everything"))
    func `a read-only file is refused`() throws {
        try Data().write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: file.path)
        #expect(said()?.hasPrefix("You can't write to diary.db or its folder") == true)
    }
}
