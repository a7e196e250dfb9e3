import TestSupport
import Testing

@testable import QueryKit

/// Real threads against one monitor. Runs under the thread sanitizer in CI.
struct MonitoringConcurrencyTests {
    @Test func `R27 each started run is counted as ended once, regardless of its outcome`() async throws {
        let bench = TestBench { call in
            if call.number.isMultiple(of: 5) { throw TestError() }
            await Task.yield()
            return call.number
        }
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    for id in 0..<150 {
                        let request = Number(id % 9).retry(limit: 0).deduplicated(!(worker == 0 && id.isMultiple(of: 7)))
                        let task = Task { try await bench.client.fetch(request) }
                        if id.isMultiple(of: 3) { task.cancel() }
                        _ = await task.result
                    }
                }
            }
            group.addTask { for _ in 0..<300 { bench.client.cancel(.all) } }
            group.addTask { for _ in 0..<300 { bench.client.invalidate(.all) } }
            group.addTask { for _ in 0..<100 { bench.client.remove(.all) } }
            group.addTask {
                // Without retries, because those would wait for the clock, and so would the callers that join them.
                for id in 0..<300 { bench.client.store(for: Number(id % 9).retry(limit: 0)).record(Recorder()).cancel() }
            }
            group.addTask { for _ in 0..<50 { _ = bench.client.snapshot() } }
        }
        await bench.client.settled()
        let total = bench.client.metrics.total
        #expect(total.running == 0)
        #expect(total.runs == total.successes + total.failures + total.cancelled)
        #expect(total.runs > 0)
        #expect(bench.client.metrics.byPrefix["number"]?.runs == total.runs)
    }

    @Test func `R27 with listeners, each run has one start and one end`() async throws {
        let bench = TestBench()
        let counts = Lock<[Int: (starts: Int, ends: Int)]>([:])
        let (done, continuation) = AsyncStream.makeStream(of: Void.self)
        struct Counter: QueryEventSink {
            let note: @Sendable (QueryEvent) -> Void
            func receive(_ event: QueryEvent) { note(event) }
        }
        let subscription = bench.client.attach(
            Counter { event in
                if event.kind == .storeRemoved, event.path == ["number", 999] { continuation.finish() }
                guard let run = event.run else { return }
                counts.withLock { counts in
                    if event.kind == .runStarted { counts[run, default: (0, 0)].starts += 1 }
                    if event.duration != nil { counts[run, default: (0, 0)].ends += 1 }
                }
            }
        )
        for _ in 0..<20 {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<2 {
                    group.addTask { for id in 0..<10 { _ = try? await bench.client.fetch(Number(id % 3)) } }
                }
                group.addTask { for _ in 0..<10 { bench.client.cancel(.all) } }
            }
            await bench.client.settled()
        }
        bench.client.setValue(0, for: Number(999))
        bench.client.remove(["number", 999])
        for await _ in done {}
        #expect(bench.client.droppedEventCount == 0)
        #expect(counts.withLock { $0.count } == bench.client.metrics.total.runs)
        #expect(counts.withLock { $0.values.allSatisfy { $0.starts == 1 && $0.ends == 1 } })
        subscription.cancel()
    }

    @Test func `R27 sinks that are attached and detached while events are sent leave no listener behind`() async throws {
        let bench = TestBench()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask { for _ in 0..<200 { bench.client.attach(PrintEventSink { _ in }).cancel() } }
            }
            group.addTask { for id in 0..<300 { _ = try? await bench.client.fetch(Number(id % 5)) } }
        }
        #expect(!bench.client.core.wantsEvents)
    }
}
