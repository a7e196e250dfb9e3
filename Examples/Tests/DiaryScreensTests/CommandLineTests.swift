import FoodDiaryKit
import FoodDiarySQLite
import Foundation
import QueryKitSQLite
import Testing

/// The program itself in a separate process, as a user or a script runs it.
@Suite(.timeLimit(.minutes(5)), .serialized) struct CommandLineTests {
    @Test func `the exit code is 0 for success, 2 for an invalid call and 1 for a failure`() throws {
        let folder = try CommandFolder()
        #expect(try folder.run("--help").code == 0)
        let wrong = try folder.run("tody")
        #expect(
            wrong.code == 2 && wrong.output.isEmpty && wrong.remarks == "There is no command \"tody\"; did you mean: food-diary today\n"
        )
        #expect(try folder.run("delete", "7", "--yes").code == 1)
        #expect(try folder.run("watch").code == 2)
        #expect(try folder.run("today", "--db", folder.url.appending(path: "nowhere/diary.db").path).code == 1)
    }

    @Test func `TZ may name a time zone in each usual form, and an unknown time zone is reported`() throws {
        let folder = try CommandFolder()
        func log(_ zone: String) throws -> CommandFolder.Outcome {
            try folder.run("log", "cake", "100g", "--kcal", "300", "--json", environment: ["TZ": zone])
        }
        for zone in ["Asia/Tokyo", ":Asia/Tokyo", "/usr/share/zoneinfo/Asia/Tokyo"] {
            #expect(try log(zone).output.contains("\"timeZone\" : \"Asia/Tokyo\""))
        }
        let unknown = try log("Nowhere/Land")
        #expect(unknown.code == 0 && unknown.remarks.hasPrefix("{\"note\":\"TZ=Nowhere/Land is not a known time zone"))
    }

    @Test func `output to a pipe has no escape sequences, unless colors are requested`() throws {
        let folder = try CommandFolder()
        _ = try folder.run("log", "cake", "100g", "--kcal", "300")
        #expect(try !folder.run("today").output.contains("\u{1B}"))
        #expect(try folder.run("today", "--color", "always").output.contains("\u{1B}"))
        #expect(try !folder.run("today", "--color", "never").output.contains("\u{1B}"))
    }

    @Test(
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "only Linux has a device on which every write fails"),
        arguments: [
            ["--help"], ["log", "--help"], ["completion", "bash"], ["today"], ["today", "--json"], ["export", "-", "--kind", "entries"],
            ["doctor"],
        ]
    )
    func `a command whose output can't be written fails`(words: [String]) throws {
        let folder = try CommandFolder()
        #expect(try folder.run("log", "cake", "100g", "--kcal", "300").code == 0)
        let outcome = try folder.run(words, to: "/dev/full")
        #expect(outcome.code == 1 && outcome.remarks.contains("The output can't be written to standard output: No space left on device."))
    }

    @Test func `without a chosen path a new diary is created in the data folder, readable only by its user`() throws {
        let folder = try CommandFolder()
        let data = folder.url.appending(path: "data")
        let began = try folder.run("today", environment: ["FOOD_DIARY_DB": "", "XDG_DATA_HOME": data.path])
        let file = data.appending(path: "food-diary/diary.db")
        #expect(began.code == 0 && began.remarks == "Created a new diary at \(file.path).\n")
        let attributes = try FileManager.default.attributesOfItem(atPath: file.deletingLastPathComponent().path)
        #expect(attributes[.posixPermissions] as? Int == 0o700)
    }

    @Test func `without a data folder a new diary is created in the home folder of the environment`() throws {
        let folder = try CommandFolder()
        let began = try folder.run("today", environment: ["FOOD_DIARY_DB": "", "XDG_DATA_HOME": "", "HOME": folder.url.path])
        let file = folder.url.appending(path: ".local/share/food-diary/diary.db")
        #expect(began.code == 0 && began.remarks == "Created a new diary at \(file.path).\n")
        #expect(FileManager.default.fileExists(atPath: file.path))
    }

    @Test func `an import accepts only days that can be logged, and an export contains all of them`() throws {
        let folder = try CommandFolder()
        func write(_ lines: String...) throws {
            try (["date,name,grams,kilocalories"] + lines).joined(separator: "\n")
                .write(to: folder.url.appending(path: "in.csv"), atomically: true, encoding: .utf8)
        }
        let tomorrow = FoodDay(.now, in: .gmt).advanced(by: 1)
        let days = ["1900-01-01", "2009-05-01", "2026-01-01", "\(tomorrow)"].map { "\($0)T08:00:00Z,cake,100,300" }
        for refused in ["1899-12-31", "0001-01-01", "\(tomorrow.advanced(by: 1))", "9999-12-31"] {
            try write(days[1], "\(refused)T08:00:00Z,cake,100,300")
            for words in [[], ["--dry-run"]] {
                let outcome = try folder.run(["import", "in.csv", "--kind", "entries"] + words, environment: ["TZ": "UTC"])
                let message = "line 3: date: \(refused) is too far away for a meal: use a day between 1900-01-01 and \(tomorrow)."
                let answer = (outcome.output + outcome.remarks).replacingOccurrences(of: "\n", with: " ")
                #expect(outcome.code == 1 && answer.contains(message), "\(outcome)")
            }
            let log = try folder.run("log", "cake", "100g", "--kcal", "300", "--at", "\(refused) 08:00", environment: ["TZ": "UTC"])
            #expect(log.code == 2 && log.remarks.contains("\(refused) is too far away for a meal"))
        }
        #expect(try folder.run("export", "-", "--kind", "entries").output.split(separator: "\r\n").count == 1)
        try write(days[0], days[1], days[2], days[3])
        #expect(try folder.run("import", "in.csv", "--kind", "entries", environment: ["TZ": "UTC"]).code == 0)
        for words in [[], ["--from", "1900-01-01"], ["--to", "\(tomorrow)"]] {
            let exported = try folder.run(["export", "-", "--kind", "entries"] + words, environment: ["TZ": "UTC"]).output
            #expect(exported.split(separator: "\r\n").dropFirst().map { $0.prefix(10) } == days.map { $0.prefix(10) }, "\(words)")
        }
    }

    @Test func `an export for spreadsheets contains no formulas, and other exports contain names unchanged`() throws {
        let folder = try CommandFolder()
        #expect(try folder.run("log", "=1+1 cake", "100g", "--kcal", "300").code == 0)
        let plain = try folder.run("export", "-", "--kind", "entries").output
        let safe = try folder.run("export", "-", "--kind", "entries", "--spreadsheet").output
        #expect(plain.contains(",=1+1 cake,") && safe == plain.replacingOccurrences(of: ",=1+1", with: ",'=1+1"))
        #expect(try folder.run("export", "a.csv", "--kind", "entries", "--spreadsheet").code == 0)
        #expect(try String(contentsOf: folder.url.appending(path: "a.csv"), encoding: .utf8) == safe)
    }

    @Test func `a file that is not a diary is refused and left unchanged`() async throws {
        let folder = try CommandFolder()
        let letter = folder.url.appending(path: "letter.txt")
        try "Dear diary, this is not a database.".write(to: letter, atomically: true, encoding: .utf8)
        let outcome = try folder.run("log", "cake", "100g", "--kcal", "300", "--db", letter.path)
        #expect(outcome.code == 1 && outcome.remarks.hasPrefix("\(letter.path) is not an SQLite database, and was left unchanged."))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["letter.txt"])

        let other = folder.url.appending(path: "other.db")
        let database = try await SQLiteDatabase.open(
            .file(other),
            migrations: [.init("notes", "CREATE TABLE notes (text TEXT)")]
        )
        await database.close()
        let second = try folder.run("today", "--db", other.path)
        #expect(second.code == 1 && second.remarks.hasPrefix("\(other.path) is the database of another program"))
        #expect(try Data(contentsOf: letter).count == 35)
    }

    @Test func `each command reports where the damaged file is, until the user acknowledges the recovery`() throws {
        let folder = try CommandFolder()
        let file = folder.url.appending(path: "diary.db")
        #expect(try folder.run("log", "cake", "100g", "--kcal", "300").code == 0)
        let handle = try FileHandle(forUpdating: file)
        // Behind the header that identifies a database.
        try handle.seek(toOffset: 16)
        try handle.write(contentsOf: Data(repeating: 0xFF, count: 8_000))
        try handle.close()
        // The log would repair the damage.
        try? FileManager.default.removeItem(atPath: file.path + "-wal")
        let first = try folder.run("today")
        #expect(
            first.code == 0 && first.remarks.contains("The diary's file was damaged") && first.remarks.contains("\(file.path).damaged-"),
            "\(first)"
        )
        let second = try folder.run("doctor")
        #expect(second.code == 0 && second.output.contains("Aside    damaged earlier: diary.db.damaged-"))
        // Each command reports it until the user acknowledges it.
        let script = try folder.run("today", "--json")
        #expect(script.output.contains("\"recoveries\"") && script.remarks.contains("{\"recovery\":{"))
        #expect(try folder.run("month").remarks.contains("The diary's file was damaged"))
        let known = try folder.run("doctor", "--acknowledge")
        #expect(known.code == 0 && known.output.contains("Saved rows: "))
        #expect(try folder.run("today").remarks.isEmpty)
        // The log is written back at the end of each command.
        #expect(!FileManager.default.fileExists(atPath: file.path + "-wal"))
    }

    @Test func `the doctor finds wrong totals and a wrong search index, and repairs them`() async throws {
        let folder = try CommandFolder()
        let file = folder.url.appending(path: "diary.db")
        #expect(try folder.run("log", "cake", "100g", "--kcal", "300", "--at", "2009-05-01 08:00").code == 0)
        #expect(try folder.run("log", "cake", "100g", "--kcal", "300").code == 0)
        let database = try await SQLiteDatabase.openFoodDiary(.file(file))
        _ = try await FoodDiaryRepositories(database).ingredients.save(
            .init(name: "Marzipan", nutrients: Nutrients(kilocalories: 450)),
            as: nil,
            correctingHistory: false
        )
        try await database.write { db in
            // The first of all days, and the complete search index.
            try db.execute("DELETE FROM daily_totals WHERE day = 20090501")
            try db.execute("DELETE FROM ingredient_names")
            try db.execute("INSERT INTO ingredient_search (ingredient_search) VALUES ('delete-all')")
        }
        await database.close()
        let ill = try folder.run("doctor")
        #expect(ill.code == 1 && ill.output.contains("Totals   wrong on 1 day;") && ill.output.contains("Search   wrong for 1 ingredient;"))
        #expect(ill.output.contains("2009-05-01"))
        #expect(try folder.run("search", "marzipan").output.contains("No ingredient is called"))
        let mended = try folder.run("doctor", "--repair")
        #expect(mended.code == 0 && mended.output.contains("Totals   was wrong on 1 day, rebuilt"), "\(mended)")
        #expect(mended.output.contains("Search   was wrong for 1 ingredient, rebuilt"))
        #expect(try folder.run("search", "marzipan").output.contains("Marzipan"))
        let well = try folder.run("doctor")
        #expect(well.code == 0 && well.output.contains("Totals   right\n") && well.output.contains("Search   right\n"))
    }

    @Test func `the demo shows each feature within its time limit, and leaves no files behind`() throws {
        let folder = try CommandFolder()
        let start = ContinuousClock.now
        let demo = try folder.run("demo")
        #expect(demo.code == 0 && demo.remarks.isEmpty, "\(demo.remarks)")
        #expect(ContinuousClock.now - start < .seconds(20), "ten seconds, doubled for a debug build on a busy machine")
        #expect(!demo.output.contains("\u{1B}"))
        #expect(demo.output.contains("because     this process "))
        let changes = demo.output.matches(of: /the screen  (?<energy>[0-9,]+) → (?<new>[0-9,]+) kcal, (?<count>\d+) → (?<more>\d+) entries/)
        #expect(changes.count == 2 && changes.allSatisfy { $0.energy != $0.new && $0.count != $0.more }, "total and entries change")
        #expect(demo.output.contains("because     another process wrote: entries"))
        #expect(demo.output.contains("30 from memory, 0 read again"))
        #expect(demo.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
    }

    @Test func `a demo whose output is no longer read ends, and leaves no files behind`() throws {
        let folder = try CommandFolder()
        let demo = try folder.run("demo", isRead: false)
        #expect(demo.code == 141 && demo.remarks.isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
    }

    @Test func `a command whose output pipe is closed still closes the diary`() throws {
        let folder = try CommandFolder()
        let log = try folder.run("log", "cake", "100g", "--kcal", "300", isRead: false)
        #expect(log.code == 141)
        // The last connection removes the log.
        #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "diary.db-wal").path))
        #expect(try folder.run("today", "--json").output.contains("cake"))
    }
}
