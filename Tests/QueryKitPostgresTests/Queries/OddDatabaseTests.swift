#if Postgres
import Foundation
import PostgresTestSupport
import QueryKit
import QueryKitPostgres
import TestSupport
import Testing

/// Databases whose contents or settings are unusual.
@Suite(.enabled(if: PostgresServer.url != nil, "make test-postgres starts a server"), .timeLimit(.minutes(1)))
struct OddDatabaseTests {
    @Test func `R18 texts that are not in UTF-8 count as a change of the whole table, and writes succeed`() async throws {
        let bench = PostgresBench(try await PostgresDiary.open(try await ScratchDatabase.make(ScratchDatabase.anyEncoding)))
        let watched = await bench.watch(.entries, .monday)
        try await bench.diary.scratch.run("INSERT INTO entries (day) VALUES (chr(129))")
        await bench.wait(.entries, for: 1)
        await bench.client.settled()
        #expect(bench.counts(.entries, .monday) == [2, 2])
        try await bench.diary.database.write { db in try await db.execute("UPDATE entries SET day = 'monday'") }
        await bench.wait(.monday, for: 1)
        try await bench.diary.addEntry(on: "tuesday")
        await bench.wait(.entries, for: 2)
        await bench.client.settled()
        #expect(bench.counts(.entries, .monday) == [4, 3])
        for subscription in watched { subscription.cancel() }
    }

    @Test func `R18 a partition with a very long name counts as the whole table`() async throws {
        let bench = try await PostgresBench.make()
        let watched = await bench.watch(.entries, .monday)
        try await bench.diary.addEntry(on: String(repeating: "x", count: 1_024))
        await bench.client.settled()
        #expect(bench.counts(.entries, .monday) == [2, 1])
        try await bench.diary.addEntry(on: String(repeating: "x", count: 1_025))
        await bench.client.settled()
        #expect(bench.counts(.entries, .monday) == [3, 2])
        for subscription in watched { subscription.cancel() }
    }

    @Test func `R18 R26 a table that is dropped makes its requests fail, and they recover when it is back`() async throws {
        let bench = try await PostgresBench.make()
        let watched = await bench.watch(.notes, .food)
        try await bench.diary.scratch.run("DROP TABLE notes")
        await bench.wait(.notes) { $0.error != nil && !$0.isFetching }
        #expect((bench.store(.notes).error as? PostgresError)?.code == .undefinedTable)
        #expect(bench.store(.food).value == 0 && bench.store(.food).error == nil)
        try await bench.diary.scratch.run("CREATE TABLE notes (id bigserial PRIMARY KEY)")
        try await bench.diary.scratch.run("INSERT INTO notes DEFAULT VALUES")
        await bench.wait(.notes) { $0.value == 1 && $0.error == nil && !$0.isFetching }
        for subscription in watched { subscription.cancel() }
    }

    @Test func `R18 a server that counts no uses of tables can't be followed, and the error says so`() async throws {
        try await PostgresServer.withDatabase { url in
            let script = "EXECUTE format('ALTER DATABASE %I SET track_counts = off', current_database())"
            try await PostgresServer.psql("DO $$ BEGIN \(script); END $$", at: url)
            await #expect {
                _ = try await PostgresDatabase.open(url)
            } throws: { error in
                let error = error as? PostgresError
                return error?.code == .misuse && error?.message.contains("track_counts") == true
            }
            var configuration = PostgresDatabase.Configuration()
            configuration.isFollowed = false
            let database = try await PostgresDatabase.open(url, configuration: configuration)
            #expect(try await database.read { db in try await db.value(Int.self, "SELECT 1") } == 1)
            await database.close()
        }
    }

    @Test func `D5 a database that is read-only by default can be written and followed`() async throws {
        let scratch = try await ScratchDatabase.make()
        try await scratch.run("ALTER DATABASE \(scratch.name) SET default_transaction_read_only = on")
        let bench = PostgresBench(try await PostgresDiary.open(scratch))
        let watched = await bench.watch(.food)
        try await bench.diary.addFood()
        await bench.wait(.food, for: 1)
        for subscription in watched { subscription.cancel() }
    }
}
#endif
