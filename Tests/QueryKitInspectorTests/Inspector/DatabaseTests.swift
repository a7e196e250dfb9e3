import Foundation
import QueryKit
import QueryKitSQLite
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitInspector

/// What a page shows of a database and of a journal on disk.
struct DatabaseTests {
    private struct Details: Decodable {
        struct Statement: Decodable, Equatable {
            let sql: String
            let plan: [String]
            let reasons: [String]
            let warnings: [String]
        }

        let statements: [Statement]
        let hasMoreStatements: Bool
    }

    @Test func `a store shows its statements with plans and warnings, but without values`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory, "CREATE TABLE food (id INTEGER PRIMARY KEY, name TEXT)") {
            $0.name = "diary"
        }
        try await database.write { db in
            for number in 1...2_000 { try db.execute("INSERT INTO food (name) VALUES (\("food \(number)"))") }
        }
        let client = QueryClient(configuration: .isolated)
        client.connect(to: database)
        _ = try await client.fetch(
            InlineQuery("food", 7) { _ in
                try await database.read { db in
                    _ = try db.value(Int.self, "SELECT count(*) FROM food WHERE name = \("secret")")
                    return try db.value(String.self, "SELECT name FROM food WHERE id = \(7)") ?? ""
                }
            }
        )
        let inspector = try await QueryInspector.start(client, token: "secret", announce: { _ in })
        let page = try #require(await Page.open(inspector.port))
        let row = try #require(await page.next("stores") { $0.rows?.isEmpty == false }?.rows?.first)
        let response = try #require(await inspector.get("/api/store?client=0&id=\(row.id)"))
        let details = try response.decoded(Details.self)
        #expect(!details.hasMoreStatements)
        #expect(
            details.statements == [
                Details.Statement(
                    sql: "SELECT count(*) FROM food WHERE name = ?",
                    plan: ["SCAN food"],
                    reasons: ["food: the whole table; columns name, because all of its rows are read"],
                    warnings: ["An execution has scanned 2000 rows of food. Add an index on the columns of its condition."]
                ),
                Details.Statement(
                    sql: "SELECT name FROM food WHERE id = ?",
                    plan: ["SEARCH food USING INTEGER PRIMARY KEY (rowid=?)"],
                    reasons: ["food: rows by key; columns name"],
                    warnings: []
                ),
            ]
        )
        #expect(!response.body.contains("secret"))
        await inspector.stop()
        await database.close()
    }

    @Test func `a page shows the calls in a journal on disk until they are over`() async throws {
        let folder = try TemporaryFolder()
        let journal = try await SQLiteMutationJournal.open(.file(folder.file()))
        let bench = MutationBench(journal: journal, isOnline: false)
        let call = try bench.client.submit(Change(), with: Change.Step(5))
        await bench.wait { $0.isPaused }
        // As after a relaunch: another client finds the call in the file.
        let next = MutationBench(journal: journal)
        let inspector = try await QueryInspector.start(bench.client, token: "secret", announce: { _ in })
        await inspector.add(next.client, name: "next launch")
        let page = try #require(await Page.open(inspector.port))
        let entries = try await journal.entries()
        try #require(entries.count == 1)
        let own = try #require(await page.next("mutations") { $0.client == 0 })
        #expect(own.calls?.map(\.status) == ["paused"])
        #expect(own.journal == [Page.Message.JournalRow(key: entries[0].id.uuidString, path: entries[0].name, state: "pending")])
        let other = try #require(await page.next("mutations") { $0.client == 1 })
        #expect(other.calls?.isEmpty == true)
        #expect(other.journal == [Page.Message.JournalRow(key: entries[0].id.uuidString, path: entries[0].name, state: "written")])
        bench.network.set(isOnline: true)
        _ = try await call.value
        let end = try #require(await page.next("mutations") { $0.client == 0 && $0.journal?.isEmpty == true })
        #expect(end.calls?.isEmpty == true)
        await inspector.stop()
        await journal.close()
    }

    @Test func `a page says that a journal can't be read, until it can`() async throws {
        let journal = ClosableJournal()
        journal.isClosed.withLock { $0 = true }
        let bench = MutationBench(journal: journal)
        let inspector = try await QueryInspector.start(bench.client, token: "secret", announce: { _ in })
        let page = try #require(await Page.open(inspector.port))
        let message = try #require(await page.next("mutations"))
        #expect(message.journal == [])
        try #require(message.journalError == "TestError")
        journal.isClosed.withLock { $0 = false }
        #expect(await page.next("mutations") { $0.journalError == nil }?.journal == [])
        await inspector.stop()
    }
}

/// A journal whose entries can't be read while it is closed.
private final class ClosableJournal: MutationJournal {
    let isClosed = Lock(false)

    func append(_ entry: MutationJournalEntry) {}
    func remove(_ id: UUID) {}
    func setAside(_ id: UUID, because reason: String) {}

    func entries() throws -> [MutationJournalEntry] {
        if isClosed.withLock({ $0 }) { throw TestError("closed") }
        return []
    }
}
