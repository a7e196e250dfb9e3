import Foundation
import QueryKit
import Testing

@testable import QueryKitSQLite

/// From a damaged page to a state, through a request that knows about neither.
struct RepairQueryTests {
    private struct Notes: QueryRequest {
        let repository: Repository

        static func == (left: Self, right: Self) -> Bool { true }
        func hash(into hasher: inout Hasher) {}

        func fetch(in context: QueryContext, with continuation: QueryContinuation<[Int]>) async throws -> [Int] {
            try await repository.ids()
        }
    }

    private struct Repository: Sendable {
        let database: SQLiteDatabase

        func ids() async throws -> [Int] {
            try await database.read { db in try db.map("SELECT id, note FROM entries NOT INDEXED ORDER BY id") { try $0[0] } }
        }
    }

    private func damagedFile(_ folder: WatchedFolder) async throws -> URL {
        let url = URL(filePath: folder.path(of: "pantry.sqlite"))
        var pages = PantryPages(bytes: try await Pantry.file())
        try Data(pages.bytes).write(to: url)
        pages.zero(pages.leaves(below: try Pantry.rootPage(of: "entries", in: url))[1])
        try Data(pages.bytes).write(to: url)
        return url
    }

    @Test func `R26 a fetch that reads a damaged page succeeds with the rows that could be recovered`() async throws {
        let folder = try WatchedFolder()
        let database = try await SQLiteDatabase.open(.file(try await damagedFile(folder)), migrations: Pantry.migrations)
        #expect(database.report.outcome == .healthy)
        let client = QueryClient(configuration: .isolated)
        client.connect(to: database)
        let ids = try await client.fetch(Notes(repository: Repository(database: database)))
        #expect(ids.count > 300 && ids.count < 400)
        guard case .recovered(let recovery) = database.report.outcome else {
            Issue.record("\(database.report.outcome)")
            return
        }
        #expect(recovery.rows["entries"] == ids.count)
        #expect(recovery.incomplete == ["entries"])
    }

    @Test func `R26 if damage must not be repaired, the fetch fails with the database's error`() async throws {
        let folder = try WatchedFolder()
        var configuration = SQLiteDatabase.Configuration()
        configuration.damage = .fail
        let url = try await damagedFile(folder)
        let database = try await SQLiteDatabase.open(.file(url), migrations: Pantry.migrations, configuration: configuration)
        let client = QueryClient(configuration: .isolated)
        client.connect(to: database)
        await #expect { try await client.fetch(Notes(repository: Repository(database: database))) } throws: { error in
            (error as? QueryError)?.code == .databaseCorruption || (error as? SQLiteError)?.code == .corrupt
        }
    }
}
