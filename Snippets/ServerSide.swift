//! QueryKit in a server: one client for all connections, limits,
//! a client that disconnects, pushes, metrics, and a database that
//! another process writes.
import Foundation
import QueryKit
import QueryKitSQLite
import QueryKitTesting

// snippet.request
nonisolated protocol Timetable: Sendable {
    /// Calls a slow service.
    func departures(of station: Int) async throws -> [String]
}

nonisolated extension QueryDependencies {
    var timetable: QueryDependency<any Timetable> { .required() }
}

nonisolated struct Departures: QueryRequest {
    let station: Int

    var path: QueryPath { ["departures", station] }

    func fetch(
        in context: QueryContext,
        with continuation: QueryContinuation<[String]>
    ) async throws -> [String] {
        try await context.timetable.departures(of: station)
    }
}
// snippet.end

// snippet.client
/// Creates the client of the process; call it once.
nonisolated func makeClient(_ context: QueryContext) -> QueryClient {
    var configuration = QueryClient.Configuration.isolated
    configuration.observesMemoryPressure = true
    configuration.byteLimit = 200_000_000
    configuration.storeLimit = 50_000
    configuration.retention = .seconds(60)
    configuration.setLimit(8, matching: "departures/**")
    configuration.setDefaults { context in
        context.ttl = .seconds(5)
        context.timeout = .seconds(2)
        context.networkMode = .always
    }
    return QueryClient(context: context, configuration: configuration)
}
// snippet.end

// snippet.hide
struct FakeTimetable: Timetable {
    let function = FakeFunction<Int, [String]> { ["Oslo \($0)"] }

    func departures(of station: Int) async throws -> [String] {
        try await function(station)
    }
}

let timetable = FakeTimetable()
timetable.function.gate.close()
var settings = QueryContext()
settings.timetable = timetable
settings.clock = ManualClock()  // a busy machine causes no timeout
let client = makeClient(settings)
// snippet.show

// snippet.shared
/// The handler of `GET /stations/5/departures`.
@concurrent
nonisolated func departures(
    of station: Int,
    using client: QueryClient
) async throws -> [String] {
    try await client.fetch(Departures(station: station))
}

// 5,000 connections, one call of the service.
let responses = Task {
    try await withThrowingTaskGroup(of: [String].self) { group in
        for _ in 1...5_000 {
            group.addTask { try await departures(of: 5, using: client) }
        }
        var count = 0
        for try await _ in group { count += 1 }
        return count
    }
}
// snippet.hide
await timetable.function.gate.holds()
timetable.function.gate.open()
// snippet.show
print(try await responses.value)  // 5000
print(client.metrics.total.runs)  // 1
// snippet.end
// snippet.hide
let count = try await responses.value
precondition(count == 5_000 && timetable.function.callCount == 1)

// The limit: forty stations, at most eight calls at a time.
timetable.function.gate.close()
let stations = (101...140).map { station in
    Task { try await departures(of: station, using: client) }
}
for _ in 1...5 {
    await timetable.function.gate.holds(atLeast: 8)
    precondition(timetable.function.gate.heldCount == 8)
    timetable.function.gate.letThrough()
}
for station in stations { _ = try await station.value }
precondition(timetable.function.callCount == 41)
// snippet.show

// snippet.admission
nonisolated struct Busy: Error {}  // becomes 503 Service Unavailable

/// Rejects work beyond a limit, so that no queue grows forever.
actor Admission {
    private let limit: Int
    private var count = 0

    init(limit: Int) { self.limit = limit }

    func admit<Value: Sendable>(
        _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        if count >= limit { throw Busy() }
        count += 1
        defer { count -= 1 }
        return try await body()
    }
}

/// The same handler, with a limit on concurrent fetches.
nonisolated func admitted(
    to station: Int,
    by admission: Admission,
    using client: QueryClient
) async throws -> [String] {
    let request = Departures(station: station)
    let store = client.store(for: request)
    // A fresh value costs nothing, so it is always returned.
    if !store.isStale, let value = store.value { return value }
    return try await admission.admit { try await client.fetch(request) }
}
// snippet.end
// snippet.hide
timetable.function.gate.close()
let admission = Admission(limit: 1)
let admittedOne = Task {
    try await admitted(to: 201, by: admission, using: client)
}
await timetable.function.gate.holds()
do {
    _ = try await admitted(to: 202, by: admission, using: client)
    preconditionFailure("the second one must be refused")
} catch is Busy {}
let fresh = try await admitted(to: 5, by: admission, using: client)
precondition(fresh == ["Oslo 5"])
timetable.function.gate.open()
_ = try await admittedOne.value

timetable.function.gate.close()
// snippet.show

// snippet.cancellation
// Two connections wait for one run. The server cancels the task of a
// connection that was closed.
let closed = Task { try await departures(of: 6, using: client) }
let open = Task { try await departures(of: 6, using: client) }
// snippet.hide
await timetable.function.gate.holds()
await client.settled()
// snippet.show
closed.cancel()
print(await closed.result)  // failure(CancellationError())
// snippet.hide
timetable.function.gate.open()
// snippet.show
print(try await open.value)  // ["Oslo 6"]
// snippet.end
// snippet.hide
let runs = client.metrics.byPrefix["departures"]?.cancelled
precondition(runs == 0)
do {
    _ = try await closed.value
    preconditionFailure("the caller was cancelled")
} catch is CancellationError {}
// A run whose last caller has left is cancelled.
timetable.function.gate.close()
let left = Task { try await departures(of: 7, using: client) }
await timetable.function.gate.holds()
left.cancel()
_ = await left.result
await client.settled()
precondition(client.metrics.byPrefix["departures"]?.cancelled == 1)
timetable.function.gate.open()
// snippet.show

// snippet.metrics
/// The response of `GET /metrics`.
nonisolated func metricsText(of client: QueryClient) -> String {
    let metrics = client.metrics
    var lines = [
        "querykit_stores \(metrics.storeCount)",
        "querykit_bytes \(metrics.byteCount)",
    ]
    for (prefix, summary) in metrics.byPrefix.sorted(by: {
        $0.key < $1.key
    }) {
        let labels = "{path=\"\(prefix)\"}"
        lines += [
            "querykit_runs_total\(labels) \(summary.runs)",
            "querykit_failures_total\(labels) \(summary.failures)",
            "querykit_hits_total\(labels) \(summary.hits)",
            "querykit_running\(labels) \(summary.running)",
        ]
        if let p95 = summary.p95 {
            lines.append(
                "querykit_p95_seconds\(labels) \(p95 / .seconds(1))"
            )
        }
    }
    return lines.joined(separator: "\n") + "\n"
}
// snippet.end
print(metricsText(of: client))
// snippet.hide
let text = metricsText(of: client)
precondition(
    text.contains("querykit_runs_total{path=\"departures\"} 44\n"),
    text
)
// snippet.show

// snippet.database
nonisolated extension QueryDependencies {
    var delays: QueryDependency<Delays> { .required() }
}

nonisolated struct Delays: Sendable {
    let database: SQLiteDatabase

    /// Each process of the host opens the same file.
    static func open(_ file: URL) async throws -> Delays {
        let database = try await SQLiteDatabase.open(
            .file(file),
            migrations: [
                SQLiteMigration(
                    "delays",
                    """
                    CREATE TABLE delays (
                        station INTEGER PRIMARY KEY,
                        minutes INTEGER NOT NULL
                    ) STRICT
                    """
                )
            ]
        )
        return Delays(database: database)
    }
}
// snippet.end

// snippet.statements
nonisolated extension Delays {
    func minutes(at station: Int) async throws -> Int {
        try await database.read { db in
            try db.value(
                "SELECT minutes FROM delays WHERE station = \(station)"
            )
        } ?? 0
    }

    func set(_ minutes: Int, at station: Int) async throws {
        try await database.write { db in
            try db.execute(
                """
                INSERT INTO delays (station, minutes)
                VALUES (\(station), \(minutes))
                ON CONFLICT (station)
                DO UPDATE SET minutes = excluded.minutes
                """
            )
        }
    }
}
// snippet.end

// snippet.push
/// A connection for server-sent events; your framework has one.
nonisolated protocol EventStream: Sendable {
    /// Returns when the text is in the buffer of the connection.
    func send(_ text: String) async throws
}

/// Sends each delay until the connection is closed. A slow connection
/// skips values, and receives the newest one.
@concurrent
nonisolated func pushDelays(
    at station: Int,
    to stream: some EventStream,
    using client: QueryClient
) async throws {
    let request = InlineQuery("delays", station) { context in
        try await context.delays.minutes(at: station)
    }.freshUntilChanged()
    let delays = client.store(for: request).select(\.value)
    for await minutes in delays {
        if let minutes { try await stream.send("data: \(minutes)\n\n") }
    }
}
// snippet.end

// snippet.hide
struct Sent: EventStream {
    let texts: AsyncStream<String>.Continuation

    func send(_ text: String) { texts.yield(text) }
}

if CommandLine.arguments.count > 1 {
    // Another process of the host: writes a delay, and ends.
    let worker = try await Delays.open(
        URL(fileURLWithPath: CommandLine.arguments[1])
    )
    try await worker.set(12, at: 5)
    await worker.database.close()
    exit(0)
}
let folder = FileManager.default.temporaryDirectory.appending(
    path: UUID().uuidString
)
try FileManager.default.createDirectory(
    at: folder,
    withIntermediateDirectories: true
)
let file = folder.appending(path: "delays.sqlite")
// snippet.show

// snippet.hide
let (texts, sink) = AsyncStream.makeStream(of: String.self)
let connection = Sent(texts: sink)
// snippet.show

// snippet.follow
let delays = try await Delays.open(file)
var context = QueryContext()
context.delays = delays
let server = QueryClient(context: context, configuration: .isolated)
server.connect(to: delays.database)

// A connection was accepted:
let push = Task {
    try await pushDelays(at: 5, to: connection, using: server)
}
// snippet.end
// snippet.hide
@MainActor
func followWorker() async throws {
    var sent = texts.makeAsyncIterator()
    let before = await sent.next()
    precondition(before == "data: 0\n\n")
    let worker = Process()
    worker.executableURL =
        Bundle.main.executableURL
        ?? URL(fileURLWithPath: CommandLine.arguments[0])
    worker.arguments = [file.path]
    try worker.run()
    let after = await sent.next()
    precondition(after == "data: 12\n\n")
    worker.waitUntilExit()
}
try await followWorker()
// snippet.show

// snippet.shutdown
// Stop accepting connections, end the open ones, close the file.
push.cancel()
_ = await push.result
await server.settled()
await delays.database.close()
// snippet.end
// snippet.hide
try FileManager.default.removeItem(at: folder)
// snippet.show
