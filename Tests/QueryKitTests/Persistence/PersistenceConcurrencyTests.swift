import QueryKit
import TestSupport
import Testing

struct PersistenceConcurrencyTests {
    @Test func `R28 the next launch reads the last value written by many threads`() async throws {
        let cache = MemoryQueryCache(clock: ManualClock(date: Launch.day))
        func request(_ id: Int) -> some QueryRequest<Int, QueryState<Int?, Int>> { Number(id).ttl(.infinity).persisted(in: cache) }
        let launch = Launch()
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    for step in 0..<100 {
                        let id = step % 5
                        switch step % 7 {
                        case 3: launch.client.invalidate(["number", .value(id)])
                        case 5: _ = try? await launch.client.fetch(request(id))
                        case 6 where writer == 0: launch.client.store(for: request(id)).reset()
                        default: launch.client.setValue(writer * 1_000 + step, for: request(id))
                        }
                    }
                }
            }
            group.addTask {
                for _ in 0..<10 { _ = try? await launch.client.dehydrate() }
            }
        }
        for id in 0..<5 { launch.client.setValue(-id, for: request(id)) }
        await launch.client.settled()
        let next = Launch()
        for id in 0..<5 { #expect(try await next.fetch(request(id)) == -id) }
        #expect(next.backend.count == 0)
    }

    @Test func `R28 a cache keeps its limits and its count under many threads`() async throws {
        let cache = MemoryQueryCache(countLimit: 50)
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    for step in 0..<200 {
                        let key = QueryCacheKey(path: ["a", (thread * 7 + step) % 80], type: "T")
                        switch step % 5 {
                        case 0: try? await cache.remove(key: key)
                        case 1: try? await cache.invalidate(pattern: "a/*")
                        case 2: _ = try? await cache.get(Int.self, key: key)
                        default: try? await cache.set(step, key: key, ttl: .infinity)
                        }
                    }
                }
            }
        }
        #expect(cache.count <= 50)
        try await cache.remove(pattern: "a/**")
        #expect(cache.count == 0 && cache.byteCount == 0)
    }
}
