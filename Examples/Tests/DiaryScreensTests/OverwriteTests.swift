import FoodDiaryKit
import FoodDiarySQLite
import Foundation
import QueryKitSQLite
import Testing

/// The commands that write a file, called with files that must not be replaced.
@Suite(.timeLimit(.minutes(5)), .serialized) struct OverwriteTests {
    private let folder: CommandFolder

    init() throws {
        folder = try CommandFolder()
        try #require(try folder.run("log", "cake", "100g", "--kcal", "300").code == 0)
    }

    /// Each command that writes a file chosen by the caller.
    enum Writing: String, CaseIterable {
        case report, export

        func words(_ file: String) -> [String] {
            switch self {
            case .report: ["report", "--html", file]
            case .export: ["export", file, "--kind", "entries", "--format", "csv"]
            }
        }
    }

    private func path(_ name: String) -> String { folder.url.appending(path: name).path }

    /// The contents of the folder, without the files that SQLite keeps beside the diary.
    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter { !$0.hasPrefix("diary.db-") }.sorted()
    }

    /// The identity of a file, determined without opening it, because closing a file releases the locks that this process has on it.
    private func fingerprint(_ name: String) throws -> [String] {
        var entry = stat()
        try #require(lstat(path(name), &entry) == 0)
        return ["\(entry.st_ino)", "\(entry.st_mode)"]
    }

    private func diaryIsWhole() throws -> Bool { try folder.run("today", "--json").output.contains("\"cake\"") }

    @Test(arguments: Writing.allCases) func `the diary in use is never replaced`(writing: Writing) throws {
        for (name, prepare) in [
            ("diary.db", {}),
            ("hard.db", { try FileManager.default.linkItem(atPath: path("diary.db"), toPath: path("hard.db")) }),
            ("link.html", { try FileManager.default.createSymbolicLink(atPath: path("link.html"), withDestinationPath: "diary.db") }),
        ] as [(String, () throws -> Void)] {
            try prepare()
            let before = try fingerprint(name)
            let outcome = try folder.run(writing.words(name) + ["--replace"])
            #expect(outcome.code == 1 && outcome.remarks.contains("SQLite database"), "\(name): \(outcome)")
            #expect(try fingerprint(name) == before && diaryIsWhole(), "\(name)")
        }
        #expect(try names() == ["diary.db", "hard.db", "link.html"])
    }

    @Test(arguments: Writing.allCases) func `the companion files of the diary are not replaced while another process has it open`(
        writing: Writing
    ) async throws {
        let diary = try await SQLiteDatabase.openFoodDiary(.file(folder.url.appending(path: "diary.db")))
        _ = try await FoodDiaryRepositories(diary).ingredients.save(
            .init(name: "Marzipan", nutrients: Nutrients(kilocalories: 450)),
            as: nil,
            correctingHistory: false
        )
        for name in ["diary.db-wal", "diary.db-shm"] {
            let before = try fingerprint(name)
            let outcome = try folder.run(writing.words(name) + ["--replace"])
            #expect(outcome.code == 1 && outcome.remarks.contains("SQLite database"), "\(name): \(outcome)")
            #expect(try fingerprint(name) == before, "\(name)")
        }
        #expect(try folder.run(writing.words("diary.db-journal")).code == 1)
        await diary.close()
        #expect(try diaryIsWhole() && folder.run("search", "marzipan").output.contains("Marzipan"))
        #expect(try names() == ["diary.db"])
    }

    @Test(arguments: Writing.allCases) func `another diary and its companion files are not replaced`(writing: Writing)
        async throws
    {
        let other = try await SQLiteDatabase.openFoodDiary(.file(folder.url.appending(path: "other.db")))
        for name in ["other.db", "other.db-wal", "other.db-shm"] {
            let before = try fingerprint(name)
            let outcome = try folder.run(writing.words(name) + ["--replace"])
            #expect(outcome.code == 1 && outcome.remarks.contains("SQLite database"), "\(name): \(outcome)")
            #expect(try fingerprint(name) == before, "\(name)")
        }
        await other.close()
        #expect(try folder.run("doctor", "--db", path("other.db")).code == 0)
    }

    @Test(arguments: Writing.allCases) func `folders, pipes and devices are not replaced`(writing: Writing) throws {
        try FileManager.default.createDirectory(atPath: path("folder"), withIntermediateDirectories: false)
        try #require(mkfifo(path("pipe"), 0o600) == 0)
        try FileManager.default.createSymbolicLink(atPath: path("device"), withDestinationPath: "/dev/null")
        for (name, kind) in [("folder", "a folder"), ("pipe", "a pipe"), ("device", "a device")] {
            let before = try fingerprint(name)
            let outcome = try folder.run(writing.words(name) + ["--replace"])
            #expect(outcome.code == 1 && outcome.remarks.contains(kind), "\(name): \(outcome)")
            #expect(try fingerprint(name) == before, "\(name)")
        }
        #expect(try names() == ["device", "diary.db", "folder", "pipe"])
    }

    @Test(arguments: Writing.allCases) func `an existing file is replaced only with --replace or after a confirmation`(
        writing: Writing
    ) throws {
        func text() throws -> String { try String(contentsOfFile: path("mine"), encoding: .utf8) }
        try "mine".write(toFile: path("mine"), atomically: true, encoding: .utf8)
        let refused = try folder.run(writing.words("mine"))
        #expect(refused.code == 1 && refused.remarks.contains("\(path("mine")) already exists") && refused.remarks.contains("--replace"))
        #expect(try folder.run(writing.words("mine"), answer: "n\n").code == 1)
        #expect(try text() == "mine")

        #expect(try folder.run(writing.words("mine"), answer: "y\n").code == 0)
        #expect(try text() != "mine")
        try "mine".write(toFile: path("mine"), atomically: true, encoding: .utf8)
        #expect(try folder.run(writing.words("mine") + ["--replace"]).code == 0)
        #expect(try text() != "mine" && names() == ["diary.db", "mine"])
    }

    @Test func `a diary is refused as a file to import`() throws {
        try #require(try folder.run("today", "--db", path("other.db")).code == 0)
        for name in ["diary.db", "other.db"] {
            let outcome = try folder.run("import", name, "--kind", "entries", "--format", "csv")
            #expect(outcome.code == 1 && outcome.remarks.hasPrefix("\(path(name)) belongs to a diary or another database"), "\(outcome)")
        }
    }

    @Test func `a report with a dash as its file is written to standard output`() throws {
        let outcome = try folder.run("report", "--html", "-")
        #expect(outcome.code == 0 && outcome.output.hasPrefix("<!DOCTYPE html>") && outcome.output.hasSuffix("</html>\n"))
        #expect(try folder.run("report", "--html", "-", "--json").code == 2)
        #expect(try names() == ["diary.db"])
    }
}
