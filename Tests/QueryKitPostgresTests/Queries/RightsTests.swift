#if Postgres
import Foundation
import PostgresTestSupport
import QueryKit
import TestSupport
import Testing

@testable import QueryKitPostgres

/// Databases that are followed with few rights, and commits that are hard to follow.
@Suite(.enabled(if: PostgresServer.url != nil, "make test-postgres starts a server"), .timeLimit(.minutes(5)))
struct PostgresRightsTests {
    private static let tables = """
        CREATE TABLE entries (id bigserial PRIMARY KEY, day text NOT NULL);
        CREATE TABLE food (id bigserial PRIMARY KEY);
        CREATE TABLE notes (id bigserial PRIMARY KEY);
        """

    /// A role of its own for one test.
    private static func role(in scratch: ScratchDatabase, _ grants: (String) -> String) async throws -> (name: String, url: String) {
        let name = "r" + UUID().uuidString.prefix(8).lowercased()
        try await scratch.run("CREATE ROLE \(name) LOGIN", grants(name))
        return (name, scratch.url.replacing("user=postgres", with: "user=\(name)"))
    }

    private static func bench(_ url: String, _ scratch: ScratchDatabase, _ mistakes: Recorder<QueryMistake>) async throws -> PostgresBench {
        let database = try await PostgresDatabase.open(url, configuration: PostgresDiary.configuration())
        return PostgresBench(PostgresDiary(scratch: scratch, database: database), configuration: .recording(mistakes))
    }

    @Test func `R18 an owner without other rights follows its tables, and tables that it creates later after one stale read`() async throws
    {
        let scratch = try await ScratchDatabase.make()
        let (name, url) = try await Self.role(in: scratch) {
            "GRANT CREATE ON DATABASE \(scratch.name) TO \($0); GRANT CREATE ON SCHEMA public TO \($0)"
        }
        let owner = try await scratch.connect(as: name)
        try await owner.runScript(Self.tables)
        let mistakes = Recorder<QueryMistake>()
        let bench = try await Self.bench(url, scratch, mistakes)
        let watched = await bench.watch(.food, .monday, .tuesday)
        try await owner.run("INSERT INTO entries (day) VALUES ('monday')")
        await bench.wait(.monday, for: 1)
        try await bench.diary.addFood()
        await bench.client.settled()
        #expect(bench.counts(.food, .monday, .tuesday) == [2, 2, 1] && mistakes.all.isEmpty)
        // The role may not create an event trigger.
        try await owner.runScript("DROP TABLE notes; CREATE TABLE notes (id bigserial PRIMARY KEY)")
        #expect(try await bench.store(.notes).fetch() == 0)
        #expect(mistakes.kinds == [.unfollowedTable] && bench.store(.notes).isStale)
        let notes = await bench.watch(.notes)
        while true {
            let isFollowed = "SELECT count(*)::text FROM pg_trigger WHERE tgrelid = 'notes'::regclass AND tgname LIKE 'querykit_%'"
            if try await owner.texts(isFollowed) == ["4"] { break }
        }
        try await owner.run("INSERT INTO notes DEFAULT VALUES")
        await bench.wait(.notes, for: 1)
        owner.close()
        for subscription in watched + notes { subscription.cancel() }
    }

    @Test func `R18 a member of the role that owns the log follows all writers as that role`() async throws {
        let scratch = try await ScratchDatabase.make()
        let (name, _) = try await Self.role(in: scratch) {
            "GRANT CREATE ON DATABASE \(scratch.name) TO \($0); GRANT CREATE ON SCHEMA public TO \($0)"
        }
        let tables = try await scratch.connect(as: name)
        try await tables.runScript(Self.tables)
        tables.close()
        let (_, memberURL) = try await Self.role(in: scratch) { "GRANT \(name) TO \($0)" }
        let url = memberURL + "&options=-c%20role%3D\(name)"
        let database = try await PostgresDatabase.open(url, configuration: PostgresDiary.configuration())
        let owner = PostgresDiary(scratch: scratch, database: database)
        let error = await postgresError { _ = try await PostgresDatabase.open(memberURL, configuration: PostgresDiary.configuration()) }
        #expect(error?.code == .misuse && error?.message.contains("belongs to the role \(name)") == true)
        let mistakes = Recorder<QueryMistake>()
        let bench = try await Self.bench(url, scratch, mistakes)
        let watched = await bench.watch(.food, .notes)
        try await owner.addFood()
        await bench.wait(.food, for: 1)
        try await bench.diary.addFood()
        await bench.client.settled()
        #expect(bench.store(.food).value == 2 && bench.counts(.food, .notes) == [3, 1] && mistakes.all.isEmpty)
        for subscription in watched { subscription.cancel() }
    }

    @Test func `R32 a role without any rights on the log can read and write, and its reads are stale at once`() async throws {
        let scratch = try await ScratchDatabase.make()
        try await scratch.run(Self.tables)
        let (_, url) = try await Self.role(in: scratch) {
            "GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA public TO \($0); GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO \($0)"
        }
        let mistakes = Recorder<QueryMistake>()
        let bench = try await Self.bench(url, scratch, mistakes)
        let watched = await bench.watch(.food)
        #expect(mistakes.kinds == [.unfollowedTable] && bench.store(.food).isStale)
        // Without the log it is unknown what an own write has changed, so everything counts as changed.
        try await bench.diary.addFood()
        await bench.client.settled()
        #expect(bench.store(.food).value == 1)
        for subscription in watched { subscription.cancel() }
    }

    // MARK: Commits

    @Test func `D5 what a deferred trigger changes during the commit is not missed`() async throws {
        let bench = try await PostgresBench.make()
        try await bench.diary.scratch.run(
            """
            CREATE FUNCTION add_note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO notes DEFAULT VALUES; RETURN NULL; END $$;
            CREATE CONSTRAINT TRIGGER late AFTER INSERT ON food DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION add_note();
            """
        )
        let watched = await bench.watch(.food, .notes)
        try await bench.diary.addFood()
        await bench.wait(.notes, for: 1)
        await bench.client.settled()
        #expect(bench.store(.food).value == 1)
        for subscription in watched { subscription.cancel() }
    }

    @Test func `D5 a commit of unknown outcome counts as a change`() async throws {
        let bench = try await PostgresBench.make()
        // The commit waits in a trigger until the connection is lost.
        try await bench.diary.scratch.run(
            """
            CREATE FUNCTION hang() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(4711); RETURN NULL; END $$;
            CREATE CONSTRAINT TRIGGER late AFTER INSERT ON food DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION hang();
            """
        )
        let watched = await bench.watch(.food)
        await bench.client.settled()
        let admin = try await bench.diary.scratch.connect()
        try await admin.run("SELECT pg_advisory_lock(4711)")
        let before = bench.count(.food)
        let diary = bench.diary
        let written = Task { try await diary.addFood() }
        let terminate =
            "SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity WHERE wait_event = 'advisory' AND datname = current_database()"
        while try await admin.texts(terminate).isEmpty {}
        await #expect(throws: PostgresError.self) { try await written.value }
        await bench.client.settled()
        #expect(bench.store(.food).value == 0 && bench.count(.food) > before)
        admin.close()
        for subscription in watched { subscription.cancel() }
    }

    @Test func `R18 a listener that can't install a trigger because a table is locked still reports commits`() async throws {
        let bench = try await PostgresBench.make()
        let watched = await bench.watch(.food)
        let (holder, admin) = (try await bench.diary.scratch.connect(), try await bench.diary.scratch.connect())
        try await admin.run("DROP TRIGGER querykit_insert ON notes")
        try await holder.runScript("BEGIN; LOCK TABLE notes IN SHARE ROW EXCLUSIVE MODE")
        try await admin.terminateListeners()
        for number in 1...3 {
            try await admin.run("INSERT INTO food DEFAULT VALUES")
            await bench.wait(.food, for: number)
        }
        for connection in [holder, admin] { connection.close() }
        for subscription in watched { subscription.cancel() }
    }
}
#endif
