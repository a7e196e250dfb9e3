import Foundation
import SQLiteTestSupport
import Testing

@testable import QueryKitSQLite

/// One changed bit in a table's entry in the schema, while each page of the table is intact.
struct SchemaTextTests {
    private static let isLong = ProcessInfo.processInfo.environment["QUERYKIT_LONG"] == "1"

    private let folder: WatchedFolder
    private let url: URL

    init() throws {
        folder = try WatchedFolder()
        url = URL(filePath: folder.path(of: "pantry.sqlite"))
    }

    private func open() async throws -> SQLiteDatabase { try await SQLiteDatabase.open(.file(url), migrations: Pantry.migrations) }

    /// The place of a table's entry in a file: its type, name, table, root page and statement.
    private func place(of table: String, in bytes: [UInt8]) throws -> Range<Int> {
        let statement = Array("CREATE TABLE \(table) ".utf8)
        let start = try #require((0..<PantryPages.size).first { bytes[$0...].starts(with: statement) })
        let end = try #require(bytes[start...].firstIndex(of: UInt8(ascii: ")")))
        // The root page takes one byte.
        return start - 1 - 2 * table.utf8.count - "table".utf8.count..<end + 1
    }

    @Test(arguments: ["entries", "notes"])
    func `D9 one changed bit in the schema entry of a table loses no row, and is reported`(_ table: String) async throws {
        let sound = try await Pantry.file()
        let place = try place(of: table, in: sound)
        for (number, offset) in place.enumerated() where Self.isLong || number.isMultiple(of: 2) {
            for bit in Self.isLong ? Array(0..<8) : [number / 2 % 8] {
                var bytes = sound
                bytes[offset] ^= 1 << UInt8(bit)
                try Data(bytes).write(to: url)
                let database = try await open()
                let name = "bit \(bit) of byte \(number)"
                guard case .recovered(let recovery) = database.report.outcome else {
                    Issue.record("\(name): \(database.report.outcome)")
                    await database.close()
                    continue
                }
                #expect(recovery.rows == ["entries": 400, "food": 400, "notes": 400, "settings": 400], "\(name)")
                #expect(recovery.incomplete == [], "\(name)")
                #expect(Array(try Data(contentsOf: try #require(recovery.quarantine))) == bytes, "\(name)")
                let joined: SQL = "SELECT count(*) FROM entries JOIN food ON food.id = food WHERE day > '2026' AND entries.id > 0"
                #expect(try await database.count(joined) == 400, "\(name)")
                #expect(try await database.count("SELECT count(text) FROM notes") == 400)
                await database.close()
            }
        }
        let next = try await open()
        #expect(next.report.outcome == .healthy)
        #expect(next.report.unacknowledged.count == 1)
        #expect(try await next.integrityCheck() == [])
        await next.close()
    }
}
