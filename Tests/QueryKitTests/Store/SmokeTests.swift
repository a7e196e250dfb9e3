import QueryKit
import TestSupport
import Testing

@Suite struct SmokeTests {
    @Test func subscribeFetchInvalidate() async throws {
        let bench = TestBench()
        let store = bench.client.store(for: Number(1))
        let seen = Recorder<String>()
        let subscription = store.record(seen)
        await bench.client.settled()
        #expect(seen.take() == ["idle", "loading", "1"])
        bench.client.invalidate("number/**")
        bench.client.invalidate(["number", 1])
        await bench.client.settled()
        subscription.cancel()
        #expect(try await bench.client.fetch(Number(2)) > 0)
        bench.clock.advance(by: .seconds(300))
        #expect(bench.client.storeCount == 0)
    }
}
