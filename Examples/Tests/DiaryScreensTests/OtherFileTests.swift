import FoodDiarySQLite
import Foundation
import QueryKitSQLite
import Testing

/// Files that are not diaries, and diaries that hardly look like one, opened by the program in a separate process.
@Suite(.timeLimit(.minutes(5)), .serialized) struct OtherFileTests {
    private let folder: CommandFolder

    init() throws { folder = try CommandFolder() }

    private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() }

    /// A file that begins like a picture and contains noise.
    private func makePicture() throws -> (file: URL, bytes: Data) {
        var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]
        var state: UInt64 = 7
        for _ in 0..<40_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1
            bytes.append(UInt8(truncatingIfNeeded: state >> 33))
        }
        let file = folder.url.appending(path: "q.png")
        try Data(bytes).write(to: file)
        return (file, Data(bytes))
    }

    /// A database with a table that a diary doesn't have.
    private func makeNotes() async throws -> (file: URL, bytes: Data) {
        let file = folder.url.appending(path: "notes.db")
        let database = try await SQLiteDatabase.open(.file(file), migrations: [.init("notes", "CREATE TABLE notes (text TEXT)")])
        await database.close()
        return (file, try Data(contentsOf: file))
    }

    @Test(arguments: [["today"], ["doctor"], ["log", "cake", "100g", "--kcal", "300"]])
    func `D9 a picture given as the diary is refused without advice that would replace it`(words: [String]) throws {
        let picture = try makePicture()
        let outcome = try folder.run(words + ["--db", "q.png"])
        #expect(outcome.code == 1)
        #expect(outcome.remarks == "\(picture.file.path) is not an SQLite database, and was left unchanged. Choose another file.\n")
        #expect(try Data(contentsOf: picture.file) == picture.bytes && names() == ["q.png"])
    }

    @Test func `D9 a repair refuses a picture and changes nothing, and a forced one keeps it under another name`() throws {
        let picture = try makePicture()
        let refused = try folder.run("doctor", "--repair", "--db", "q.png")
        #expect(refused.code == 1 && refused.output.isEmpty)
        #expect(
            refused.remarks == """
                \(picture.file.path) is not an SQLite database, and was left unchanged. Choose another file.
                If it was a diary, keep the file under another name and save what can be read: food-diary doctor --repair --force

                """
        )
        #expect(try Data(contentsOf: picture.file) == picture.bytes && names() == ["q.png"])
        let forced = try folder.run("doctor", "--repair", "--force", "--db", "q.png")
        #expect(forced.remarks.contains("q.png.damaged-") && forced.remarks.contains("an empty diary was created"), "\(forced)")
        let kept = try #require(try names().first { $0.hasPrefix("q.png.damaged-") })
        #expect(try Data(contentsOf: folder.url.appending(path: kept)) == picture.bytes)
    }

    @Test(arguments: [[], ["--force"]])
    func `D9 a repair refuses the database of another program, forced or not, and changes nothing`(options: [String]) async throws {
        let notes = try await makeNotes()
        let outcome = try folder.run(["doctor", "--repair", "--db", "notes.db"] + options)
        #expect(outcome.code == 1 && outcome.output.isEmpty)
        #expect(outcome.remarks == "\(notes.file.path) is the database of another program, and was left unchanged. Choose another file.\n")
        #expect(try Data(contentsOf: notes.file) == notes.bytes && names() == ["notes.db"])
    }

    @Test(arguments: [16, 100])
    func `D9 a diary whose first bytes are zeros is repaired without being forced`(count: Int) throws {
        #expect(try folder.run("log", "cake", "100g", "--kcal", "300").code == 0)
        let handle = try FileHandle(forUpdating: folder.url.appending(path: "diary.db"))
        try handle.write(contentsOf: Data(count: count))
        try handle.close()
        let repaired = try folder.run("doctor", "--repair")
        #expect(repaired.code == 0 && repaired.remarks.contains("diary.db.damaged-"), "\(repaired)")
        #expect(try folder.run("today", "--json").output.contains("\"cake\""))
    }

    @Test func `D9 a diary whose list of migrations doesn't match is refused, and repaired without being forced`() async throws {
        #expect(try folder.run("log", "cake", "100g", "--kcal", "300").code == 0)
        let file = folder.url.appending(path: "diary.db")
        let database = try await SQLiteDatabase.openFoodDiary(.file(file))
        try await database.write { db in try db.execute("UPDATE querykit_migrations SET checksum = 7 WHERE position = 2") }
        await database.close()
        #expect(try folder.run("today").code == 1)
        let repaired = try folder.run("doctor", "--repair")
        #expect(repaired.code == 0, "\(repaired)")
        #expect(try folder.run("today", "--json").output.contains("\"cake\""))
    }

    @Test func `force without a repair is a wrong call`() throws {
        let outcome = try folder.run("doctor", "--force")
        #expect(outcome.code == 2 && outcome.remarks == "--force needs --repair; such as: food-diary doctor --repair --force\n")
    }
}
