import Foundation
import QueryKitSQLite
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKit
@testable import QueryKitInspector

/// A text that is bound, passed, returned and thrown, and must appear nowhere.
private let canary = "c4n4ry"

/// What a client and its database show while values are not switched on.
struct CanaryTests {
    /// A request with its default path, which contains the request.
    struct Lookup: QueryRequest {
        let token: String
        let statement: Statement
        let database: SQLiteDatabase

        enum Statement: CaseIterable {
            case key, range, partition, row, words, json
        }

        static func == (left: Lookup, right: Lookup) -> Bool { left.token == right.token && left.statement == right.statement }

        func hash(into hasher: inout Hasher) { hasher.combine(token) }

        func fetch(in context: QueryContext, with continuation: QueryContinuation<String>) async throws -> String {
            let sql: SQL =
                switch statement {
                case .key: "SELECT owner FROM sessions WHERE token = \(token)"
                case .range: "SELECT owner FROM sessions WHERE token > \(token) AND token < \(token + "~")"
                case .partition: "SELECT owner FROM sessions WHERE day = \(partition: token, of: "sessions")"
                case .row: "SELECT owner FROM sessions WHERE id = \(9_081_726)"
                case .words: "SELECT text FROM words WHERE words MATCH \(token + ":x")"
                case .json: "SELECT json_extract('{}', \(token))"
                }
            return try await database.read { db in try db.value(String.self, sql) ?? "" }
        }
    }

    /// A mutation with its default path, for a control and for the journal.
    private struct Rename: DurableMutationRequest {
        static let journalName = "rename"
        var token = canary

        func optimistic(with name: String, in layers: inout QueryLayers) { layers.update(InlineQuery<String>("shown")) { $0 = name } }

        func mutate(
            with name: String,
            in context: QueryContext,
            with continuation: QueryContinuation<String>
        ) async throws -> String {
            if name.hasSuffix("refused") { throw Refusal(reason: name) }
            return name
        }
    }

    private struct Refusal: Error {
        let reason: String
    }

    private let texts = Recorder<String>()

    private func note(_ value: some Any) {
        var dumped = ""
        dump(value, to: &dumped)
        for text in ["\(value)", String(reflecting: value), dumped] { texts.note(text) }
    }

    @Test func `R37 no value appears in an event, a snapshot, a report, a mistake, an error of SQL, a page or an export`() async throws {
        let database = try await SQLiteDatabase.make(
            .inMemory,
            """
            CREATE TABLE sessions (id INTEGER PRIMARY KEY, token TEXT NOT NULL UNIQUE, day TEXT, owner TEXT CHECK (owner <> ''));
            CREATE VIRTUAL TABLE words USING fts5(text);
            """
        ) {
            $0.name = "diary"
            $0.partitions = [SQLitePartition(table: "sessions", column: "day")]
        }
        let cache = MemoryQueryCache()
        var configuration = QueryClient.Configuration.isolated
        configuration.metricsDepth = 3
        configuration.alerts.failureRate = 0
        configuration.onMistake = { [texts] in texts.note("\($0) \(String(reflecting: $0))") }
        let network = ManualNetworkObserver(isOnline: true)
        var context = QueryContext()
        context.networkObserver = network
        context.mutationJournal = MemoryMutationJournal()
        context.session = canary
        let client = QueryClient(context: context, configuration: configuration)
        let printing = client.attach(PrintEventSink { [texts] in texts.note($0) })
        let (events, recording) = client.record(limit: 10_000)
        let inspector = try await QueryInspector.start(client, token: "secret", announce: { _ in })
        let page = try #require(await Page.open(inspector.port))

        // Reads, before and after the client is connected, and failures.
        @Sendable func lookup(_ statement: Lookup.Statement) -> Lookup { Lookup(token: canary, statement: statement, database: database) }
        _ = try await client.fetch(lookup(.key))
        client.connect(to: database)
        let stores = Lookup.Statement.allCases.map { client.store(for: lookup($0)) }
        let subscriptions = stores.map { $0.subscribe(with: QueryEventHandler()) }
        await client.settled()
        note(client.snapshot())
        for store in stores.suffix(2) { note(try #require(store.state.error as? SQLiteError)) }
        _ = try? await client.fetch(InlineQuery<String>("failing") { _ in throw Refusal(reason: canary) })

        // Writes, and what they have changed.
        var changes = database.changes.makeAsyncIterator()
        try await database.write { db in
            for (id, token) in [(9_081_726, canary), (9_081_727, canary + "!")] {
                try db.execute("INSERT INTO sessions VALUES (\(id), \(token), \(canary), \(canary))")
            }
        }
        await client.settled()
        note(try #require(await changes.next()))
        for sql in [
            "INSERT INTO sessions (token, owner) VALUES (\(canary), \(canary))",
            "INSERT INTO sessions (token, owner) VALUES (\(canary + "?"), '')",
            "SELECT \(canary) FROM missing",
        ] as [SQL] {
            note(try #require(await #expect(throws: SQLiteError.self) { try await database.execute(sql) }))
        }

        // Mutations that succeed, fail and wait; those of a control; the journal.
        _ = try await client.submit(Rename(), with: canary).value
        _ = try? await client.submit(Rename(), with: canary + " refused").value
        network.set(isOnline: false)
        let calls = [try client.submit(Rename(), with: canary), try client.submitNewest(Rename(), with: canary)]

        // A cache with an unreadable entry; patterns that match, and that don't.
        let cached = Lookup(token: canary + "2", statement: .range, database: database).ttl(.seconds(60)).persisted(in: cache)
        let key = QueryCacheKey(path: cached.path, type: Lookup.storedName, appVersion: context.appVersion, session: canary)
        try await cache.set(QueryCacheEntry(data: Data("{".utf8), date: .now), key: key)
        _ = try await client.fetch(cached)
        client.invalidate(.path(cached.path))
        client.invalidate(["CanaryTests.Lookup", "x", .rest])
        client.invalidate("Lookap/**")
        await client.settled()

        // What is under way.
        let (began, ends) = (Promise<Bool>(), Promise<Bool>())
        let slow = Task { try await client.fetch(Waiting(token: canary, began: began, ends: ends)) }
        _ = try await began.get()
        note(try #require(await #expect(throws: QueryUnsettledError.self) { try await client.settled(timeout: .milliseconds(1)) }))
        note(client.snapshot())
        texts.note(String(decoding: try JSONEncoder().encode(client.snapshot()), as: UTF8.self))
        note(client.metrics)
        for alert in client.alerts { note(alert) }
        for store in stores {
            for text in ["\(store.path)", "\(store.state.cause)", store.state.cause.region.map { "\($0)" } ?? ""] { texts.note(text) }
            note(store.path)
            note(store.state.cause)
            note(QueryPattern.path(store.path))
        }
        ends.resolve(.success(true))
        _ = try await slow.value

        // What an app has in its hands.
        note(client)
        note(client.context)
        note(client.group(Lookup.Statement.allCases.map(lookup)))
        for store in stores {
            note(store)
            note(store.identity)
        }
        for call in calls { note(call) }
        for event in events.take() { note(event) }
        note("SELECT \(canary)" as SQL)
        note(SharedMutation(Rename(), client: client))
        note(SharedQuery(lookup(.words), client: client))
        await MainActor.run {
            note(QueryMirror(lookup(.words), client: client))
            let defaulted = InlineQuery<String>("defaulted").enabled(false)
            note(QueryMirror(defaulted, default: canary, client: client))
            note(SharedQuery(defaulted, default: canary, client: client))
            let filled = SharedQuery(InlineQuery<String>("filled"), client: client)
            filled.setValue(canary)
            note(filled)
        }

        // The page.
        _ = await page.next("metrics")
        _ = await page.next("surroundings")
        texts.note(page.transcript)
        let ids = client.inspection.marks().map(\.id)
        for address in ids.map({ "/api/store?client=0&id=\($0)" }) + [
            "/api/regions?client=0", "/api/affected?client=0&pattern=**", "/api/affected?client=0&region=diary/sessions", "/api/export",
        ] {
            texts.note(try #require(await inspector.get(address)).body)
        }
        // The last one is an export: it contains other hashes than this process.
        #expect(texts.all.last?.contains("‹") == true && texts.all.last?.contains("\(stores[0].path.elements[1])") == false)
        await inspector.stop()
        await database.close()

        for text in texts.all {
            if let found = text.range(of: canary) ?? text.range(of: "9081726") {
                let start = text.index(found.lowerBound, offsetBy: -120, limitedBy: text.startIndex) ?? text.startIndex
                let end = text.index(found.upperBound, offsetBy: 60, limitedBy: text.endIndex) ?? text.endIndex
                Issue.record("\(text[start..<end])")
            }
        }
        // What could have contained it was there.
        let all = texts.all.joined(separator: "\n")
        for part in [
            "diary/sessions[token = ‹", "token in a range", "diary/sessions#‹", "runFailed", "entryDropped", "mutationFailed",
            "CanaryTests.Lookup/‹",
        ] {
            #expect(all.contains(part), "\(part)")
        }
        withExtendedLifetime((subscriptions, printing, recording, calls)) {}
    }

    private struct Waiting: QueryRequest {
        let token: String
        let began: Promise<Bool>
        let ends: Promise<Bool>

        static func == (left: Waiting, right: Waiting) -> Bool { left.token == right.token }

        func hash(into hasher: inout Hasher) { hasher.combine(token) }

        func fetch(in context: QueryContext, with continuation: QueryContinuation<String>) async throws -> String {
            began.resolve(.success(true))
            _ = try await ends.get()
            return token
        }
    }

    @Test func `R37 values that were switched on are shown`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory, "CREATE TABLE sessions (token TEXT UNIQUE, owner TEXT, day TEXT)")
        let client = QueryClient(configuration: .isolated)
        client.connect(to: database)
        _ = try await client.fetch(Lookup(token: canary, statement: .key, database: database))
        let store = try #require(client.snapshot(includingValues: true).stores.first)
        #expect(store.path.contains(canary) && store.reads == ["\(database.name)/sessions[token = '\(canary)']"])
        let inspector = try await QueryInspector.start(client, token: "secret", showsValues: true, announce: { _ in })
        let export = try #require(await inspector.get("/api/export")).body
        #expect(export.contains("sessions[token = '\(canary)']") && export.contains("token: \\\"\(canary)\\\""))
        await inspector.stop()
        await database.close()
    }

    @Test func `R37 a key has one hash in a process, and another one in each export`() async throws {
        let path = Lookup(token: canary, statement: .key, database: try await SQLiteDatabase.make(.inMemory)).path
        let row = QueryRegion(source: "diary", name: "food", row: "7")
        #expect("\(row)" == "\(QueryRegion(source: "diary", name: "food", row: "7"))")
        #expect("\(row)" != "\(QueryRegion(source: "diary", name: "food", row: "8"))")
        #expect(row.row == "7" && row.unredacted == "diary/food#7")
        let text = Array("a ‹ \(path) \(row)› \(path)".utf8)
        let exports = (0..<2).map { _ in String(decoding: Redaction.resalted(text), as: UTF8.self) }
        #expect(Set(exports + [String(decoding: text, as: UTF8.self)]).count == 3)
        for export in exports {
            let words = export.split(separator: " ")
            #expect(words.count == 5 && words[0] == "a" && words[1] == "‹" && words[2] == words[4])
            #expect(words[3].hasPrefix("diary/food#‹") && words[3].hasSuffix("››") && words[3].count == "\(row)".count + 1)
        }
    }
}
