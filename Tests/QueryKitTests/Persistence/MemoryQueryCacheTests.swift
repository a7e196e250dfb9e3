import Foundation
import QueryKit
import TestSupport
import Testing

struct MemoryQueryCacheTests {
    private let clock = ManualClock(date: Launch.day)

    private func key(_ id: Int, _ path: QueryPath = "food/entries") -> QueryCacheKey {
        QueryCacheKey(path: path.appending(id), type: "Entry")
    }

    private func entry(_ count: Int = 10, ttl: Duration = .infinity) -> QueryCacheEntry {
        QueryCacheEntry(data: Data(repeating: 1, count: count), date: clock.date, ttl: ttl)
    }

    private func present(_ ids: Range<Int>, _ cache: MemoryQueryCache) async throws -> [Int] {
        var present: [Int] = []
        for id in ids where try await cache.get(key: key(id)) != nil { present.append(id) }
        return present
    }

    @Test func `R28 the least recently used entries are evicted when there are too many`() async throws {
        let cache = MemoryQueryCache(countLimit: 3, clock: clock)
        for id in 0..<3 { try await cache.set(entry(), key: key(id)) }
        _ = try await cache.get(key: key(0))
        try await cache.set(entry(), key: key(3))
        try await cache.set(entry(), key: key(2))
        #expect(try await present(0..<4, cache) == [0, 2, 3])
        try await cache.set(entry(), key: key(4))
        #expect(try await present(0..<5, cache) == [2, 3, 4])
        #expect(cache.count == 3)
    }

    @Test func `R28 the least recently used entries are evicted when they take too many bytes, and one that is too large is not stored`()
        async throws
    {
        let cache = MemoryQueryCache(byteLimit: 5_000, clock: clock)
        for id in 0..<10 { try await cache.set(entry(1_000), key: key(id)) }
        #expect(try await present(0..<10, cache) == [6, 7, 8, 9])
        #expect(cache.byteCount > 4_000 && cache.byteCount <= 5_000)
        try await cache.set(entry(1), key: key(6))
        try await cache.set(entry(6_000), key: key(9))
        // It replaces the earlier entry with its key, and no other.
        #expect(try await present(0..<10, cache) == [6, 7, 8])
        #expect(cache.byteCount < 4_000)
    }

    @Test func `R28 R13 an entry expires by its date and the monotonic clock, regardless of the wall clock`() async throws {
        let cache = MemoryQueryCache(clock: clock)
        try await cache.set(entry(ttl: .seconds(10)), key: key(1))
        clock.setDate(Launch.day.addingTimeInterval(-86_400))
        clock.advance(by: .seconds(9))
        #expect(try await present(1..<2, cache) == [1])
        clock.advance(by: .seconds(1))
        #expect(try await present(1..<2, cache) == [])
        #expect(cache.count == 0)
        // An entry from the future has an unknown age.
        try await cache.set(QueryCacheEntry(data: Data(), date: Launch.day, ttl: .seconds(1_000_000)), key: key(2))
        try await cache.set(QueryCacheEntry(data: Data(), date: Launch.day), key: key(3))
        #expect(try await present(2..<4, cache) == [3])
    }

    @Test func `R28 patterns mark and remove entries of all sessions, compared by the text of their paths`() async throws {
        let cache = MemoryQueryCache(clock: clock)
        let keys = [key(1), key(2), key(1, "food/totals"), QueryCacheKey(path: ["food", "entries", "1"], type: "Entry", session: "a")]
        for key in keys { try await cache.set(entry(), key: key) }
        try await cache.invalidate(pattern: ["food", "entries", 1])
        var marked: [Bool?] = []
        for key in keys { marked.append(try await cache.get(key: key)?.isInvalidated) }
        #expect(marked == [true, false, false, true])
        try await cache.remove(pattern: "*/entries/**")
        #expect(cache.count == 1)
        try await cache.clear()
        #expect(cache.count == 0 && cache.byteCount == 0)
    }

    @Test func `R28 typed values are returned with their date, and an unreadable one is dropped`() async throws {
        let cache = MemoryQueryCache(clock: clock)
        try await cache.set(["a": 1], key: key(1), ttl: .infinity, date: Launch.day)
        let found = try await cache.get([String: Int].self, key: key(1))
        #expect(found?.value == ["a": 1] && found?.date == Launch.day && found?.isInvalidated == false)
        #expect(try await cache.get([Int].self, key: key(1)) == nil)
        #expect(cache.count == 0)
    }
}

struct QueryCacheKeyTests {
    @Test func `R28 different keys have different texts`() {
        let keys = [
            QueryCacheKey(path: ["a", "b"], type: "T"), QueryCacheKey(path: ["a/b"], type: "T"),
            QueryCacheKey(path: ["a", "", "b"], type: "T"),
            QueryCacheKey(path: ["a", "b"], type: "U"), QueryCacheKey(path: ["a", "b"], type: "T", version: 2),
            QueryCacheKey(path: ["a", "b"], type: "T", session: ""), QueryCacheKey(path: ["a", "b"], type: "T", session: "-"),
            QueryCacheKey(path: ["a", "b"], type: "T", variant: ""), QueryCacheKey(path: ["a", "b"], type: "T", variant: "2"),
            QueryCacheKey(path: ["a", "b"], type: "T", appVersion: "1"), QueryCacheKey(path: ["a", "b"], type: "T", session: "1"),
            // To Swift, a slash with an accent is a character different from a slash.
            QueryCacheKey(path: ["a", "\u{301}b"], type: "T"), QueryCacheKey(path: ["a/\u{301}b"], type: "T"),
        ]
        #expect(Set(keys).count == keys.count)
        #expect(Set(keys.map(\.description)).count == keys.count)
        #expect(keys[0].description == #"-/-/v1/T/a/b"#)
        #expect(keys[1].description == #"-/-/v1/T/a\/b"#)
    }

    @Test func `R28 a key can be encoded and decoded`() throws {
        let key = QueryCacheKey(path: ["a", 1], type: "T", version: 3, appVersion: "1.2", session: "me")
        #expect(try JSONDecoder().decode(QueryCacheKey.self, from: try JSONEncoder().encode(key)) == key)
    }
}
