#if Postgres
import Foundation
import PostgresTestSupport
@testable import QueryKitPostgres
import Testing

@Suite(.enabled(if: PostgresServer.url != nil, "make test-postgres starts a server"), .timeLimit(.minutes(2)))
struct TransactionTests {
    static let food: PostgresMigrations = [
        PostgresMigration(
            "food",
            "CREATE TABLE food (id bigint PRIMARY KEY, name text NOT NULL, grams float8); CREATE INDEX ON food (name)"
        )
    ]

    @Test func `what a write has written is read afterwards`() async throws {
        try await PostgresServer.withOpenDatabase(migrations: Self.food) { database in
            let count = try await database.write { db in
                try await db.execute("INSERT INTO food VALUES (\(1), \("Oats"), \(40.5)), (\(2), \("Milk"), \(nil as Double?))")
            }
            #expect(count == 2)
            let names: [String] = try await database.read { db in try await db.values("SELECT name FROM food ORDER BY id") }
            #expect(names == ["Oats", "Milk"])
            let grams = try await database.read { db in
                try await db.map("SELECT grams, id FROM food WHERE id IN \([1, 2, 3]) ORDER BY id") { row in
                    try row["grams"] as Double?
                }
            }
            #expect(grams == [40.5, nil])
        }
    }

    @Test func `an error of the closure rolls everything back`() async throws {
        struct Stop: Error {}
        try await PostgresServer.withOpenDatabase(migrations: Self.food) { database in
            await #expect(throws: Stop.self) {
                try await database.write { db in
                    try await db.execute("INSERT INTO food VALUES (1, 'Oats')")
                    throw Stop()
                }
            }
            let count = try await database.read { db in try await db.value(Int.self, "SELECT count(*) FROM food") }
            #expect(count == 0)
        }
    }

    @Test func `a read can't write`() async throws {
        try await PostgresServer.withOpenDatabase(migrations: Self.food) { database in
            await #expect(throws: PostgresError.self) {
                try await database.read { db in try await db.values(Int.self, "INSERT INTO food VALUES (1, 'Oats') RETURNING id") }
            }
        }
    }

    @Test func `forEach delivers all rows in order`() async throws {
        try await PostgresServer.withOpenDatabase { database in
            var sum = 0
            var last = 0
            try await database.read { db in
                try await db.forEach("SELECT g FROM generate_series(1, 20000) g") { row in
                    let number: Int = try row[0]
                    #expect(number == last + 1)
                    last = number
                    sum += number
                }
            }
            #expect(sum == 20_000 * 20_001 / 2)
        }
    }

    @Test func `an error within a savepoint undoes only its statements`() async throws {
        struct Stop: Error {}
        try await PostgresServer.withOpenDatabase(migrations: Self.food) { database in
            try await database.write { db in
                try await db.execute("INSERT INTO food VALUES (1, 'Oats')")
                do {
                    try await db.savepoint {
                        try await db.execute("INSERT INTO food VALUES (2, 'Milk')")
                        try await db.execute("INSERT INTO food VALUES (1, 'Oats again')")
                    }
                    Issue.record("The key exists already.")
                } catch let error as PostgresError {
                    #expect(error.constraint == .unique)
                    #expect(error.constraintName == "food_pkey")
                }
                try await db.savepoint { try await db.execute("INSERT INTO food VALUES (3, 'Salt')") }
            }
            let ids = try await database.read { db in try await db.values(Int.self, "SELECT id FROM food ORDER BY id") }
            #expect(ids == [1, 3])
        }
    }

    @Test func `several statements run in one round trip`() async throws {
        try await PostgresServer.withOpenDatabase(migrations: Self.food) { database in
            let counts = try await database.write { db in
                try await db.execute(each: (1...100).map { "INSERT INTO food VALUES (\($0), \("Food \($0)"))" })
            }
            #expect(counts == Array(repeating: 1, count: 100))
            let lists = try await database.read { db in
                try await db.map(each: [1, 2, 300].map { "SELECT name FROM food WHERE id = \($0)" }) { try $0[0] as String }
            }
            #expect(lists == [["Food 1"], ["Food 2"], []])
        }
    }
}
#endif
