import Foundation
import SQLiteTestSupport
import Testing

@testable import QueryKitSQLite

/// What is recovered from a damaged file, and where the rest is kept.
struct RecoveryTests {
    private let folder: WatchedFolder
    private let url: URL
    private let sound: PantryPages

    init() async throws {
        folder = try WatchedFolder()
        url = URL(filePath: folder.path(of: "pantry.sqlite"))
        sound = PantryPages(bytes: try await Pantry.file())
    }

    private func open(
        _ bytes: [UInt8],
        _ migrations: SQLiteMigrations = Pantry.migrations,
        _ change: (inout SQLiteDatabase.Configuration) -> Void = { _ in }
    ) async throws -> SQLiteDatabase {
        try Data(bytes).write(to: url)
        var configuration = SQLiteDatabase.Configuration()
        configuration.check = .full
        change(&configuration)
        return try await SQLiteDatabase.open(.file(url), migrations: migrations, configuration: configuration)
    }

    private func leaves(of table: String) throws -> [Int] {
        try Data(sound.bytes).write(to: url)
        let leaves = sound.leaves(below: try Pantry.rootPage(of: table, in: url))
        try #require(leaves.count > 2)
        return leaves
    }

    private func recovery(_ database: SQLiteDatabase) throws -> SQLiteReport.Recovery {
        guard case .recovered(let recovery) = database.report.outcome else {
            throw SQLiteError(.error, "The outcome is \(database.report.outcome).")
        }
        return recovery
    }

    private func ids(_ table: SQL, _ database: SQLiteDatabase) async throws -> Set<Int> {
        try await database.read { db in Set(try db.values(Int.self, "SELECT id FROM \(table)")) }
    }

    @Test func `D9 a damaged index loses no row`() async throws {
        try Data(sound.bytes).write(to: url)
        var pages = sound
        pages.zero(try Pantry.rootPage(of: "food_name", in: url))
        let database = try await open(pages.bytes)
        let recovery = try recovery(database)
        #expect(recovery.rows == ["entries": 400, "food": 400, "notes": 400, "settings": 400])
        #expect(recovery.incomplete == [])
        #expect(try await database.integrityCheck() == [])
        #expect(try await database.read { db in try db.value(Int.self, "SELECT id FROM food WHERE name = 'food number 77'") } == 77)
    }

    @Test(arguments: [[0], [1], [-1], [0, 2], [0, 1, -1], [1, 2, 4, -2]])
    func `D9 of a damaged table only the rows on the damaged pages are lost`(_ indices: [Int]) async throws {
        let leaves = try leaves(of: "entries")
        var lost: Set<Int> = []
        var pages = sound
        for index in indices {
            let page = leaves[index < 0 ? leaves.count + index : index]
            pages.zero(page)
            lost.formUnion(Self.keys(on: page, of: sound))
        }
        try #require(lost.count >= indices.count)
        let database = try await open(pages.bytes)
        #expect(try recovery(database).incomplete == ["entries"])
        #expect(try await ids("entries", database) == Set(1...400).subtracting(lost))
        #expect(try await database.read { db in try db.value(Int.self, "SELECT count(*) FROM food") } == 400)
        // A key that was used once is not used again.
        let next = try await database.write { db in
            try db.execute("INSERT INTO entries (day) VALUES ('today')")
            return db.lastInsertedRowID
        }
        #expect(next == 401)
    }

    /// The keys of the rows on a leaf: each cell begins with two variable-length numbers, and the second one is the key.
    private static func keys(on page: Int, of pages: PantryPages) -> Set<Int> {
        let start = (page - 1) * PantryPages.size
        let count = Int(pages.bytes[start + 3]) << 8 | Int(pages.bytes[start + 4])
        return Set(
            (0..<count).map { cell in
                var offset = start + (Int(pages.bytes[start + 8 + 2 * cell]) << 8 | Int(pages.bytes[start + 9 + 2 * cell]))
                while pages.bytes[offset] & 0x80 != 0 { offset += 1 }
                offset += 1
                var key = 0
                while true {
                    key = key << 7 | Int(pages.bytes[offset] & 0x7f)
                    if pages.bytes[offset] & 0x80 == 0 { return key }
                    offset += 1
                }
            }
        )
    }

    @Test func `D9 the rows of a table without row ids are recovered from both ends`() async throws {
        try Data(sound.bytes).write(to: url)
        let root = try Pantry.rootPage(of: "settings", in: url)
        var pages = sound
        // An inner page of an index lists its children like one of a table, except for its type.
        pages.bytes[(root - 1) * PantryPages.size] = 5
        let leaves = pages.leaves(below: root)
        try #require(leaves.count > 2)
        pages = sound
        pages.zero(leaves[1])
        let database = try await open(pages.bytes)
        let recovery = try recovery(database)
        #expect(recovery.incomplete == ["settings"])
        let count = try #require(recovery.rows["settings"])
        #expect(count > 200 && count < 400)
        #expect(try await database.read { db in try db.value(String.self, "SELECT max(name) FROM settings") } == "setting 99")
    }

    @Test func `D9 the damaged file is kept unchanged beside the new one, readable only by its user`() async throws {
        var pages = sound
        pages.zero(4)
        let database = try await open(pages.bytes)
        let quarantine = try #require(try recovery(database).quarantine)
        #expect(quarantine.lastPathComponent.wholeMatch(of: /pantry\.sqlite\.damaged-\d{8}-\d{6}/) != nil)
        #expect(quarantine.deletingLastPathComponent().path == url.deletingLastPathComponent().path)
        #expect(Array(try Data(contentsOf: quarantine)) == pages.bytes)
        for path in [quarantine.path, url.path] {
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        }
        await database.close()
        #expect(try Set(FileManager.default.contentsOfDirectory(atPath: folder.path)) == ["pantry.sqlite", quarantine.lastPathComponent])
        // The same again, within the same second or not.
        let second = try await open(pages.bytes)
        #expect(try recovery(second).quarantine != quarantine)
        #expect(Array(try Data(contentsOf: quarantine)) == pages.bytes)
    }

    @Test func `D9 rows that only the log has are recovered, and the log is kept with the damaged file`() async throws {
        let first = try await open(sound.bytes)
        try await first.write { db in try db.execute("INSERT INTO notes (text) VALUES ('in the log')") }
        // As after a crash: the log is not written back.
        let log = try Data(contentsOf: URL(filePath: url.path + "-wal"))
        try #require(!log.isEmpty)
        await first.close()
        var pages = sound
        pages.zero(try leaves(of: "entries")[1])
        try log.write(to: URL(filePath: url.path + "-wal"))
        let database = try await open(pages.bytes)
        let quarantine = try #require(try recovery(database).quarantine)
        #expect(try await database.read { db in try db.value(Int.self, "SELECT count(*) FROM notes WHERE text = 'in the log'") } == 1)
        #expect(try Data(contentsOf: URL(filePath: quarantine.path + "-wal")) == log)
        #expect(Array(try Data(contentsOf: quarantine)) == pages.bytes)
        #expect(try await database.integrityCheck() == [])
    }

    @Test(arguments: [true, false])
    func `D9 the log of an empty or missing file is not deleted, and its rows are recovered`(_ isThere: Bool) async throws {
        let first = try await SQLiteDatabase.open(.file(url), migrations: Pantry.migrations)
        // Otherwise the log would be written back for the mark and contain only some of the rows.
        try await first.core.lanes.perform(.write) { connection, _ in connection.isMarkedInUse = true }
        try await Pantry.fill(first, count: 20)
        let log = try Data(contentsOf: URL(filePath: url.path + "-wal"))
        await first.close()
        try FileManager.default.removeItem(at: url)
        try log.write(to: URL(filePath: url.path + "-wal"))
        if isThere { try Data().write(to: url) }
        let database = try await SQLiteDatabase.open(.file(url), migrations: Pantry.migrations)
        let recovery = try recovery(database)
        #expect(recovery.rows["entries"] == 20)
        #expect(try Data(contentsOf: URL(filePath: try #require(recovery.quarantine).path + "-wal")) == log)
    }

    @Test func `D9 a file with wrong first bytes loses no row`() async throws {
        var bytes = sound.bytes
        bytes.replaceSubrange(0..<16, with: repeatElement(0x2a, count: 16))
        let database = try await open(bytes)
        #expect(try recovery(database).rows["notes"] == 400)
        #expect(try recovery(database).incomplete == [])
    }

    @Test(arguments: [
        ("(number INTEGER PRIMARY KEY, regions", "(numbep INTEGER PRIMARY KEY, regions"), ("checksum INTEGER NOT", "checksun INTEGER NOT"),
    ])
    func `D9 a wrong letter in the schema of the library's own tables loses no row`(_ text: String, _ damaged: String) async throws {
        let range = try #require(sound.bytes.firstRange(of: Array(text.utf8)))
        var bytes = sound.bytes
        bytes.replaceSubrange(range, with: Array(damaged.utf8))
        let database = try await open(bytes)
        #expect(try recovery(database).incomplete.isEmpty)
        #expect(try await ids("food", database) == Set(1...400))
        try await database.write { db in try db.execute("INSERT INTO notes (text) VALUES ('after')") }
        await database.close()
    }

    @Test func `D9 a truncated file keeps the rows on its remaining pages`() async throws {
        let database = try await open(Array(sound.bytes.prefix(PantryPages.size * (sound.count - 1))))
        #expect(try recovery(database).rows.values.reduce(0, +) > 1_000)
    }

    @Test func `D9 without migrations the schema is taken from the damaged file`() async throws {
        var pages = sound
        pages.zero(try leaves(of: "entries")[1])
        let database = try await open(pages.bytes, [])
        #expect(try recovery(database).rows["food"] == 400)
        #expect(try recovery(database).incomplete == ["entries"])
        let indexes = try await database.read { db in
            try db.values(String.self, "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY 1")
        }
        #expect(indexes == ["entries_day", "food_name"])
        // A later opening with the migrations does not run them again.
        await database.close()
        let next = try await SQLiteDatabase.open(.file(url), migrations: Pantry.migrations)
        #expect(next.report.migrated == [])
    }

    @Test func `D9 later migrations find the recovered rows that they must change`() async throws {
        var pages = sound
        pages.zero(try leaves(of: "entries")[1])
        let later: SQLiteMigrations = [
            SQLiteMigration("loud", revision: 1) { db in try db.execute("UPDATE food SET name = upper(name)") },
            SQLiteMigration("kilograms", "ALTER TABLE food ADD COLUMN kilograms REAL; UPDATE food SET kilograms = grams / 1000"),
        ]
        let database = try await open(pages.bytes, Pantry.migrations + later)
        #expect(database.report.migrated == ["food", "settings", "loud", "kilograms"])
        let found = try await database.read { db in
            try db.map("SELECT name, kilograms FROM food WHERE id = 100") { "\(try $0[0] as String) \(try $0[1] as Double)" }
        }
        #expect(found == ["FOOD NUMBER 100 0.1"])
    }

    @Test func `D9 rows inserted by a migration don't replace or restore rows that the user changed or deleted`() async throws {
        let seeded: SQLiteMigrations = [
            SQLiteMigration(
                "units",
                """
                CREATE TABLE units (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO units VALUES (1, 'g'), (2, 'oz'), (3, 'cup');
                CREATE TABLE other (id INTEGER PRIMARY KEY, text TEXT)
                """
            )
        ]
        let first = try await SQLiteDatabase.open(.file(url), migrations: seeded)
        try await first.write { db in
            try db.execute("UPDATE units SET name = 'gram' WHERE id = 1")
            try db.execute("DELETE FROM units WHERE id = 3")
            for id in 1...900 { try db.execute("INSERT INTO other VALUES (\(id), \(String(repeating: "x", count: 30)))") }
        }
        await first.close()
        var pages = PantryPages(bytes: Array(try Data(contentsOf: url)))
        pages.zero(pages.leaves(below: try Pantry.rootPage(of: "other", in: url))[1])
        let database = try await open(pages.bytes, seeded)
        #expect(try recovery(database).incomplete == ["other"])
        #expect(try await database.read { db in try db.values(String.self, "SELECT name FROM units ORDER BY id") } == ["gram", "oz"])
    }

    @Test func `D9 rows with a lost reference are kept, their table is reported, and migrations still work`() async throws {
        var pages = sound
        pages.zero(try leaves(of: "food")[1])
        let first = try await open(pages.bytes)
        #expect(try recovery(first).incomplete == ["entries", "food"])
        #expect(try recovery(first).rows["entries"] == 400)
        await first.close()
        let more: SQLiteMigrations = [SQLiteMigration("more", "CREATE TABLE more (id INTEGER PRIMARY KEY)")]
        let second = try await SQLiteDatabase.open(.file(url), migrations: Pantry.migrations + more)
        #expect(second.report.migrated == ["more"])
    }

    @Test func `D9 tables that the app rebuilds are complete, and those that nothing rebuilds are reported`() async throws {
        let search: SQLiteMigrations = [SQLiteMigration("search", "CREATE VIRTUAL TABLE search USING fts5 (name)")]
        let first = try await SQLiteDatabase.open(.file(url), migrations: Pantry.migrations + search)
        try await Pantry.fill(first)
        try await first.write { db in try db.execute("INSERT INTO search (rowid, name) SELECT id, name FROM food") }
        await first.close()
        var pages = PantryPages(bytes: Array(try Data(contentsOf: url)))
        pages.zero(pages.leaves(below: try Pantry.rootPage(of: "entries", in: url))[1])
        let plain = try await open(pages.bytes, Pantry.migrations + search)
        #expect(try recovery(plain).incomplete == ["entries", "search"])
        await plain.close()
        let rebuilt = try await open(pages.bytes, Pantry.migrations + search) {
            $0.rebuild = { db in try db.execute("INSERT INTO search (rowid, name) SELECT id, name FROM food") }
        }
        #expect(try recovery(rebuilt).incomplete == ["entries"])
        #expect(try await rebuilt.read { db in try db.value(Int.self, "SELECT rowid FROM search WHERE search MATCH '123'") } == 123)
    }

    @Test(arguments: [true, false])
    func `D9 a table whose name only starts like that of a virtual table is recovered`(_ isMigrated: Bool) async throws {
        let search: SQLiteMigrations = [
            SQLiteMigration(
                "search",
                "CREATE VIRTUAL TABLE meal USING fts5 (name); CREATE TABLE meal_entries (id INTEGER PRIMARY KEY, name TEXT)"
            )
        ]
        let all = SQLiteMigrations(Pantry.migrations.steps + search.steps)
        let first = try await SQLiteDatabase.open(.file(url), migrations: all)
        try await Pantry.fill(first)
        try await first.write { db in
            for id in 1...50 { try db.execute("INSERT INTO meal_entries (name) VALUES (\("meal \(id)"))") }
        }
        await first.close()
        var pages = PantryPages(bytes: Array(try Data(contentsOf: url)))
        pages.zero(pages.leaves(below: try Pantry.rootPage(of: "entries", in: url))[1])
        let database = try await open(pages.bytes, isMigrated ? all : [])
        let recovery = try recovery(database)
        #expect(recovery.rows["meal_entries"] == 50)
        #expect(recovery.incomplete == ["entries", "meal"])
        #expect(recovery.rows["meal_data"] == nil)
    }

    @Test func `D9 a table with a column that only the damaged file has is reported as incomplete`() async throws {
        try Data(sound.bytes).write(to: url)
        let first = try await SQLiteDatabase.open(.file(url), migrations: Pantry.migrations)
        try await first.write { db in try db.execute("ALTER TABLE notes ADD COLUMN mood TEXT") }
        await first.close()
        var pages = PantryPages(bytes: Array(try Data(contentsOf: url)))
        pages.zero(pages.leaves(below: try Pantry.rootPage(of: "entries", in: url))[1])
        let recovery = try recovery(try await open(pages.bytes))
        #expect(recovery.incomplete == ["entries", "notes"])
        #expect(recovery.rows["notes"] == 400)
    }

    @Test func `D9 after a recovery other processes see a change of everything`() async throws {
        var pages = sound
        pages.zero(4)
        let database = try await open(pages.bytes)
        let log = try await database.read { db in
            try db.map("SELECT number, regions FROM querykit_changes") { (try $0[0] as Int, try $0[1] as String) }
        }
        // The sound file has two commits of its mark, and one with rows.
        #expect(log.map(\.0) == [4])
        #expect(log.map(\.1) == ["*"])
    }

    @Test func `D9 a missing schema with pages left counts as damage`() async throws {
        var bytes = sound.bytes
        // The number of entries on the first page.
        bytes.replaceSubrange(103..<105, with: [0, 0])
        let database = try await open(bytes) { $0.check = .schema }
        guard case .quarantined(let url) = database.report.outcome else {
            Issue.record("\(database.report.outcome)")
            return
        }
        #expect(Array(try Data(contentsOf: url)) == bytes)
        #expect(database.report.migrated == ["food", "settings"])
    }

    @Test func `D9 a file that must not be recovered stays unchanged`() async throws {
        var pages = sound
        pages.zero(4)
        await #expect { try await open(pages.bytes) { $0.damage = .fail } } throws: { ($0 as? SQLiteError)?.code == .corrupt }
        #expect(Array(try Data(contentsOf: url)) == pages.bytes)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["pantry.sqlite"])
    }

    @Test func `D9 a file is not replaced while another connection has it open`() async throws {
        try Data(sound.bytes).write(to: url)
        let reader = try await SQLiteReader.open(url)
        let count = try await reader.read { db in try db.value(Int.self, "SELECT count(*) FROM notes") }
        #expect(count == 400)
        var pages = sound
        pages.zero(try Pantry.rootPage(of: "food_name", in: url))
        // Written in place: another file at this path would be another database.
        let handle = try FileHandle(forWritingTo: url)
        try handle.write(contentsOf: Data(pages.bytes))
        var configuration = SQLiteDatabase.Configuration()
        configuration.check = .full
        configuration.busyTimeout = .milliseconds(30)
        await #expect { try await SQLiteDatabase.open(.file(url), migrations: Pantry.migrations, configuration: configuration) } throws: {
            ($0 as? SQLiteError)?.code == .busy
        }
        await reader.close()
        try handle.close()
        let database = try await SQLiteDatabase.open(.file(url), migrations: Pantry.migrations, configuration: configuration)
        #expect(try recovery(database).rows["notes"] == 400)
    }
}
