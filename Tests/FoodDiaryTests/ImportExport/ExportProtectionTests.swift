import Foundation
import TestSupport
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite
@testable import QueryKitSQLite

/// Exports that may replace a file, aimed at files that they must not replace.
struct ExportProtectionTests {
    private let folder: TemporaryFolder
    private let diary = InMemoryFoodDiary()

    init() throws { folder = try TemporaryFolder() }

    /// Each call that writes a file chosen by the caller.
    enum Export: CaseIterable {
        case entries, ingredients
    }

    private func path(_ name: String) -> String { folder.path(name) }

    /// Exports over an existing file, and returns the reason why that was refused.
    private func refusal(_ export: Export, _ name: String) async throws -> String? {
        do {
            try await write(export, name)
            return nil
        } catch let error as FoodDiaryError {
            #expect(error.code == .file)
            return error.message
        }
    }

    private func write(_ export: Export, _ name: String) async throws {
        let file = try FoodDiaryFile(folder.file(name), format: .csv)
        switch export {
        case .entries: try await file.exportEntries(of: diary, ingredients: diary, replacing: true)
        case .ingredients: try await file.exportIngredients(of: diary, replacing: true)
        }
    }

    /// The contents of the folder, read without opening a file that may be an open database: closing it would release this process's locks.
    private func contents() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted().map { name in
            var entry = stat()
            try #require(lstat(path(name), &entry) == 0)
            return "\(name) \(entry.st_ino) \(entry.st_mode) \(entry.st_size)"
        }
    }

    private func bytes(_ name: String) throws -> Data { try Data(contentsOf: folder.file(name)) }

    private func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: path(name), withDestinationPath: target)
    }

    /// Opens a diary and saves an ingredient in it, so that its log isn't empty.
    private func openDiary(_ name: String) async throws -> SQLiteDatabase {
        let database = try await SQLiteDatabase.openFoodDiary(.file(folder.file(name)))
        _ = try await FoodDiaryRepositories(database).ingredients.save(
            Ingredient.Draft(name: "Marzipan", nutrients: Nutrients(kilocalories: 450)),
            as: nil,
            correctingHistory: false
        )
        return database
    }

    private func closedDiary(_ name: String) async throws { await (try await openDiary(name)).close() }

    @Test(arguments: Export.allCases) func `the diary in use and SQLite's files beside it are not replaced`(export: Export) async throws {
        let database = try await openDiary("diary.db")
        try FileManager.default.linkItem(atPath: path("diary.db"), toPath: path("hard.csv"))
        try link("soft.csv", to: "diary.db")
        let before = try contents()
        try #require(before.contains { $0.hasPrefix("diary.db-wal") } && before.contains { $0.hasPrefix("diary.db-shm") })
        for name in ["diary.db", "diary.db-wal", "diary.db-shm", "diary.db-journal", "hard.csv", "soft.csv"] {
            #expect(try await refusal(export, name)?.contains("SQLite") == true, "\(name)")
            #expect(try contents() == before, "\(name)")
        }
        #expect(try await FoodDiaryRepositories(database).ingredients.ingredients(after: nil, limit: 9).map(\.name) == ["Marzipan"])
        await database.close()
    }

    @Test(arguments: Export.allCases) func `another database is not replaced, not even through a link`(export: Export) async throws {
        try await closedDiary("other.db")
        try link("page.csv", to: "second")
        try link("second", to: path("other.db"))
        for ending in ["-wal", "-shm", "-journal"] { try Data("not empty".utf8).write(to: folder.file("other.db" + ending)) }
        let (before, bytes) = (try contents(), try bytes("other.db"))
        for name in ["other.db", "page.csv", "second"] {
            #expect(try await refusal(export, name)?.contains("is an SQLite database") == true, "\(name)")
            #expect(try contents() == before && self.bytes("other.db") == bytes, "\(name)")
        }
        for name in ["other.db-wal", "other.db-shm", "other.db-journal"] {
            #expect(try await refusal(export, name)?.contains("belongs to an SQLite database") == true, "\(name)")
            #expect(try contents() == before && self.bytes(name) == Data("not empty".utf8), "\(name)")
        }
    }

    @Test(arguments: Export.allCases) func `the log of a deleted database is not replaced`(export: Export) async throws {
        for head: [UInt8] in [[0x37, 0x7F, 6, 0x82], [0x37, 0x7F, 6, 0x83], [0xD9, 0xD5, 5, 0xF9, 0x20, 0xA1, 0x63, 0xD7]] {
            try Data(head + [1, 2, 3]).write(to: folder.file("a.csv"))
            let before = try contents()
            #expect(try await refusal(export, "a.csv")?.contains("belongs to an SQLite database") == true)
            #expect(try contents() == before && bytes("a.csv") == Data(head + [1, 2, 3]))
        }
    }

    @Test(arguments: Export.allCases) func `a database that appears while the export is being written is not replaced`(export: Export)
        async throws
    {
        let (target, database) = (folder.file("a.csv"), Data("SQLite format 3\u{0} and more".utf8))
        _ = try await diary.save(Ingredient.Draft(name: "Rice", nutrients: .zero), as: nil, correctingHistory: false)
        let file = try FoodDiaryFile(target)
        await #expect(throws: FoodDiaryError.self) {
            switch export {
            case .entries:
                let moment = FoodMoment(Date(timeIntervalSince1970: 1_795_246_200), in: .gmt)
                _ = try await diary.add([FoodEntry.Draft(name: "Cake", grams: 90, nutrients: .zero, at: moment)], key: nil)
                try await file.exportEntries(of: diary, ingredients: diary, replacing: true) { _ in try? database.write(to: target) }
            case .ingredients: try await file.exportIngredients(of: diary, replacing: true) { _ in try? database.write(to: target) }
            }
        }
        #expect(try bytes("a.csv") == database && contents().count == 1)
    }

    @Test(arguments: Export.allCases) func `folders, pipes and devices are not replaced`(export: Export) async throws {
        try FileManager.default.createDirectory(atPath: path("folder"), withIntermediateDirectories: false)
        try #require(mkfifo(path("pipe"), 0o600) == 0)
        try link("device", to: "/dev/null")
        try link("to folder", to: "folder")
        let before = try contents()
        for (name, kind) in [("folder", "a folder"), ("to folder", "a folder"), ("pipe", "a pipe"), ("device", "a device")] {
            #expect(try await refusal(export, name)?.contains(kind) == true, "\(name)")
            #expect(try contents() == before, "\(name)")
        }
        var entry = stat()
        #expect(stat("/dev/null", &entry) == 0 && entry.st_mode & S_IFMT == S_IFCHR)
    }

    @Test(arguments: Export.allCases) func `a link to a text file is kept, and its target is replaced`(export: Export) async throws {
        try FileManager.default.createDirectory(atPath: path("folder"), withIntermediateDirectories: false)
        try Data("mine".utf8).write(to: folder.file("folder/old.csv"))
        try link("a.csv", to: "folder/old.csv")
        try await write(export, "a.csv")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path("a.csv")) == "folder/old.csv")
        #expect(try String(decoding: bytes("folder/old.csv"), as: UTF8.self).contains("kilocalories"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: path("folder")) == ["old.csv"])
        #expect(try contents().count == 2)
    }

    @Test func `a file that this process is still writing is not replaced`() async throws {
        let descriptor = open(path("log.csv"), O_WRONLY | O_CREAT, 0o600)
        try #require(descriptor >= 0)
        let before = try contents()
        #expect(try await refusal(.entries, "log.csv")?.contains("writing") == true)
        #expect(try contents() == before)
        close(descriptor)
        #expect(try await refusal(.entries, "log.csv") == nil)
    }

    @Test func `a cancelled export keeps the old file`() async throws {
        try Data("mine".utf8).write(to: folder.file("a.csv"))
        let before = try contents()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await write(.ingredients, "a.csv")
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try contents() == before && bytes("a.csv") == Data("mine".utf8))
    }

    #if os(Linux)
        @Test func `neither an export nor an import releases SQLite's locks on a diary`() async throws {
            let database = try await openDiary("diary.db")
            try link("soft.csv", to: "diary.db")
            // Closed after the diary: closing any descriptor of a file releases the locks of the process.
            let (main, shared) = (open(path("diary.db"), O_RDONLY), open(path("diary.db-shm"), O_RDONLY))
            defer { for descriptor in [main, shared] { close(descriptor) } }
            try #require(Self.isLocked(main) && Self.isLocked(shared))
            for name in ["diary.db", "diary.db-wal", "diary.db-shm", "soft.csv"] {
                for export in Export.allCases { _ = try await refusal(export, name) }
                let file = try FoodDiaryFile(folder.file(name), format: .csv)
                for check in [{ _ = try await file.checkEntries(for: diary) }, { _ = try await file.importIngredients(into: diary) }] {
                    let error = await #expect(throws: FoodDiaryError.self, "\(name)") { try await check() }
                    #expect(error?.code == .file, "\(name)")
                }
                #expect(Self.isLocked(main) && Self.isLocked(shared), "\(name)")
            }
            await database.close()
        }

        /// Whether this process has a lock on a file, which conflicts with that of an open file description.
        private static func isLocked(_ descriptor: Int32) -> Bool {
            var lock = flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 0, l_len: 0, l_pid: 0)
            // F_OFD_GETLK (fcntl.h), which Swift doesn't import.
            return fcntl(descriptor, 36, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
        }
    #endif
}
