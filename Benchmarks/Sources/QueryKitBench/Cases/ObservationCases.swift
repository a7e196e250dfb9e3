import Dispatch
import Foundation
import QueryKit
import QueryKitSQLite

extension Case {
    static let observationCases = [latency, foreign, group] + [10, 100_000].map { rows(of: $0) }

    /// From the commit to the delivery of the state to a subscriber, through store, use case and repository.
    private static let latency = Case(
        name: "observe.latency",
        summary:
            "from a commit to the new state in a subscriber, through store, use case and repository; floor: commit and read again by hand",
        kind: .delay { count in
            let screen = try await Screen()
            var delays: [Double] = []
            var floor: [Double] = []
            for number in 0..<count {
                let name = "name \(number)"
                let start = try await screen.fixture.rename(1, name)
                let end = await screen.arrivals.time(of: name)
                delays.append((end - start).nanoseconds)
                let plainStart = try await screen.fixture.rename(2, name)
                discard(try await screen.fixture.database.read { db in try db.value(String.self, "SELECT name FROM food WHERE id = 2") })
                floor.append((ContinuousClock().now - plainStart).nanoseconds)
                await screen.client.settled()
            }
            discard(screen)
            return (delays, floor)
        }
    )

    /// The same from another process, which is a second instance of this program.
    private static let foreign = Case(
        name: "observe.foreign",
        summary: "from a commit of another process to the new state in a subscriber",
        sampleLimit: 200,
        kind: .delay { count in
            let screen = try await Screen()
            let other = try OtherProcess(writingTo: screen.fixture.path)
            var delays: [Double] = []
            for number in 0..<count {
                let name = "name \(number)"
                other.write(name)
                let end = await screen.arrivals.wallTime(of: name)
                let start = await other.commitTime()
                delays.append((end - start) * 1e9)
            }
            other.end()
            discard(screen)
            return (delays, nil)
        }
    )
}

extension Case {
    /// The cost of showing several requests at one moment.
    private static let group = Case(
        name: "observe.group5",
        summary:
            "a commit that concerns five consistent requests, until all are settled; floor: five requests that are not consistent",
        kind: .time {
            let (group, single) = (try await Names(1...5, observed: 1...5, areConsistent: true), try await Names(1...5, observed: 1...5))
            return (
                Workload(batch: 100) { times in
                    for time in 0..<times { try await group.renameAll("name \(time)") }
                },
                floor: Workload(batch: 100) { times in
                    for time in 0..<times { try await single.renameAll("name \(time)") }
                }
            )
        }
    )

    /// A commit to a row that one of many stores reads by its id.
    private static func rows(of count: Int) -> Case {
        Case(
            name: "observe.rows" + (count == 10 ? "10" : "100k"),
            summary:
                "a commit to one row beside \(count) stores that each read one row, until all are settled; floor: the same commit beside 10",
            sampleLimit: 100,
            kind: .time {
                let (many, few) = (try await Names(1...10, observed: 1...count), try await Names(1...10, observed: 1...10))
                return (
                    Workload(batch: 50) { times in
                        for time in 0..<times { try await many.rename(time % 10 + 1, "name \(time)") }
                    },
                    floor: Workload(batch: 50) { times in
                        for time in 0..<times { try await few.rename(time % 10 + 1, "name \(time)") }
                    }
                )
            }
        )
    }
}

/// Observes the names of many foods, each by its id.
private final class Names: Sendable {
    private let ids: ClosedRange<Int>
    private let fixture: DatabaseFixture
    private let client = QueryClient(configuration: .isolated)
    private let subscriptions: [QuerySubscription]

    init(_ ids: ClosedRange<Int>, observed: ClosedRange<Int>, areConsistent: Bool = false) async throws {
        self.ids = ids
        fixture = try await DatabaseFixture(rows: 100)
        client.connect(to: fixture.database)
        let useCase = FoodUseCase(repository: FoodRepository(database: fixture.database))
        subscriptions = observed.map { [client] id in
            client.store(for: FoodName(id: id, useCase: useCase).consistent(areConsistent)).subscribe(with: QueryEventHandler { _, _ in })
        }
        await client.settled()
    }

    func rename(_ id: Int, _ name: String) async throws {
        try await fixture.database.write { db in try db.execute("UPDATE food SET name = \(name) WHERE id = \(id)") }
        await client.settled()
    }

    func renameAll(_ name: String) async throws {
        try await fixture.database.write { [ids] db in
            for id in ids { try db.execute("UPDATE food SET name = \(name) WHERE id = \(id)") }
        }
        await client.settled()
    }
}

/// Observes the name of a food, through store, use case and repository.
private struct Screen {
    let fixture: DatabaseFixture
    let client = QueryClient(configuration: .isolated)
    let arrivals = Arrivals()
    private let subscription: QuerySubscription

    init() async throws {
        fixture = try await DatabaseFixture(rows: 100)
        client.connect(to: fixture.database)
        let request = FoodName(id: 1, useCase: FoodUseCase(repository: FoodRepository(database: fixture.database)))
        subscription = client.store(for: request).subscribe(
            with: QueryEventHandler(onResultReceived: { [arrivals] result, _ in arrivals.note(try? result.get()) })
        )
        await client.settled()
    }
}

extension DatabaseFixture {
    /// Renames a food, and returns the time just before the commit.
    fileprivate func rename(_ id: Int, _ name: String) async throws -> ContinuousClock.Instant {
        try await database.write { db in
            try db.execute("UPDATE food SET name = \(name) WHERE id = \(id)")
            return ContinuousClock().now
        }
    }
}

private struct FoodRepository: Sendable {
    let database: SQLiteDatabase

    func name(of id: Int) async throws -> String {
        try await database.read { db in try db.value(String.self, "SELECT name FROM food WHERE id = \(id)") ?? "" }
    }
}

private struct FoodUseCase: Sendable {
    let repository: FoodRepository

    func name(of id: Int) async throws -> String { try await repository.name(of: id) }
}

private struct FoodName: QueryRequest {
    let id: Int
    let useCase: FoodUseCase

    var path: QueryPath { ["food", "name", id] }

    static func == (left: FoodName, right: FoodName) -> Bool { left.id == right.id }

    func hash(into hasher: inout Hasher) { hasher.combine(id) }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<String>) async throws -> String {
        try await useCase.name(of: id)
    }
}
