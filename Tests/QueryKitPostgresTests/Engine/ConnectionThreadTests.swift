#if Postgres
import Foundation
import PostgresTestSupport
import QueryKit
@testable import QueryKitPostgres
import Testing

/// Connections that several threads use, close and read at the same time.
@Suite(.enabled(if: PostgresServer.url != nil, "make test-postgres starts a server"), .timeLimit(.minutes(2)))
struct ConnectionThreadTests {
    private static func open() async throws -> Connection {
        try await Connection.open(try Endpoint(PostgresServer.url ?? ""), within: .seconds(20))
    }

    @Test func `notifications arrive in their order while statements run`() async throws {
        let (listener, sender) = (try await Self.open(), try await Self.open())
        defer {
            listener.close()
            sender.close()
        }
        let count = 2_000
        let channel = "order_" + UUID().uuidString.lowercased().replacing("-", with: "")
        let (notices, notice) = AsyncStream.makeStream(of: String.self)
        listener.onNotification { notice.yield($0.payload) }
        try await listener.run("LISTEN \(channel)")
        async let sent: Void = {
            for number in 0..<count { try await sender.run("SELECT pg_notify('\(channel)', '\(number)')") }
        }()
        async let statements: Void = {
            for _ in 0..<count { try await listener.run("SELECT 1") }
        }()
        var received: [String] = []
        for await payload in notices {
            received.append(payload)
            if received.count == count { break }
        }
        _ = try await (sent, statements)
        #expect(received == (0..<count).map(String.init))
    }

    @Test func `the rows of a stream arrive in their order`() async throws {
        let connection = try await Self.open()
        defer { connection.close() }
        var numbers: [Int] = []
        let statement = Request.statement("SELECT g FROM generate_series(1, 50000) g", try Parameters([]) { "" })
        let (outcome, failure) = await connection.perform([statement], streaming: 0) { rows in
            numbers += try rows.map { row in try row[0] }
        }
        #expect(outcome.error == nil && failure == nil)
        #expect(numbers == Array(1...50_000))
    }

    #if os(Linux)
    // A process of its own, because its descriptors are counted.
    @Test func `connections that are opened and closed while they are used leave no descriptor open`() async {
        await #expect(processExitsWith: .success) {
            // Threads and queues are created once.
            try await Self.openAndClose(5)
            let before = try Self.descriptors()
            try await Self.openAndClose(25)
            let after = try Self.descriptors()
            precondition(after.count <= before.count, "\(before) \(after)")
        }
    }

    private static func descriptors() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").map { name in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")) ?? ""
        }
    }

    private static func openAndClose(_ count: Int) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<count {
                        let connection = try await open()
                        let (ends, end) = AsyncStream.makeStream(of: BatchOutcome.self)
                        connection.submit([.once("SELECT g FROM generate_series(1, 5000) g")], within: .seconds(20)) {
                            end.yield($0)
                        }
                        switch (task + number) % 3 {
                        case 0: connection.close()
                        case 1: Thread.detachNewThread { connection.close() }
                        default: break
                        }
                        for await _ in ends { break }
                        connection.close()
                        precondition(connection.isClosed)
                    }
                }
            }
        }
    }
    #endif
}
#endif
