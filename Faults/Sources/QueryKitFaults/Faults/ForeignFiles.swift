import FoodDiarySQLite
import Foundation
import QueryKitSQLite

/// Files of other programs: opening them is refused, and neither their contents nor their names change.
enum ForeignFiles {
    static func run(_ trial: Trial) async throws {
        let noise = trial.dice.bytes(60_000)
        var kinds: [(name: String, bytes: [UInt8])] = [
            ("picture.png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] + noise), ("photo.jpg", [0xff, 0xd8, 0xff, 0xe0] + noise),
            ("archive.zip", Array("PK\u{3}\u{4}".utf8) + noise), ("letter.txt", Array(String(repeating: "Dear diary. ", count: 900).utf8)),
            ("page.pdf", Array("%PDF-1.7\n".utf8) + noise), ("list.json", Array("{\"entries\": []}".utf8)), ("two.bin", [7, 8]),
            ("sound.wav", Array("RIFF".utf8) + noise), ("zeros.bin", Array(repeating: 0, count: 20_000)),
        ]
        for (name, statements) in [
            ("notes.sqlite", "CREATE TABLE notes (id INTEGER PRIMARY KEY, text); INSERT INTO notes (text) VALUES ('a')"),
            ("entries.sqlite", "CREATE TABLE entries (id INTEGER PRIMARY KEY, name); CREATE TABLE ingredients (id INTEGER PRIMARY KEY)"),
            ("log.sqlite", "PRAGMA journal_mode = wal; CREATE TABLE notes (id INTEGER PRIMARY KEY)"),
        ] {
            let url = trial.file(name)
            guard SQLiteTool.run(statements, on: url) != nil, let data = try? Data(contentsOf: url) else { continue }
            try FileManager.default.removeItem(at: url)
            kinds.append((name, Array(data)))
        }
        var changed = 0
        for (name, bytes) in kinds {
            let folder = trial.file("folder of \(name)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let url = folder.appending(path: name)
            try Data(bytes).write(to: url)
            await trial.expectError([.notADatabase], saying: "was left unchanged", name) {
                let database = try await SQLiteDatabase.openFoodDiary(.file(url))
                await database.close()
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
            let isSame = (try? Data(contentsOf: url)) == Data(bytes) && names == [name]
            if !isSame { changed += 1 }
            trial.check(isSame, "\(name) was changed, or has unexpected files beside it: \(names)")
        }
        trial.note("\(kinds.count) kinds of files, \(changed) changed")
    }
}
