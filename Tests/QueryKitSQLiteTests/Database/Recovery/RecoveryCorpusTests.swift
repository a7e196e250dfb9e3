import Foundation
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

/// Files damaged in several hundred ways, the same in each run.
struct RecoveryCorpusTests {
    private static let isLong = ProcessInfo.processInfo.environment["QUERYKIT_LONG"] == "1"
    private static let count = isLong ? 2_000 : 40
    /// Files that were once refused, and are tested in each run: a column whose name is not text, and an empty list of migrations.
    private static let numbers = Array(0..<count) + (isLong ? [] : [1_438, 1_970])

    @Test func `D9 a file with any damage opens or throws a clear error, and its bytes are kept`() async throws {
        let sound = try await Pantry.file()
        var outcomes: [String: Int] = [:]
        try await withThrowingTaskGroup(of: String.self) { group in
            for (started, number) in Self.numbers.enumerated() {
                // Most of the time is spent waiting for the disk.
                if started >= 8, let outcome = try await group.next() { outcomes[outcome, default: 0] += 1 }
                group.addTask { try await outcome(number, sound) }
            }
            for try await outcome in group { outcomes[outcome, default: 0] += 1 }
        }
        // The corpus is only useful if each of these outcomes occurs.
        #expect(outcomes["healthy", default: 0] > 0)
        #expect(outcomes["recovered", default: 0] > Self.count / 4)
        #expect(outcomes["quarantined", default: 0] > 0)
        if Self.isLong { print("damaged files:", outcomes.sorted { $0.key < $1.key }) }
    }

    private func outcome(_ number: Int, _ sound: [UInt8]) async throws -> String {
        var damage = Damage(seed: number)
        let bytes = damage.applied(to: sound)
        let folder = try WatchedFolder()
        let path = folder.path(of: "\(number).sqlite")
        try Data(bytes).write(to: URL(filePath: path))
        do {
            return try await check(path, bytes, isThorough: number % 2 == 0)
        } catch {
            Issue.record("file \(number): \(error)")
            return "issue"
        }
    }

    private func check(_ path: String, _ bytes: [UInt8], isThorough: Bool) async throws -> String {
        var configuration = SQLiteDatabase.Configuration()
        configuration.check = isThorough ? .full : .schema
        configuration.readerCount = 1
        let database: SQLiteDatabase
        do {
            database = try await SQLiteDatabase.open(
                .file(URL(filePath: path)),
                migrations: Pantry.migrations,
                configuration: configuration
            )
        } catch {
            let error = try #require(error as? SQLiteError, "\(path): \(error)")
            // For instance if a page is lost that describes the others.
            #expect(error.code == .newerSchema || error.code == .migration || error.isDamage, "\(path): \(error)")
            #expect(Array(try Data(contentsOf: URL(filePath: path))) == bytes)
            return "error \(error.code.rawValue)"
        }
        let outcome = try name(of: database.report.outcome, bytes)
        for table in Pantry.tables {
            do {
                try await read(table, database)
            } catch let error as SQLiteError where error.isDamage && outcome == "healthy" {
                // The damage shows only now.
                #expect(await database.repair(after: error), "\(path): \(error)")
                try await read(table, database)
                #expect(try name(of: database.report.outcome, nil) == "recovered", "\(path)")
            }
        }
        try await database.write { db in try db.execute("INSERT INTO notes (text) VALUES ('after')") }
        if isThorough {
            let problems = try await database.integrityCheck().filter { !$0.contains("with a reference to") }
            #expect(problems.isEmpty, "\(path)")
        }
        await database.close()
        return outcome
    }

    private func read(_ table: String, _ database: SQLiteDatabase) async throws {
        let sql: SQL =
            switch table {
            case "entries": "SELECT * FROM entries NOT INDEXED"
            case "food": "SELECT * FROM food NOT INDEXED"
            case "notes": "SELECT * FROM notes"
            default: "SELECT * FROM settings"
            }
        try await database.read { db in try db.forEach(sql) { row in for column in 0..<row.count { _ = row.isNull(column) } } }
    }

    private func name(of outcome: SQLiteReport.Outcome, _ bytes: [UInt8]?) throws -> String {
        func check(_ url: URL) throws {
            if let bytes { #expect(Array(try Data(contentsOf: url)) == bytes, "\(url.lastPathComponent)") }
        }
        switch outcome {
        case .healthy: return "healthy"
        case .recovered(let recovery):
            try check(#require(recovery.quarantine))
            return "recovered"
        case .quarantined(let url):
            try check(url)
            return "quarantined"
        case .inMemory(let reason): return "in memory: \(reason)"
        }
    }
}

extension SQLiteRow {
    fileprivate func isNull(_ index: Int) -> Bool { SQLiteColumn(handle, Int32(index), owner).isNull }
}

/// One way to damage a file.
private struct Damage {
    private var dice: Dice

    init(seed: Int) { dice = Dice(seed: seed) }

    mutating func applied(to sound: [UInt8]) -> [UInt8] {
        var pages = PantryPages(bytes: sound)
        for _ in 0...dice.roll(3) {
            guard pages.bytes.count > PantryPages.size * 2 else { break }
            switch dice.roll(10) {
            case 0: pages.bytes.removeLast(1 + dice.roll(pages.bytes.count - 1))
            case 1: pages.bytes.removeLast((1 + dice.roll(pages.count - 1)) * PantryPages.size)
            case 2, 3: pages.zero(1 + dice.roll(pages.count))
            case 4, 5: pages.copy(1 + dice.roll(pages.count), over: 2 + dice.roll(pages.count - 1))
            case 6: flip(100, in: &pages.bytes, within: pages.bytes.count)
            case 7: flip(3, in: &pages.bytes, within: 100)
            case 8: fill(in: &pages.bytes)
            default: flipHeads(of: &pages)
            }
        }
        return pages.bytes
    }

    private mutating func flip(_ count: Int, in bytes: inout [UInt8], within limit: Int) {
        for _ in 0..<1 + dice.roll(count) { bytes[dice.roll(min(limit, bytes.count))] ^= 1 << UInt8(dice.roll(8)) }
    }

    /// Where most of a page's meaning is stored.
    private mutating func flipHeads(of pages: inout PantryPages) {
        for _ in 0..<1 + dice.roll(8) { pages.bytes[dice.roll(pages.count) * PantryPages.size + dice.roll(64)] ^= 1 << UInt8(dice.roll(8)) }
    }

    private mutating func fill(in bytes: inout [UInt8]) {
        let start = dice.roll(bytes.count)
        for offset in start..<min(bytes.count, start + 1 + dice.roll(20_000)) { bytes[offset] = UInt8(truncatingIfNeeded: dice.roll(256)) }
    }
}
