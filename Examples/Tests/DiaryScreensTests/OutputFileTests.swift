import Foundation
import Terminal
import Testing

@testable import DiaryScreens

/// A file that is written beside its name and then put in place.
@Suite(.timeLimit(.minutes(1))) final class OutputFileTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "output-file-\(UUID().uuidString)").path

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func path(_ name: String) -> String { "\(folder)/\(name)" }

    private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }

    private func text(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }

    private func make(_ name: String, _ text: String = "mine") throws { try Data(text.utf8).write(to: URL(fileURLWithPath: path(name))) }

    private func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: path(name), withDestinationPath: target)
    }

    private func mode(_ name: String) throws -> mode_t {
        var entry = stat()
        try #require(stat(path(name), &entry) == 0)
        return entry.st_mode & 0o777
    }

    private func open(_ name: String, replaces: Bool = true, diary: String? = nil) async throws -> OutputFile {
        let console = Console(output: { _ in }, remarks: { _ in })
        return try await OutputFile(path(name), replaces: replaces, diary: diary.map { URL(fileURLWithPath: path($0)) }, console: console)
    }

    private func write(_ name: String, replaces: Bool = true) async throws {
        try await open(name, replaces: replaces).write { write in
            try write(Data("new".utf8))
            try write(Data(" text".utf8))
        }
    }

    @Test func `only the user may read a new file, and a replaced one keeps its permissions`() async throws {
        try await write("new")
        #expect(try mode("new") == 0o600 && text("new") == "new text")
        try make("old")
        chmod(path("old"), 0o640)
        try await write("old")
        #expect(try mode("old") == 0o640 && text("old") == "new text" && names() == ["new", "old"])
    }

    @Test func `a link stays, and the file it leads to is replaced or created`() async throws {
        try FileManager.default.createDirectory(atPath: path("folder"), withIntermediateDirectories: false)
        try make("folder/old")
        try link("first", to: "second")
        try link("second", to: "folder/old")
        try link("free", to: path("folder/new"))
        try await write("first")
        try await write("free", replaces: false)
        #expect(try text("folder/old") == "new text" && text("folder/new") == "new text")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path("first")) == "second")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path("free")) == path("folder/new"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: path("folder")).sorted() == ["new", "old"])
    }

    @Test func `links that lead nowhere are refused`() async throws {
        try link("a", to: "b")
        try link("b", to: "a")
        await #expect(
            throws: Obstacle(
                "\(path("a")) is a symbolic link that leads back to itself. Nothing was written; remove the link, or choose another file."
            )
        ) { try await write("a") }
        try link("lost", to: "none/at/all")
        await #expect(throws: Obstacle("There is no folder \(path("none/at/")). Nothing was written; create it, or choose another folder."))
        {
            try await write("lost")
        }
        await #expect(throws: Obstacle("\(path("c/")) names a folder that doesn't exist. Nothing was written; name a file.")) {
            try await write("c/")
        }
        #expect(try names() == ["a", "b", "lost"])
    }

    @Test func `a failure leaves the old file, and no draft`() async throws {
        struct Failed: Error {}
        try make("old")
        let (old, new) = (try await open("old"), try await open("new"))
        for file in [old, new] {
            await #expect(throws: Failed.self) {
                try await file.write { write in
                    try write(Data("half".utf8))
                    throw Failed()
                }
            }
        }
        #expect(try names() == ["old"] && text("old") == "mine")
    }

    @Test func `a command that is cancelled leaves the old file, and no draft`() async throws {
        try make("old")
        let file = try await open("old")
        let task = Task {
            try await file.write { write in
                try write(Data("all of it".utf8))
                withUnsafeCurrentTask { $0?.cancel() }
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try names() == ["old"] && text("old") == "mine")
    }

    @Test func `until all is written the old file is whole`() async throws {
        try make("old")
        try await open("old").write { write in
            try write(Data("new".utf8))
            #expect(try self.text("old") == "mine" && self.names().count == 2)
        }
        #expect(try names() == ["old"] && text("old") == "new")
    }

    @Test func `a file that appears while another is written is not replaced`() async throws {
        let file = try await open("page", replaces: false)
        let reason = "\(path("page")) already exists and was left unchanged. To replace it add --replace, or choose another name."
        await #expect(throws: Obstacle(reason)) { try await file.write { _ in try self.make("page") } }
        #expect(try names() == ["page"] && text("page") == "mine")
    }

    @Test func `a draft does not take a name that was taken a moment ago`() throws {
        let draft = try OutputDraft(for: path("page"))
        try make("page")
        #expect(try !draft.publish(as: path("page"), replaces: false))
        draft.discard()
        #expect(try names() == ["page"] && text("page") == "mine")
    }

    @Test func `a database that appears while a file is written is not replaced either`() async throws {
        try make("page")
        let file = try await open("page")
        await #expect(throws: Obstacle.self) { try await file.write { _ in try self.make("page", "SQLite format 3\u{0} and more") } }
        #expect(try names() == ["page"] && text("page").hasPrefix("SQLite"))
    }

    @Test func `the diary in use is known while it is still empty, through links and by every name`() async throws {
        try make("diary.db", "")
        try make("diary.db-journal", "")
        try FileManager.default.linkItem(atPath: path("diary.db"), toPath: path("hard"))
        try link("soft", to: "diary.db")
        for diary in ["diary.db", "soft", "hard"] {
            for name in ["diary.db", "soft", "hard", "hard-wal", "diary.db-shm"] {
                await #expect(throws: Obstacle.self, "\(name)") { try await open(name, diary: diary) }
            }
        }
        await #expect(throws: Obstacle.self) { try await open("diary.db-journal", diary: "soft") }
        #expect(try names() == ["diary.db", "diary.db-journal", "hard", "soft"] && text("diary.db").isEmpty)
    }

    #if os(Linux)
        @Test func `a look at the diary in use does not end the locks that SQLite has on it`() async throws {
            try make("diary.db")
            let descriptor = Foundation.open(path("diary.db"), O_RDWR)
            defer { close(descriptor) }
            var lock = flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 0, l_len: 1, l_pid: 0)
            try #require(fcntl(descriptor, F_SETLK, &lock) == 0)
            for name in ["diary.db", "diary.db-wal", "diary.db-shm"] {
                await #expect(throws: Obstacle.self) { try await open(name, diary: "diary.db") }
            }
            // Locks of an open file description conflict with those of the process. F_OFD_GETLK (fcntl.h), which Swift doesn't import.
            lock.l_pid = 0
            try #require(fcntl(descriptor, 36, &lock) == 0)
            #expect(lock.l_type == Int16(F_WRLCK))
        }
    #endif

    @Test func `drafts that killed processes left a day ago are removed, and nothing else is`() async throws {
        let (old, recent) = ("food-diary-\(UUID().uuidString).part", "food-diary-\(UUID().uuidString).part")
        for name in [old, recent, "food-diary-mine.part"] { try make(name) }
        for name in [old, "food-diary-mine.part"] {
            try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -100_000)], ofItemAtPath: path(name))
        }
        try await write("page")
        #expect(try Set(names()) == [recent, "food-diary-mine.part", "page"])
    }

    @Test(.enabled(if: getuid() != 0, "the system lets its administrator write everywhere"))
    func `a folder and a file that may only be read are named`() async throws {
        try make("old")
        chmod(path("old"), 0o444)
        await #expect(throws: Obstacle("\(path("old")) is read-only. It was left unchanged; choose another file, or make it writable.")) {
            try await write("old")
        }
        chmod(folder, 0o555)
        defer { chmod(folder, 0o755) }
        await #expect(throws: Obstacle("You can't create files in \(folder)/: Permission denied. Choose another folder.")) {
            try await write("new")
        }
    }

    @Test func `a name may be as long as the system allows`() async throws {
        let name = String(repeating: "a", count: 255)
        try await write(name)
        #expect(try names() == [name])
    }
}
