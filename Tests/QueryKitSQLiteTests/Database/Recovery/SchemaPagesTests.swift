import Foundation
import SQLiteTestSupport
import Testing

@testable import QueryKitSQLite

/// A schema of several pages with a damaged one: the tables whose entries are on other pages are saved.
struct SchemaPagesTests {
    private static let tables = (1...90).map { "table_\($0)" }

    private let folder: WatchedFolder
    private let url: URL
    private let sound: PantryPages
    private let leaves: [Int]

    init() throws {
        folder = try WatchedFolder()
        url = URL(filePath: folder.path(of: "tables.sqlite"))
        let filling = String(repeating: "a long comment ", count: 8)
        let scripts = Self.tables.map { table in
            "CREATE TABLE \(table) (id INTEGER PRIMARY KEY, text TEXT /* \(filling) */); INSERT INTO \(table) (text) VALUES ('a'), ('b');"
        }
        try Self.make(url, scripts.joined(separator: "\n"))
        sound = PantryPages(bytes: Array(try Data(contentsOf: url)))
        leaves = sound.leaves(of: 1)
        try #require(leaves.count > 2)
    }

    private static func make(_ url: URL, _ script: String) throws {
        let connection = try Connection(path: url.path(percentEncoded: false), settings: ConnectionSettings(mode: .readWrite))
        _ = try connection.script(script, for: .engine)
    }

    private func open(_ bytes: [UInt8]) async throws -> SQLiteDatabase {
        try Data(bytes).write(to: url)
        return try await SQLiteDatabase.open(.file(url))
    }

    @Test func `D9 the tables on the other pages of a schema are saved`() async throws {
        for leaf in leaves {
            var pages = sound
            pages.zero(leaf)
            let database = try await open(pages.bytes)
            guard case .recovered(let recovery) = database.report.outcome else {
                Issue.record("\(database.report.outcome)")
                continue
            }
            let lost = sound.names(on: leaf)
            #expect(!lost.isEmpty)
            #expect(recovery.rows == Dictionary(uniqueKeysWithValues: Set(Self.tables).subtracting(lost).map { ($0, 2) }), "page \(leaf)")
            #expect(try await database.integrityCheck() == [])
            await database.close()
        }
    }

    @Test func `D9 all tables are saved if the first page of the schema is lost`() async throws {
        var pages = sound
        pages.zero(1)
        let database = try await open(pages.bytes)
        guard case .recovered(let recovery) = database.report.outcome else {
            Issue.record("\(database.report.outcome)")
            return
        }
        #expect(recovery.rows == Dictionary(uniqueKeysWithValues: Self.tables.map { ($0, 2) }))
        await database.close()
    }

    @Test func `D9 if it is uncertain which pages belong to the schema, none is used`() async throws {
        var pages = sound
        pages.bytes += Array(repeating: 0, count: PantryPages.size)
        // As a free page with an older version of a leaf.
        pages.copy(leaves[1], over: pages.count)
        pages.zero(1)
        let database = try await open(pages.bytes)
        guard case .quarantined = database.report.outcome else {
            Issue.record("\(database.report.outcome)")
            return
        }
        await database.close()
    }
}

extension PantryPages {
    /// The leaves of the schema.
    fileprivate func leaves(of page: Int) -> [Int] {
        let header = 100
        let count = Int(bytes[header + 3]) << 8 | Int(bytes[header + 4])
        func number(_ offset: Int) -> Int { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
        return (0..<count).map { index in
            let pointer = header + 12 + 2 * index
            return number(Int(bytes[pointer]) << 8 | Int(bytes[pointer + 1]))
        } + [number(header + 8)]
    }

    /// The tables whose statements are on a page.
    fileprivate func names(on page: Int) -> [String] {
        let text = String(decoding: bytes[(page - 1) * Self.size..<page * Self.size], as: UTF8.self)
        return text.matches(of: /CREATE TABLE (table_\d+)/).map { String($0.1) }
    }
}
