//! From observing a database to queries, in three steps that work by
//! themselves: wrap the observation, report regions, or move the reads.
import Foundation
import QueryKit
import QueryKitSQLite

// snippet.domain
nonisolated struct Player: Equatable, Sendable {
    let name: String
    var score: Int
}
// snippet.end

/// Stands for a database with an observation, such as GRDB's
/// or a store of SwiftData.
actor Observed {
    private var players = [Player(name: "Ada", score: 10)]
    private var observers: [AsyncStream<[Player]>.Continuation] = []
    private var committed: @Sendable (_ table: String) -> Void = { _ in
    }

    func values() -> AsyncStream<[Player]> {
        let (values, observer) = AsyncStream.makeStream(
            of: [Player].self,
            bufferingPolicy: .bufferingNewest(1)
        )
        observer.yield(players)
        observers.append(observer)
        return values
    }

    func onCommit(
        _ committed: @escaping @Sendable (_ table: String) -> Void
    ) {
        self.committed = committed
    }

    func read() -> [Player] { players }

    func write(_ player: Player) {
        players.removeAll { $0.name == player.name }
        players.append(player)
        for observer in observers { observer.yield(players) }
        committed("player")
    }
}

nonisolated extension QueryDependencies {
    var observed: QueryDependency<Observed> { .init(Observed()) }
    var players: QueryDependency<PlayerRepository> { .required() }
}

// snippet.stream
// Step 1: the observation stays, and a request shares it.
struct ObservedPlayers: StreamRequest {
    var path: QueryPath { ["players", "observed"] }

    // With GRDB:
    // ValueObservation.tracking(Player.fetchAll).values(in: pool)
    func stream(
        in context: QueryContext
    ) async throws -> AsyncStream<[Player]> {
        await context.observed.values()
    }
}
// snippet.end

// snippet.regions
// Step 2: the fetch reads once and notes what it reads; the
// database reports its commits.
struct RankedPlayers: QueryRequest {
    var path: QueryPath { ["players", "ranked"] }

    func fetch(
        in context: QueryContext,
        with continuation: QueryContinuation<[Player]>
    ) async throws -> [Player] {
        // Before reading:
        QueryReads.note([QueryRegion(source: "game", name: "player")])
        return await context.observed.read().sorted {
            $0.score > $1.score
        }
    }
}
// snippet.end

let observed = Observed()
var context = QueryContext()
context.observed = observed

// snippet.join
let client = QueryClient.test(context: context)

// With GRDB: DatabaseRegionObservation(tracking: Player.all())
//     .start(in: pool, onError: { … }, onChange: { _ in … })
// With SwiftData: after save() of the actor that writes.
await observed.onCommit { [weak client] table in
    client?.changed([QueryRegion(source: "game", name: table)])
}
// snippet.end

// snippet.watch
let all = client.store(for: ObservedPlayers())
let ranked = client.store(for: RankedPlayers().freshUntilChanged())
let subscriptions = [
    all.subscribe(with: QueryEventHandler()),
    ranked.subscribe(with: QueryEventHandler()),
]
await client.settled()

await observed.write(Player(name: "Bob", score: 20))
for await players in all.select(\.value) where players?.count == 2 {
    break
}
await client.settled()
print(ranked.value?.map(\.name) ?? [])  // ["Bob", "Ada"]
// snippet.end
// snippet.hide
precondition(
    ranked.value?.map(\.name) == ["Bob", "Ada"] && all.value?.count == 2
)
for subscription in subscriptions { subscription.cancel() }
// snippet.show

// snippet.repository
// Step 3: the reads move to QueryKitSQLite. The repository observes
// nothing, and notes nothing.
nonisolated struct PlayerRepository: Sendable {
    let database: SQLiteDatabase

    func best(_ count: Int) async throws -> [Player] {
        try await database.read { db in
            try db.map(
                """
                SELECT name, score FROM players
                ORDER BY score DESC LIMIT \(count)
                """
            ) { row in
                Player(name: try row[0], score: try row[1])
            }
        }
    }

    func save(_ player: Player) async throws {
        try await database.write { db in
            try db.execute(
                """
                INSERT INTO players (name, score)
                VALUES (\(player.name), \(player.score))
                """
            )
        }
    }
}

// snippet.best
struct BestPlayers: QueryRequest {
    let count: Int

    var path: QueryPath { ["players", "best", count] }

    func fetch(
        in context: QueryContext,
        with continuation: QueryContinuation<[Player]>
    ) async throws -> [Player] {
        try await context.players.best(count)
    }
}
// snippet.end

// snippet.hide
let folder = FileManager.default.temporaryDirectory.appending(
    path: UUID().uuidString
)
try FileManager.default.createDirectory(
    at: folder,
    withIntermediateDirectories: true
)
let url = folder.appending(path: "game.sqlite")
let migrations: SQLiteMigrations = [
    SQLiteMigration(
        "players",
        """
        CREATE TABLE players (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL,
            score INTEGER NOT NULL
        ) STRICT
        """
    )
]
// snippet.show

// snippet.connect
let database = try await SQLiteDatabase.open(
    .file(url),
    migrations: migrations
)
var live = QueryContext()
live.players = PlayerRepository(database: database)
let connected = QueryClient.test(context: live)
connected.connect(to: database)
// snippet.end

// snippet.model
@MainActor
final class Ranking: QueryModel {
    let queryClient: QueryClient

    @SharedQuery(BestPlayers(count: 3).freshUntilChanged(), default: [])
    var players

    init(queryClient: QueryClient) { self.queryClient = queryClient }

    /// Does what a predicate of `@Query` with an argument does:
    /// the property shows another request.
    func show(_ count: Int) {
        $players.show(
            BestPlayers(count: count).freshUntilChanged()
                .keepingPrevious()
        )
    }
}

let ranking = Ranking(queryClient: connected)
print(ranking.players.count)  // 0, and the first read has started
try await live.players.save(Player(name: "Ada", score: 10))
await connected.settled()
print(ranking.players.map(\.name))  // ["Ada"]
// snippet.end
// snippet.hide
precondition(ranking.players.map(\.name) == ["Ada"])
// snippet.show

// snippet.foreign
// An observation doesn't see a commit of another process. Here a
// second connection to the same file plays that process.
let widget = try await SQLiteDatabase.open(.file(url))
try await PlayerRepository(database: widget).save(
    Player(name: "Bob", score: 20)
)
for await players in connected.store(for: BestPlayers(count: 3)).select(
    \.value
) where players?.count == 2 { break }
await connected.settled()
print(ranking.players.map(\.name))  // ["Bob", "Ada"]
// snippet.end
// snippet.hide
precondition(ranking.players.map(\.name) == ["Bob", "Ada"])
ranking.show(1)
_ = ranking.players
await connected.settled()
precondition(ranking.players.map(\.name) == ["Bob"])
await widget.close()
await database.close()
try FileManager.default.removeItem(at: folder)
// snippet.show
