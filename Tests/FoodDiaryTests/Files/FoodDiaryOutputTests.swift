import Foundation
import QueryKit
import TestSupport
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite
@testable import QueryKitSQLite

/// A file that is written under a temporary name and then moved into place.
struct FoodDiaryOutputTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func path(_ name: String) -> String { folder.path(name) }

    private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() }

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

    private func output(_ name: String) -> FoodDiaryOutput { FoodDiaryOutput(URL(fileURLWithPath: path(name))) }

    private func write(_ name: String, replacing: Bool = true) async throws {
        try await output(name).write(replacing: replacing) { write in
            try write(Data("new".utf8))
            try write(Data(" text".utf8))
        }
    }

    private func error(_ message: String, _ code: FoodDiaryError.Code = .file) -> FoodDiaryError { FoodDiaryError(code, message) }

    @Test func `a new file can be read only by its user, and a replaced file keeps its permissions`() async throws {
        try await write("new")
        #expect(try mode("new") == 0o600 && text("new") == "new text")
        try make("old")
        chmod(path("old"), 0o640)
        try await write("old")
        #expect(try mode("old") == 0o640 && text("old") == "new text" && names() == ["new", "old"])
    }

    @Test func `a symbolic link is kept, and its target is replaced or created`() async throws {
        try FileManager.default.createDirectory(atPath: path("folder"), withIntermediateDirectories: false)
        try make("folder/old")
        try link("first", to: "second")
        try link("second", to: "folder/old")
        try link("free", to: path("folder/new"))
        try await write("first")
        try await write("free", replacing: false)
        #expect(try text("folder/old") == "new text" && text("folder/new") == "new text")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path("first")) == "second")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path("free")) == path("folder/new"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: path("folder")).sorted() == ["new", "old"])
    }

    @Test func `links that lead nowhere are refused`() async throws {
        try link("a", to: "b")
        try link("b", to: "a")
        await #expect(
            throws: error(
                "\(path("a")) is a symbolic link that points to itself. Nothing was written; remove the link, or choose another file."
            )
        ) { try await write("a") }
        try link("lost", to: "none/at/all")
        await #expect(throws: error("There is no folder \(path("none/at/")). Nothing was written; create it, or choose another folder.")) {
            try await write("lost")
        }
        await #expect(throws: error("\(path("c/")) names a folder that doesn't exist. Nothing was written; choose a file.")) {
            try await write("c/")
        }
        #expect(try names() == ["a", "b", "lost"])
    }

    @Test func `a failure keeps the old file and leaves no draft`() async throws {
        struct Failed: Error {}
        try make("old")
        for name in ["old", "new"] {
            await #expect(throws: Failed.self) {
                try await output(name).write(replacing: true) { write in
                    try write(Data("half".utf8))
                    throw Failed()
                }
            }
        }
        #expect(try names() == ["old"] && text("old") == "mine")
    }

    @Test func `a cancelled write keeps the old file and leaves no draft`() async throws {
        try make("old")
        let task = Task {
            try await output("old").write(replacing: true) { write in
                try write(Data("all of it".utf8))
                withUnsafeCurrentTask { $0?.cancel() }
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try names() == ["old"] && text("old") == "mine")
    }

    @Test func `a late write fails, and does not reach a file that has reused the descriptor`() async throws {
        let late = Lock<(@Sendable (Data) throws -> Void)?>(nil)
        try await output("page").write { write in
            try write(Data("new".utf8))
            late.withLock { $0 = write }
        }
        try make("other")
        try await withOpen("other") { _ in
            #expect(throws: error("\(path("page")) can't be written any more: call write before the closure returns.", .invalid)) {
                try late.withLock(\.self)?(Data("late".utf8))
            }
        }
        #expect(try text("page") == "new" && text("other") == "mine")
    }

    @Test func `the old file is complete until the new one is fully written`() async throws {
        try make("old")
        try await output("old").write(replacing: true) { write in
            try write(Data("new".utf8))
            #expect(try self.text("old") == "mine" && self.names().count == 2)
        }
        #expect(try names() == ["old"] && text("old") == "new")
    }

    @Test func `a file that appears while another is being written is not replaced`() async throws {
        let reason = "\(path("page")) already exists and was left unchanged. Choose another name, or allow replacing it."
        await #expect(throws: error(reason)) { try await output("page").write { _ in try make("page") } }
        #expect(try names() == ["page"] && text("page") == "mine")
    }

    @Test func `a draft does not take a name that was taken a moment ago`() throws {
        let draft = try OutputDraft(for: path("page"))
        try make("page")
        #expect(try !draft.publish(as: path("page"), replaces: false))
        draft.discard()
        #expect(try names() == ["page"] && text("page") == "mine")
    }

    @Test func `a database that appears while a file is being written is not replaced either`() async throws {
        try make("page")
        await #expect(throws: error("\(path("page")) is an SQLite database. It was left unchanged; choose another file.")) {
            try await output("page").write(replacing: true) { _ in try make("page", "SQLite format 3\u{0} and more") }
        }
        #expect(try names() == ["page"] && text("page").hasPrefix("SQLite"))
    }

    @Test func `an app can ask what would be replaced before it writes`() throws {
        #expect(try !output("page").wouldReplace())
        try make("page")
        #expect(try output("page").wouldReplace())
        try make("diary.db", "SQLite format 3\u{0} and more")
        #expect(throws: error("\(path("diary.db")) is an SQLite database. It was left unchanged; choose another file.")) {
            try output("diary.db").wouldReplace()
        }
        #expect(throws: error("\(folder.url.path) is a folder. Nothing was written; choose a file in it.")) {
            try FoodDiaryOutput(URL(filePath: folder.url.path, directoryHint: .notDirectory)).wouldReplace()
        }
    }

    /// Runs work while a file is open, as SQLite has a database open.
    private func withOpen(_ name: String, _ flags: Int32 = O_RDWR, _ work: (_ descriptor: Int32) async throws -> Void) async throws {
        let descriptor = Foundation.open(path(name), flags)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        try await work(descriptor)
    }

    @Test func `a database in use is recognized while still empty, through links and under every name`() async throws {
        try make("diary.db", "")
        try make("diary.db-journal", "")
        try FileManager.default.linkItem(atPath: path("diary.db"), toPath: path("hard"))
        try link("soft", to: "diary.db")
        try await withOpen("diary.db") { _ in
            for name in ["diary.db", "soft", "hard", "hard-wal", "diary.db-shm", "diary.db-journal"] {
                #expect(throws: FoodDiaryError.self, "\(name)") { try output(name).wouldReplace() }
                await #expect(throws: FoodDiaryError.self, "\(name)") { try await write(name) }
            }
        }
        #expect(try names() == ["diary.db", "diary.db-journal", "hard", "soft"] && text("diary.db").isEmpty)
    }

    @Test func `a text that this process only reads can be replaced`() async throws {
        try make("old")
        try await withOpen("old", O_RDONLY) { _ in try await write("old") }
        #expect(try text("old") == "new text")
    }

    #if os(Linux)
        @Test func `inspecting a database in use does not release its locks`() async throws {
            for text in ["", "SQLite format 3\u{0}", "encrypted"] {
                try make("diary.db", text)
                try await withOpen("diary.db") { descriptor in
                    var lock = flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 0, l_len: 1, l_pid: 0)
                    try #require(fcntl(descriptor, F_SETLK, &lock) == 0)
                    for name in ["diary.db", "diary.db-wal", "diary.db-shm"] {
                        #expect(throws: FoodDiaryError.self, "\(name)") { try output(name).wouldReplace() }
                    }
                    #expect(FileSearch().reasonNotToRead(path("diary.db")) != nil)
                    // Open file description locks conflict with the process's own. F_OFD_GETLK (fcntl.h), which Swift doesn't import.
                    lock.l_pid = 0
                    try #require(fcntl(descriptor, 36, &lock) == 0)
                    #expect(lock.l_type == Int16(F_WRLCK), "\(text)")
                }
            }
        }

        @Test func `inspecting a database keeps it open, with one descriptor`() throws {
            try make("other.db", "SQLite format 3\u{0} and more")
            try make("page")
            for name in ["other.db", "other.db", "other.db-wal", "page"] { _ = try? output(name).wouldReplace() }
            func count(_ name: String) -> Int {
                let links = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
                let open = (links ?? []).compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
                return open.filter { $0 == path(name) }.count
            }
            #expect(count("other.db") == 1 && count("page") == 0)
        }
    #endif

    @Test func `drafts left by killed processes a day ago are removed, and nothing else is`() async throws {
        let (old, recent) = ("food-diary-\(UUID().uuidString).part", "food-diary-\(UUID().uuidString).part")
        for name in [old, recent, "food-diary-mine.part"] { try make(name) }
        for name in [old, "food-diary-mine.part"] {
            try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -100_000)], ofItemAtPath: path(name))
        }
        try await write("page")
        #expect(try Set(names()) == [recent, "food-diary-mine.part", "page"])
    }

    @Test(.enabled(if: getuid() != 0, "root may read and write everything"))
    func `the error for a read-only folder or file has its path`() async throws {
        try make("old")
        chmod(path("old"), 0o444)
        await #expect(throws: error("\(path("old")) is read-only. It was left unchanged; choose another file, or make it writable.")) {
            try await write("old")
        }
        chmod(folder.url.path, 0o555)
        defer { chmod(folder.url.path, 0o755) }
        await #expect(throws: error("You can't create files in \(folder.url.path)/: Permission denied. Choose another folder.")) {
            try await write("new")
        }
    }

    @Test func `the error for a draft that can't get its final name has that name`() throws {
        let target = path(String(repeating: "a", count: 256))
        let draft = try OutputDraft(for: target)
        let reason = String(cString: strerror(ENAMETOOLONG))
        #expect(throws: error("\(target) can't be written: \(reason). What was there is unchanged; choose another file.")) {
            try draft.publish(as: target, replaces: true)
        }
        draft.discard()
        #expect(try names().isEmpty)
    }

    @Test func `a file name can be as long as the system allows`() async throws {
        let name = String(repeating: "a", count: 255)
        try await write(name)
        #expect(try names() == [name])
    }

    @Test(arguments: [ENOSPC, EDQUOT, EACCES, EIO])
    func `an error of the system while a file is written has the path and says what to do`(_ number: Int32) {
        let reason = String(cString: strerror(number))
        let message =
            number == ENOSPC || number == EDQUOT
            ? "The disk is full: plan.csv was not written. Make room, and try again."
            : "plan.csv can't be written: \(reason). What was there is unchanged; choose another file."
        #expect("\(OutputDraft.failure("plan.csv", number))" == message)
    }
}
