#if Postgres
import PostgresTestSupport
import QueryKit
import QueryKitPostgres
import Testing

@Suite(
    .enabled(if: PostgresServer.url != nil, "make test-postgres starts a server"),
    .timeLimit(.minutes(5))
)
struct LoadTests {
    /// Each of four instances shows 250 counters, so that each of 500 counters is shown by two. Writers increase those with even numbers.
    @Test func `1,000 stores follow 16 writers, and only those run whose counter was increased`() async throws {
        try await PostgresServer.withDatabase { url in
            var instances: [CounterInstance] = []
            for _ in 0..<4 { instances.append(try await CounterInstance.open(url) { $0.connectionLimit = 5 }) }
            let shown = (0..<4).map { index in (0..<250).map { (index * 125 + $0) % 500 + 1 } }
            for (instance, ids) in zip(instances, shown) { await instance.watch([CounterInstance.fence] + ids) }
            let commits = Lock<[Int: Int]>([:])
            try await withThrowingDiscardingTaskGroup { [instances] group in
                for writer in 0..<16 {
                    group.addTask {
                        let database = instances[writer % 4].database
                        let end = ContinuousClock.now + .seconds(60)
                        var rest = 25
                        while FaultBench.isLong ? ContinuousClock.now < end : rest > 0 {
                            rest -= 1
                            let id = Int.random(in: 1...250) * 2
                            // Before the write, so that a run of its store never seems to be without a reason.
                            commits.withLock { $0[id, default: 0] += 1 }
                            try await database.increase(id)
                        }
                    }
                }
            }
            try await CounterInstance.raiseFence(at: url)
            let values = try await instances[0].database.counters()
            let counts = commits.withLock { $0 }
            #expect(values.filter { $0.key != CounterInstance.fence } == counts)
            for (instance, ids) in zip(instances, shown) {
                await instance.wait(forFence: 1)
                let outdated = ids.filter { instance.store($0).value != values[$0, default: 0] }
                #expect(outdated == [], "stores that differ from the database")
                let runs = instance.runCounts
                let needless = ids.filter { runs[$0, default: 0] > 1 + counts[$0, default: 0] }
                #expect(needless == [], "stores that ran more often than their counter was increased")
            }
            for instance in instances { await instance.close() }
        }
    }
}
#endif
