import Foundation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// Compares the code with the table of Defaults.md. Each row has one line or block here, which begins with the row's sentence.
struct DocumentedDefaultsTests {
    typealias Row = (sentence: String, holds: @Sendable () async throws -> Bool)

    private static let context = QueryContext()
    private static let settings = QuerySettings()
    private static let configuration = QueryClient.Configuration()

    private static let rows: [Row] = [
        ("A value is stale at once: each new observer causes a refetch.", { context.ttl == .zero && settings.ttlRule == nil }),
        (
            "Runs are retried three times if they are started by the library, by `refetch()` or by `invalidate()`.",
            {
                let bench = failing()
                let store = bench.client.store(for: Number())
                let subscription = store.record(Recorder())
                await bench.client.settled()
                var counts = [bench.backend.count]
                for start in [{ store.refetch() }, { store.invalidate() }, { bench.client.invalidate("number/*") }] {
                    _ = start()
                    await bench.client.settled()
                    counts.append(bench.backend.count)
                }
                subscription.cancel()
                return counts == [4, 8, 12, 16]
            }
        ),
        (
            "Mutations are not retried, and neither are runs that are started by `fetch()`.",
            {
                let bench = failing()
                let mutation = InlineMutation("mutation") { (_: Int, context) in
                    try await context.backend.fetch(2, context, QueryContinuation { _ in })
                }
                _ = try? await bench.client.fetch(Number(1))
                _ = try? await bench.client.mutate(mutation, with: 1)
                return bench.backend.fetched == [1, 2]
            }
        ),
        (
            "A stream that throws is opened again. The number of retries is not limited.",
            {
                let bench = failing(times: 50)
                let store = bench.client.store(for: Flow())
                let subscription = store.record(Recorder())
                for await state in store.states where state.value == 51 { break }
                subscription.cancel()
                return true
            }
        ),
        (
            "The delay before a retry is random: up to 1 s, then up to 2 s, 4 s, …, never more than 30 s.",
            {
                [1, 2, 4, 8, 16, 30, 30].enumerated().allSatisfy { failures, limit in
                    let delays = Set((1...200).map { _ in context.retry.backoff.delay(afterFailures: failures + 1) })
                    return delays.count > 1 && delays.allSatisfy { $0 <= .seconds(limit) } && delays.contains { $0 > .seconds(limit) / 2 }
                }
            }
        ),
        (
            "The kind of error decides whether a run is retried: ``QueryRecovery/standard``.",
            {
                [TestError(), QueryError(.invalidParameters), QueryError(.networkUnavailable), QueryError(.databaseCorruption)]
                    .allSatisfy { (error: any Error) in context.recovery.step(after: error) == QueryRecovery.standard.step(after: error) }
            }
        ),
        (
            "If a permission is missing or the data source is damaged, the run fails.",
            {
                for code in [QueryError.Code.insufficientPermissions, .databaseCorruption] {
                    let bench = failing(with: QueryError(code))
                    let subscription = bench.client.store(for: Number()).record(Recorder())
                    await bench.client.settled()
                    subscription.cancel()
                    if bench.backend.count != 1 { return false }
                }
                return true
            }
        ),
        ("An attempt has no time limit.", { context.timeout == nil }),
        ("The first attempt is made even without a network, see <doc:Offline>.", { context.networkMode == .offlineFirst }),
        ("Callers and observers of equal requests share a run.", { settings.isDeduplicated }),
        ("A run is cancelled when its last caller and observer leave.", { context.abandonment == .cancel }),
        ("Requests are enabled: the library may start their runs.", { settings.conditions.isEmpty }),
        ("Requests are not polled.", { settings.triggers.isEmpty }),
        ("Observers aren't notified if a value is replaced by an equal one.", { !settings.notifiesEqual }),
        ("There is no placeholder until the first result.", { settings.placeholder == nil && !settings.keepsPrevious }),
        (
            "A request outside of a ``QueryGroup`` isn't consistent: its value may be from another moment than the values of other requests; see <doc:Groups>.",
            { !settings.isConsistent }
        ),
        ("Consistent requests wait for each other for 250 ms at most.", { configuration.consistencyLimit == .milliseconds(250) }),
        (
            "The path has two elements: the name of the request's type inside its module, and the request.",
            { Plain(id: 7).path == QueryPath(elements: [QueryPath.Element("Plain"), QueryPath.Element(Plain(id: 7))]) }
        ),
        ("A paginated request keeps all pages.", { Endless().maxPages == nil }),
        (
            "An invalidation refetches requests with observers or waiting callers.",
            {
                let gate = Gate()
                let bench = TestBench { call in
                    if call.id == 3, call.number == 3 { try await gate.pass() }
                    return call.number
                }
                let subscription = bench.client.store(for: Number(1)).record(Recorder())
                await bench.client.settled()
                _ = try await bench.client.fetch(Number(2))
                async let waiting = bench.client.fetch(Number(3))
                await gate.arrived()
                bench.client.invalidate(.all)
                gate.open()
                _ = try await waiting
                await bench.client.settled()
                subscription.cancel()
                return bench.backend.fetched.sorted() == [1, 1, 2, 3, 3]
            }
        ),
        ("An unused store is kept for five minutes.", { configuration.retention == .seconds(300) && context.retention == nil }),
        ("The number of stores is not limited.", { configuration.storeLimit == .max }),
        ("The values of all stores together may take 100 MB.", { configuration.byteLimit == 100_000_000 }),
        ("The number of concurrent runs is not limited.", { configuration.limits.isEmpty }),
        ("A value isn't saved for the next launch.", { settings.persistence == nil }),
        ("A persisted value has the whole name of its request's type.", { Plain.storedName == String(reflecting: Plain.self) }),
        (
            "A persisted value has version 1 and no maximum age.",
            {
                let cache = MemoryQueryCache()
                let client = TestBench().client
                let store = client.store(for: Number().persisted(in: cache))
                _ = try await store.fetch()
                await client.settled()
                guard let persistence = store.context.settings.persistence else { return false }
                let entry = try await cache.get(key: QueryCacheKey(Number(), persistence, client.context))
                return persistence.version == 1 && entry?.ttl == .infinity
            }
        ),
        (
            "A persisted value isn't read if another version of the app has saved it.",
            {
                let cache = MemoryQueryCache()
                var values: [Int] = []
                for version in ["1", "1", "2"] {
                    let bench = TestBench({ _ in Int(version) ?? 0 }, adjusting: { $0.appVersion = version })
                    values += [try await bench.client.fetch(Number().ttl(.infinity).persisted(in: cache)), bench.backend.count]
                    await bench.client.settled()
                }
                let version = Bundle.main.infoDictionary?["CFBundleShortVersionString"] as? String
                return values == [1, 1, 1, 0, 2, 1] && context.appVersion == version
            }
        ),
        (
            "A cache in memory holds at most 10 MB and 10,000 entries.",
            {
                let (small, large) = (MemoryQueryCache(), MemoryQueryCache())
                for id in 0...10_000 { try await small.set(entry(bytes: 1), key: key(id)) }
                for id in 0...2 { try await large.set(entry(bytes: 4_999_000), key: key(id)) }
                return small.count == 10_000 && large.count == 2
            }
        ),
        (
            "An automatic archive is saved 2 s after the last change.",
            {
                let bench = TestBench()
                let saves = Recorder<Int>()
                let subscription = bench.client.archive { saves.note($0.count) }
                bench.client.setValue(1, for: Number().archived())
                var counts: [Int] = []
                for time in [Duration.milliseconds(1_999), .milliseconds(1)] {
                    await bench.client.settled()
                    bench.clock.advance(by: time)
                    await bench.client.settled()
                    counts.append(saves.count)
                }
                subscription.cancel()
                return counts == [0, 1]
            }
        ),
        ("Calls of mutations run concurrently.", { Log().scope == nil }),
        ("A mutation call is lost if the process ends before the call has finished.", { context.mutationJournal == nil }),
        (
            "In the journal, a durable mutation has the whole name of its type and the version 1.",
            { Log.journalName == String(reflecting: Log.self) && Log.journalVersion == 1 }
        ),
        ("The history of a mutation has all pending calls, and the latest 20 that have ended.", { context.historyLength == 20 }),
        ("There is one session, without a name.", { context.session == nil }),
        ("Times come from the system's clock.", { context.clock is SystemClock }),
        (
            "Days are those of the user's calendar and time zone.",
            { context.calendar.identifier == Calendar.autoupdatingCurrent.identifier && context.timeZone == .autoupdatingCurrent }
        ),
        (
            "A property without a client uses the shared client.",
            {
                let before = QueryClient.shared
                let store = SharedQuery(Number()).store
                // Another suite may have replaced the shared client.
                return QueryClient.shared !== before || store == before.store(for: Number())
            }
        ),
        ("The client observes whether a network is available.", { configuration.observesNetwork }),
        ("The client observes whether the app is active.", { configuration.observesActivity }),
        ("Unused stores are released when memory is low.", { configuration.observesMemoryPressure }),
        ("The client observes the user's time zone.", { configuration.observesCalendar }),
        ("Stale queries with observers refetch when the app becomes active.", { configuration.refetchesWhenActive }),
        ("Stale queries with observers refetch when the network is back.", { configuration.refetchesOnReconnect }),
        ("A debug build prints a message about each mistake in the use of the client.", { configuration.onMistake != nil }),
        ("Metrics and alerts are grouped by the first element of the path.", { configuration.metricsDepth == 1 }),
        (
            "An alert is raised if more than 5 % of the runs fail, more than 80 % of the lookups miss the cache, or the values take more than 100 MB. Long runs raise no alert, because no target is set for the 95th percentile of their durations.",
            {
                let alerts = configuration.alerts
                return alerts.failureRate == 0.05 && alerts.missRate == 0.8 && alerts.byteCount == 100_000_000
                    && alerts.p95Target == nil && alerts.p95Targets.isEmpty
            }
        ),
        (
            "Snapshots and the descriptions of events and regions contain no values; keys are hashes.",
            {
                let client = TestBench { _ in 987_654_321 }.client
                let events = client.events
                _ = try await client.fetch(Number())
                var texts = [client.snapshot().description]
                for await event in events {
                    texts.append(event.description)
                    if event.kind == .runSucceeded { break }
                }
                texts.append(QueryRegion(source: "app", name: "food", row: "987654321").description)
                return texts.count > 2 && !texts.contains { $0.contains("987654321") }
            }
        ),
    ]

    @Test func `R31 each documented default is checked against the code, and each checked one is documented`() throws {
        let page = URL(filePath: #filePath).appending(path: "../../../../Sources/QueryKit/QueryKit.docc/Defaults.md").standardizedFileURL
        let table = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
        #expect(table.map { $0.split(separator: "|")[0].trimmingCharacters(in: .whitespaces) } == Self.rows.map(\.sentence))
    }

    @Test(arguments: rows.map(\.sentence)) func `R31 the code has the documented default`(_ sentence: String) async throws {
        let row = try #require(Self.rows.first { $0.sentence == sentence })
        #expect(try await row.holds())
    }

    private static func failing(times: Int = .max, with error: any Error = TestError()) -> TestBench {
        let behavior: Backend.Behavior = { call in
            if call.number <= times { throw error }
            return call.number
        }
        return TestBench(behavior, adjusting: { $0.retry.backoff = .none })
    }

    private static func key(_ id: Int) -> QueryCacheKey { QueryCacheKey(path: ["number", id], type: "Int") }

    private static func entry(bytes: Int) -> QueryCacheEntry { QueryCacheEntry(data: Data(count: bytes), date: .now) }
}

private struct Plain: QueryRequest {
    let id: Int

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int { id }
}

private struct Flow: StreamRequest {
    typealias Value = Int

    func stream(in context: QueryContext) async throws -> AsyncThrowingStream<Int, any Error> {
        let value = try await context.backend.fetch(1, context, QueryContinuation { _ in })
        return AsyncThrowingStream { $0.yield(value) }
    }
}

private struct Endless: PaginatedRequest {
    var initialPageID: Int { 1 }

    func pageID(after page: QueryPage<Int, Int>, in pages: QueryPages<Int, Int>) -> Int? { page.id + 1 }

    func fetchPage(_ id: Int, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int { id }
}

private struct Log: DurableMutationRequest {
    func mutate(with arguments: Int, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int { arguments }
}
