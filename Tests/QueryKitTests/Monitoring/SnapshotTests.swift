import Foundation
import TestSupport
import Testing

@testable import QueryKit

struct SnapshotTests {
    private struct Secret: QueryRequest {
        var path: QueryPath { ["account", "a name that is much too long for a column of a table of stores", 1] }

        func fetch(in context: QueryContext, with continuation: QueryContinuation<String>) async throws -> String { "hunter2\nplain" }
    }

    /// A client with one store of each kind.
    private func bench() async throws -> (TestBench, QuerySubscription) {
        let bench = TestBench { call in
            if call.id == 2 { throw TestError("secret") }
            if call.id == 3 { throw QueryError(.timeout) }
            return call.number
        }
        for id in 1...3 { _ = try? await bench.client.fetch(Number(id).ttl(.seconds(60))) }
        _ = try await bench.client.fetch(Secret())
        let subscription = bench.client.store(for: Number(1).ttl(.seconds(60))).record(Recorder())
        bench.clock.advance(by: .seconds(90))
        _ = bench.client.store(for: Number(4))
        bench.client.invalidate("number/4")
        return (bench, subscription)
    }

    @Test func `R27 a snapshot prints a table in the order of paths, without values`() async throws {
        let (bench, subscription) = try await bench()
        for _ in 0..<18 { _ = try? await bench.client.fetch(Number(2).ttl(.seconds(60))) }
        let text = bench.client.snapshot().description
        #expect(
            text == """
                path                                              status   is         age  subscribers  updates  size  cause    error
                account/a name that is m… of a table of stores/1  success  stale  1.5 min            0        1  16 B  manual
                number/1                                          success  stale  1.5 min            1        1   8 B  manual
                number/2                                          failure  stale     0 ns            0        0   0 B  manual   TestError
                number/3                                          failure  stale  1.5 min            0        0   0 B  manual   timeout
                number/4                                          idle     stale        -            0        0   0 B  created

                prefix   runs  failed  cancelled  now  peak  hits   p50   p95   p99
                account     1     0 %          0    0     1     -  0 ns  0 ns  0 ns
                number     21  95.2 %          0    0     1   0 %  0 ns  0 ns  0 ns
                (total)    22  90.9 %          0    0     1   0 %  0 ns  0 ns  0 ns
                5 stores, 24 B, 0 events dropped

                alert: failureRate number 95.2 % > 5 %
                alert: missRate number 100 % > 80 %
                """
        )
        #expect(!text.contains("hunter2"))
        #expect(!text.contains("secret"))
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).allSatisfy { $0.last != " " })
        subscription.cancel()
    }

    @Test func `R27 a snapshot shows the regions that each value was read from`() async throws {
        let bench = TestBench { call in
            QueryReads.current?.note([
                QueryRegion(source: "db", name: "food", row: "\(call.id)"), QueryRegion(source: "db", name: "brands"),
            ])
            return call.number
        }
        _ = try await bench.client.fetch(Number(7))
        #expect(bench.client.snapshot(includingValues: true).stores.map(\.reads) == [["db/brands", "db/food#7"]])
        let data = try JSONEncoder().encode(bench.client.snapshot())
        #expect(try JSONDecoder().decode(QueryClientSnapshot.self, from: data) == bench.client.snapshot())
        bench.client.remove("**")
        #expect(bench.client.snapshot().stores.isEmpty)
    }

    private final class Scan: ReadStatement {
        let text = "SELECT name FROM food"
        let plan = ["SCAN food"]
        let reads = ["food: the whole table"]
        let warnings = ["It scans all 2000 rows of food."]
    }

    @Test func `R27 a snapshot shows the statements by which each value was read, and each warning once`() async throws {
        let list = RecurringRegions([QueryRegion(source: "db", name: "food")], readBy: Scan())
        let bench = TestBench { call in
            if call.id < 3 { QueryReads.current?.note(list) }
            // In a part of the run.
            if call.id == 2 { _ = await QueryReads.collecting { QueryReads.current?.note(RecurringRegions(list.regions, readBy: Scan())) } }
            return call.number
        }
        for id in [1, 1, 2, 3] { _ = try await bench.client.fetch(Number(id)) }
        let snapshot = bench.client.snapshot()
        #expect(snapshot.stores.map(\.statements.count) == [1, 2, 0] && snapshot.stores.allSatisfy { !$0.hasMoreStatements })
        #expect(
            snapshot.stores[0].statements[0].description == """
                SELECT name FROM food
                  SCAN food
                  reads food: the whole table
                  warning: It scans all 2000 rows of food.
                """
        )
        let warnings = snapshot.description.split(separator: "\n").filter { $0.hasPrefix("warning") }
        #expect(warnings == ["warning: number/1: It scans all 2000 rows of food."])
        let data = try JSONEncoder().encode(snapshot)
        #expect(try JSONDecoder().decode(QueryClientSnapshot.self, from: data) == snapshot)
    }

    @Test func `R27 a snapshot shows the statements of the latest run`() async throws {
        let lists = (1...20).map { RecurringRegions([QueryRegion(source: "db", name: "food", row: "\($0)")], readBy: Scan()) }
        let bench = TestBench { call in
            for list in lists.prefix(call.number == 1 ? 20 : 2) { QueryReads.current?.note(list) }
            return call.number
        }
        _ = try await bench.client.fetch(Number())
        #expect(bench.client.snapshot().stores.map(\.statements.count) == [16])
        #expect(bench.client.snapshot().stores.map(\.hasMoreStatements) == [true])
        _ = try await bench.client.fetch(Number())
        #expect(bench.client.snapshot().stores.map(\.statements.count) == [2])
        #expect(bench.client.snapshot().stores.map(\.hasMoreStatements) == [false])
    }

    @Test func `R27 a snapshot includes values only if requested`() async throws {
        let (bench, subscription) = try await bench()
        let snapshot = bench.client.snapshot(includingValues: true)
        #expect(snapshot.stores.map(\.value) == ["hunter2\nplain", "1", nil, nil, nil])
        #expect(snapshot.description.contains("hunter2 plain"))
        #expect(bench.client.snapshot().stores.allSatisfy { $0.value == nil })
        subscription.cancel()
    }

    @Test func `R27 a snapshot can be encoded as JSON and decoded again`() async throws {
        let (bench, subscription) = try await bench()
        for _ in 0..<20 { _ = try? await bench.client.fetch(Number(2).ttl(.seconds(60))) }
        let snapshot = bench.client.snapshot(includingValues: true)
        #expect(snapshot.alerts.count == 2)
        let data = try JSONEncoder().encode(snapshot)
        #expect(try JSONDecoder().decode(QueryClientSnapshot.self, from: data) == snapshot)
        let json = try #require(String(data: data, encoding: .utf8))
        #expect(json.contains("\"valueAge\":90"))
        #expect(json.contains("\"kind\":\"failureRate\""))
        subscription.cancel()
    }

    @Test func `R27 a snapshot's entry matches its store`() async throws {
        let (bench, subscription) = try await bench()
        let stores = bench.client.snapshot().stores
        #expect(stores.map(\.status) == [.success, .success, .failure, .failure, .idle])
        #expect(stores.map(\.error) == [nil, nil, "TestError", "timeout", nil])
        #expect(stores.map(\.subscriberCount) == [0, 1, 0, 0, 0])
        #expect(stores[1].valueAge == .seconds(90))
        #expect(stores[1].isStale)
        #expect(stores[2].errorAge == .seconds(90))
        #expect(stores[2].valueAge == nil)
        #expect(stores[4].isInvalidated == false)
        #expect(stores[1].byteCount == 8)
        #expect(stores[1].cause == "manual")
        subscription.cancel()
    }

    @Test func `R27 infinite and missing ages can be encoded as JSON and decoded again`() throws {
        struct Ages: Codable, Equatable {
            var one: Duration
            var two: Duration?
            var three: Duration?
        }
        let ages = Ages(one: .infinity, two: .nanoseconds(86_400_000_000_123), three: nil)
        #expect(try JSONDecoder().decode(Ages.self, from: JSONEncoder().encode(ages)) == ages)
        let short = Ages(one: .nanoseconds(1_500_000_001), two: nil, three: .seconds(-2))
        #expect(try JSONDecoder().decode(Ages.self, from: JSONEncoder().encode(short)) == short)
    }

    @Test func `R27 durations, sizes and shares are printed short and independent of the locale`() {
        let durations: [(Duration, String)] = [
            (.zero, "0 ns"), (.nanoseconds(999), "999 ns"), (.nanoseconds(1_500), "1.5 µs"), (.milliseconds(20), "20 ms"),
            (.milliseconds(1_999), "1.9 s"), (.seconds(90), "1.5 min"), (.seconds(7_200), "2 h"), (.seconds(400 * 86_400), "400 d"),
            (.infinity, "∞"), (.seconds(-2), "-2 s"),
        ]
        for (duration, text) in durations { #expect(ShortText.duration(duration) == text) }
        let sizes = [(0, "0 B"), (999, "999 B"), (1_500, "1.5 kB"), (123_456_789, "123 MB"), (2_000_000_000, "2 GB")]
        for (count, text) in sizes { #expect(ShortText.bytes(count) == text) }
        for (share, text) in [(0.0, "0 %"), (0.125, "12.5 %"), (1, "100 %")] { #expect(ShortText.share(share) == text) }
    }
}
