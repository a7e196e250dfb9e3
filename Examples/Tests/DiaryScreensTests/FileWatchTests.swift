import Foundation
import QueryKit
import Testing

@testable import DiaryScreens

@Suite(.timeLimit(.minutes(5))) struct FileWatchTests {
    /// A file, an event, and whether it is detected.
    private func notices(_ change: (URL) throws -> Void) async throws -> Bool {
        let file = FileManager.default.temporaryDirectory.appending(path: "watched-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("old".utf8).write(to: file)
        let clock = ManualClock()
        let watch = try #require(FileWatch(file))
        let watching = Task { try await watch.untilGone(clock) }
        try await clock.alarms(atLeast: 1)
        try change(file)
        clock.advance(by: .seconds(1))
        let text = try? String(contentsOf: file, encoding: .utf8)
        guard text == nil || text == "new" else {
            // It has checked again, and sleeps.
            try await clock.alarms(atLeast: 1)
            watching.cancel()
            await #expect(throws: CancellationError.self) { try await watching.value }
            return false
        }
        try await watching.value
        return true
    }

    @Test func `a removed file is detected`() async throws {
        #expect(try await notices { try FileManager.default.removeItem(at: $0) })
    }

    @Test func `a replaced file is detected`() async throws {
        #expect(try await notices { try Data("new".utf8).write(to: $0, options: .atomic) })
    }

    @Test func `a file that was only written to is not reported`() async throws {
        let isNoticed = try await notices { file in
            let handle = try FileHandle(forWritingTo: file)
            try handle.seekToEnd()
            try handle.write(contentsOf: Data("er".utf8))
            try handle.close()
        }
        #expect(!isNoticed)
    }

    @Test func `a missing file can't be watched`() { #expect(FileWatch(URL(fileURLWithPath: "/nowhere/at/all.db")) == nil) }
}
