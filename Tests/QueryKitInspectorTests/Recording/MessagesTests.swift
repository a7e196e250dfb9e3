import Foundation
import Testing

@testable import QueryKit
@testable import QueryKitInspector

/// The content of the messages that show a whole state.
struct MessagesTests {
    private func text(_ members: [JSON.Member]) -> String { String(decoding: JSON.object(members).bytes, as: UTF8.self) }

    private func summary(_ first: Int) -> QueryMetrics.Summary {
        QueryMetrics.Summary(
            runs: first,
            successes: first + 1,
            failures: first + 2,
            cancelled: first + 3,
            failedAttempts: first + 4,
            hits: first + 5,
            misses: first + 6,
            running: first + 7,
            peakRunning: first + 8,
            p50: .milliseconds(first + 9),
            p95: .milliseconds(first + 10),
            p99: nil
        )
    }

    @Test func `metrics are sent under their names, in total and by prefix`() {
        let metrics = QueryMetrics(
            total: summary(100),
            byPrefix: ["b": summary(300), "a": summary(200)],
            other: nil,
            storeCount: 4,
            byteCount: 5,
            droppedEventCount: 6
        )
        let alert = QueryAlert(kind: .byteCount, prefix: nil, measured: 2_000_000, threshold: 1_000_000)
        func counts(_ first: Int) -> String {
            """
            "runs":\(first),"successes":\(first + 1),"failures":\(first + 2),"cancelled":\(first + 3),"misses":\(first + 6),\
            "hits":\(first + 5),"running":\(first + 7),"peak":\(first + 8),"p50":\(first + 9),"p95":\(first + 10),"p99":null
            """
        }
        #expect(
            text(JSON.metrics(metrics, [alert])) == """
                {"total":{\(counts(100))},"prefixes":[{"prefix":"a",\(counts(200))},{"prefix":"b",\(counts(300))}],\
                "stores":4,"bytes":5,"dropped":6,"alerts":["\(alert)"]}
                """
        )
    }

    private func surroundings(isManual: Bool) -> Surroundings {
        Surroundings(
            limits: [Surroundings.Limit(pattern: "a/**", limit: 1, running: 2, waiting: ["a/1"], waitingCount: 3)],
            network: Surroundings.Network(isAvailable: false, isSimulated: true, waitingMutations: 4, waitingRuns: 5),
            isActive: true,
            caches: [Surroundings.Cache(name: "Disk", entryCount: 6), Surroundings.Cache(name: "Other", entryCount: nil)],
            clock: Surroundings.Clock(
                isManual: isManual,
                now: .zero.advanced(by: .milliseconds(1500)),
                date: Date(timeIntervalSince1970: 1.5)
            ),
            session: "anna",
            configuration: [NamedText("retention", "5 min")]
        )
    }

    @Test(arguments: [true, false]) func `surroundings are sent under their names`(isManual: Bool) {
        let clock =
            isManual ? #"{"manual":true,"now":"1970-01-01T00:00:01.500","t":1500}"# : #"{"manual":false,"now":null,"t":null}"#
        #expect(
            text(JSON.surroundings(surroundings(isManual: isManual), SessionTime(start: .zero), showsValues: true)) == """
                {"limits":[{"pattern":"a/**","limit":1,"running":2,"waiting":["a/1"],"waitingCount":3}],\
                "network":{"available":false,"simulated":true,"waitingMutations":4,"waitingRuns":5},"active":true,\
                "caches":[{"name":"Disk","entries":6},{"name":"Other","entries":null}],"clock":\(clock),"session":"anna",\
                "configuration":[["retention","5 min"]]}
                """
        )
    }

    @Test func `the layers of a store name their mutation, their call if it is pending, and what they wait for`() throws {
        let details = StoreDetails(
            row: StoreRow(
                id: 1,
                elements: ["a"],
                path: "a",
                type: "A",
                isMutation: false,
                status: .success,
                flags: [.optimistic],
                subscribers: 0,
                waiters: 0,
                updatedAt: nil,
                ttl: nil,
                runs: 0,
                failures: 0,
                byteCount: 0,
                cause: "optimistic",
                origin: nil,
                error: nil
            ),
            value: nil,
            fields: [],
            settings: [],
            reads: [],
            statements: [],
            hasMoreStatements: false,
            tags: [],
            dependencies: [],
            dependents: [],
            layers: [
                StoreDetails.Layer(mutation: "add", call: 7, label: "under way"),
                StoreDetails.Layer(mutation: nil, call: nil, label: "waits"),
            ],
            caches: []
        )
        let json = JSON.details(
            details,
            nil,
            SessionTime(start: .zero),
            showsValues: false,
            previous: nil,
            history: .list([]),
            why: nil
        )
        let layers = #"[{"mutation":"add","call":7,"label":"under way"},{"mutation":null,"call":null,"label":"waits"}]"#
        #expect(String(decoding: json.bytes, as: UTF8.self).contains("\"layers\":\(layers)"))
    }
}
