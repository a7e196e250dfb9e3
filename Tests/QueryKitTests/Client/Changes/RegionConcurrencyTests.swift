import QueryKit
import TestSupport
import Testing

/// Readers, writers and observers on real threads: no observer may keep an old value. Runs under the thread sanitizer in CI.
struct RegionConcurrencyTests {
    private static func region(_ id: Int) -> QueryRegion { QueryRegion(source: "numbers", name: "\(id)") }

    @Test func `R18 no change made during concurrent fetches is lost`() async throws {
        for round in 0..<20 {
            let numbers = Lock([Int](repeating: 0, count: 6))
            let bench = TestBench { call in
                QueryReads.note([Self.region(call.id)])
                await Task.yield()
                return numbers.withLock { $0[call.id] }
            }
            let stores = (0..<6).map { bench.client.store(for: Number($0).ttl(.infinity)) }
            let subscriptions = stores.map { $0.record(Recorder()) }
            await withTaskGroup(of: Void.self) { group in
                for writer in 0..<4 {
                    group.addTask {
                        for step in 0..<30 {
                            let id = (writer + step * (round % 3 + 1)) % 6
                            numbers.withLock { $0[id] += 1 }
                            bench.client.changed([Self.region(id)])
                            if step % 7 == 0 { await Task.yield() }
                        }
                    }
                }
                for id in 0..<6 { group.addTask { _ = try? await bench.client.fetch(Number(id)) } }
            }
            await bench.client.settled()
            #expect(stores.map(\.value) == numbers.withLock { $0 })
            #expect(stores.allSatisfy { !$0.isStale })
            for subscription in subscriptions { subscription.cancel() }
        }
    }

    @Test func `R18 a request that fetches others ends up with their latest values`() async throws {
        for _ in 0..<20 {
            let numbers = Lock([0, 0, 0])
            let bench = TestBench { call in
                if call.id == 0 {
                    let client = call.context.queryClient
                    async let one = client?.fetch(Number(1).ttl(.infinity))
                    async let two = client?.fetch(Number(2).ttl(.infinity))
                    return try await (one ?? 0) + (two ?? 0)
                }
                QueryReads.note([Self.region(call.id)])
                await Task.yield()
                return numbers.withLock { $0[call.id] }
            }
            let sum = bench.client.store(for: Number(0).ttl(.infinity))
            let subscription = sum.record(Recorder())
            await withTaskGroup(of: Void.self) { group in
                for id in 1...2 {
                    group.addTask {
                        for _ in 0..<40 {
                            numbers.withLock { $0[id] += 1 }
                            bench.client.changed([Self.region(id)])
                            await Task.yield()
                        }
                    }
                }
            }
            await bench.client.settled()
            #expect(sum.value == 80)
            subscription.cancel()
        }
    }

    @Test func `several tasks of one run can note the same regions at the same time`() async throws {
        let bench = TestBench { call in
            await withTaskGroup(of: Void.self) { group in
                for part in 0..<8 { group.addTask { QueryReads.note((0..<100).map { Self.region($0 * (part % 2 + 1)) }) } }
            }
            return call.number
        }
        let store = bench.client.store(for: Number().ttl(.infinity))
        for _ in 0..<20 { _ = try await store.fetch() }
        #expect(!store.isStale)
        bench.client.changed([Self.region(198)])
        #expect(store.isStale)
    }
}
