import TestSupport
import Testing

@testable import QueryKit

struct MemoryPressureTests {
    /// A source that shows whether it has listeners.
    private struct Source: MemoryPressureSource {
        let listeners = Listeners(MemoryPressure.warning)

        func observe(_ handler: @escaping @Sendable (MemoryPressure) -> Void) -> QuerySubscription { listeners.add(handler) }
    }

    @Test func `R15 memory pressure releases unused stores only`() async throws {
        let source = ManualMemoryPressureSource()
        let bench = TestBench(adjusting: { $0.memoryPressureSource = source })
        for id in 1...8 { _ = try await bench.client.fetch(Number(id)) }
        let subscription = bench.client.store(for: Number(8)).record(Recorder())
        await bench.client.settled()
        #expect(bench.client.storeCount == 8)
        source.send(.warning)
        #expect(bench.client.storeCount == 4)
        source.send(.critical)
        #expect(bench.client.storeCount == 1)
        #expect(bench.client.value(for: Number(8)) != nil)
        subscription.cancel()
    }

    @Test func `R15 a client listens for memory pressure until it is deallocated, and the source does not keep it alive`() {
        let source = Source()
        var bench: TestBench? = TestBench(adjusting: { $0.memoryPressureSource = source })
        weak let client = bench?.client
        #expect(!source.listeners.isEmpty)
        bench = nil
        #expect(client == nil)
        #expect(source.listeners.isEmpty)
    }

    @Test func `R15 critical memory pressure compares greater than a warning`() {
        #expect(MemoryPressure.critical > .warning)
    }
}
