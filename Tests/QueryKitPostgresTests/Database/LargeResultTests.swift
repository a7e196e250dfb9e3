#if Postgres
import Foundation
import PostgresTestSupport
@testable import QueryKitPostgres
import Testing

@Suite(.enabled(if: PostgresServer.url != nil, "make test-postgres starts a server"), .timeLimit(.minutes(5)))
struct LargeResultTests {
    /// The memory of the process, in MiB; 0 on systems without /proc.
    private var memory: Int {
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ").dropFirst().first
        return (pages.flatMap { Int($0) } ?? 0) * 4 / 1_024
    }

    @Test func `two million rows need little memory`() async throws {
        try await PostgresServer.withOpenDatabase { database in
            let before = memory
            var most = 0
            var count = 0
            try await database.read { db in
                try await db.forEach("SELECT g, repeat('x', 100) FROM generate_series(1, 2000000) g") { row in
                    count += 1
                    if count % 100_000 == 0 { most = max(most, memory) }
                }
                let next = try await db.value(Int.self, "SELECT 1")
                #expect(next == 1)
            }
            #expect(count == 2_000_000)
            // Each row takes 2 KiB in the memory of the client library, so all of them would take 4 GB.
            #expect(most - before < 200)
        }
    }

    @Test func `a closure that throws skips the remaining rows, and the transaction continues`() async throws {
        struct Stop: Error {}
        try await PostgresServer.withOpenDatabase { database in
            try await database.read { db in
                var count = 0
                await #expect(throws: Stop.self) {
                    try await db.forEach("SELECT g FROM generate_series(1, 50000) g") { _ in
                        count += 1
                        if count == 10 { throw Stop() }
                    }
                }
                let next = try await db.value(Int.self, "SELECT 1")
                #expect(next == 1)
            }
        }
    }

    @Test func `an error in the middle of a result comes after the rows before it`() async throws {
        try await PostgresServer.withOpenDatabase { database in
            var last = 0
            await #expect {
                try await database.read { db in
                    try await db.forEach("SELECT 1 / (10000 - g), g FROM generate_series(1, 20000) g") { row in last = try row[1] }
                }
            } throws: {
                ($0 as? PostgresError)?.sqlState == "22012"
            }
            #expect(last == 9_999)
        }
    }

    @Test func `a long statement and many rows are sent in pieces`() async throws {
        try await PostgresServer.withOpenDatabase { database in
            let text = String(repeating: "ü", count: 5_000_000)
            let length = try await database.read { db in try await db.values(Int.self, "SELECT length(\(text)) FROM generate_series(1, 3)")
            }
            #expect(length == [5_000_000, 5_000_000, 5_000_000])
            let echo = try await database.read { db in try await db.value(String.self, "SELECT \(text)") }
            #expect(echo == text)
            let counts = try await database.write { db in
                try await db.execute("CREATE TEMPORARY TABLE t (id bigint) ON COMMIT DROP")
                return try await db.execute(each: (1...20_000).map { "INSERT INTO t VALUES (\($0))" })
            }
            #expect(counts.reduce(0, +) == 20_000)
        }
    }
}
#endif
