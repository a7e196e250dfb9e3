import Foundation
import QueryKit
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

struct QueryCacheConformanceTests {
    @Test(arguments: CacheKind.allCases)
    func `R28 an entry is returned unchanged, bit for bit`(_ kind: CacheKind) async throws {
        let cache = try await kind.make()
        let entries = [
            CacheKind.entry(0), CacheKind.entry(100_000), CacheKind.entry(ttl: .nanoseconds(1_500_000_001)),
            QueryCacheEntry(data: Data([0, 255, 0]), date: CacheKind.day, isInvalidated: true),
            CacheKind.entry(date: .distantPast),
        ]
        for (id, entry) in entries.enumerated() { try await cache.set(entry, key: CacheKind.key(id)) }
        for (id, entry) in entries.enumerated() { #expect(try await cache.get(key: CacheKind.key(id)) == entry) }
        try await cache.set(entries[1], key: CacheKind.key(0))
        #expect(try await cache.get(key: CacheKind.key(0)) == entries[1])
        try await cache.remove(key: CacheKind.key(0))
        try await cache.remove(key: CacheKind.key(77))
        #expect(try await cache.get(key: CacheKind.key(0)) == nil)
        #expect(try await cache.get(key: CacheKind.key(1)) == entries[1])
        try await cache.clear()
        #expect(try await cache.present((0..<5).map { CacheKind.key($0) }) == [])
    }

    @Test(arguments: CacheKind.allCases)
    func `R28 entries are distinguished by type, version, app version, session and each path element`(_ kind: CacheKind) async throws {
        let cache = try await kind.make()
        let keys = [
            QueryCacheKey(path: ["a", "b"], type: "T"), QueryCacheKey(path: ["a/b"], type: "T"),
            QueryCacheKey(path: ["a", "", "b"], type: "T"),
            QueryCacheKey(path: ["a", "b"], type: "U"), QueryCacheKey(path: ["a", "b"], type: "T", version: 2),
            QueryCacheKey(path: ["a", "b"], type: "T", variant: ""), QueryCacheKey(path: ["a", "b"], type: "T", variant: "2"),
            QueryCacheKey(path: ["a", "b"], type: "T", appVersion: "1"), QueryCacheKey(path: ["a", "b"], type: "T", session: "1"),
            QueryCacheKey(path: ["a", "b"], type: "T", session: ""), QueryCacheKey(path: ["a", "b", ""], type: "T"),
            QueryCacheKey(path: ["a", "B"], type: "T"), QueryCacheKey(path: [], type: "T"), QueryCacheKey(path: [""], type: "T"),
            QueryCacheKey(path: ["a\0b"], type: "T"), QueryCacheKey(path: ["a\0c"], type: "T"),
            QueryCacheKey(path: [#"a\"#, "b"], type: "T"),
            // A slash with an accent is one character to Swift, and the accent alone begins an element here.
            QueryCacheKey(path: ["a", "\u{301}b"], type: "T"), QueryCacheKey(path: ["a/\u{301}b"], type: "T"),
        ]
        for (size, key) in keys.enumerated() { try await cache.set(CacheKind.entry(size), key: key) }
        for (size, key) in keys.enumerated() { #expect(try await cache.get(key: key)?.data.count == size) }
    }

    @Test(arguments: CacheKind.allCases)
    func `R28 canonically equivalent strings are equal`(_ kind: CacheKind) async throws {
        let cache = try await kind.make()
        let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
        try await cache.set(CacheKind.entry(), key: QueryCacheKey(path: [composed, "menu"], type: "T", session: composed))
        let key = QueryCacheKey(path: [decomposed, "menu"], type: "T", session: decomposed)
        #expect(try await cache.get(key: key) != nil)
        try await cache.invalidate(pattern: [.value(decomposed), .rest])
        #expect(try await cache.marked([key]) == [0])
    }

    @Test(
        arguments: CacheKind.allCases,
        [
            ("food/entries/1", [0, 7]), ("food/entries/*", [0, 1, 7]), ("food/**", [0, 1, 2, 3, 7]), ("food", [3]), ("**", Array(0...9)),
            ("*/entries/**", [0, 1, 5, 7]), ("**/1", [0, 2, 4, 5, 7]), ("foo/**", [4, 9]), ("", [6]), ("nothing/**", []),
            ("food/*/1", [0, 2, 7]),
        ] as [(QueryPattern, [Int])]
    )
    func `R28 a pattern reaches the entries of all sessions and versions whose path it matches`(
        _ kind: CacheKind,
        _ expected: (pattern: QueryPattern, matches: [Int])
    ) async throws {
        let cache = try await kind.make()
        let keys = [
            CacheKind.key(1), CacheKind.key(2), CacheKind.key(1, "food/totals"), QueryCacheKey(path: "food", type: "T"),
            CacheKind.key(1, "foo"),
            CacheKind.key(1, "drink/entries"), QueryCacheKey(path: [], type: "T"),
            QueryCacheKey(path: ["food", "entries", "1"], type: "T", version: 3, session: "a"), QueryCacheKey(path: ["food/x"], type: "T"),
            QueryCacheKey(path: ["foo", "*"], type: "T"),
        ]
        for key in keys { try await cache.set(CacheKind.entry(), key: key) }
        try await cache.invalidate(pattern: expected.pattern)
        #expect(try await cache.marked(keys) == expected.matches)
        try await cache.remove(pattern: expected.pattern)
        #expect(try await cache.present(keys) == keys.indices.filter { !expected.matches.contains($0) })
    }

    @Test(arguments: CacheKind.allCases)
    func `R28 an entry that is written again is no longer invalidated`(_ kind: CacheKind) async throws {
        let cache = try await kind.make()
        try await cache.set(CacheKind.entry(), key: CacheKind.key(1))
        try await cache.invalidate(pattern: .all)
        try await cache.set(CacheKind.entry(), key: CacheKind.key(1))
        #expect(try await cache.get(key: CacheKind.key(1)) == CacheKind.entry())
    }

    @Test(arguments: CacheKind.allCases)
    func `R28 R13 an entry is kept until its maximum age, and one from the future only if that is infinite`(
        _ kind: CacheKind
    ) async throws {
        let clock = ManualClock(date: CacheKind.day)
        let cache = try await kind.make(clock: clock)
        let keys = (0..<3).map { CacheKind.key($0) }
        try await cache.set(CacheKind.entry(ttl: .seconds(10)), key: keys[0])
        try await cache.set(CacheKind.entry(date: CacheKind.day.addingTimeInterval(60), ttl: .seconds(1_000)), key: keys[1])
        try await cache.set(CacheKind.entry(date: CacheKind.day.addingTimeInterval(60)), key: keys[2])
        clock.advance(by: .seconds(9))
        #expect(try await cache.present(keys) == [0, 2])
        clock.advance(by: .seconds(1))
        #expect(try await cache.present(keys) == [2])
    }

    @Test(arguments: CacheKind.allCases)
    func `R28 the least recently used entries are evicted when there are too many`(_ kind: CacheKind) async throws {
        let cache = try await kind.make(countLimit: 3)
        let keys = (0..<5).map { CacheKind.key($0) }
        for key in keys[..<3] { try await cache.set(CacheKind.entry(), key: key) }
        _ = try await cache.get(key: keys[0])
        try await cache.set(CacheKind.entry(), key: keys[3])
        try await cache.set(CacheKind.entry(), key: keys[2])
        #expect(try await cache.present(keys) == [0, 2, 3])
        // It has read them all in this order, so the first one is evicted.
        try await cache.set(CacheKind.entry(), key: keys[4])
        #expect(try await cache.present(keys) == [2, 3, 4])
    }

    @Test(arguments: CacheKind.allCases)
    func `R28 the least recently used entries are evicted when they take too many bytes, and a too large one evicts none`(
        _ kind: CacheKind
    ) async throws {
        let cache = try await kind.make(byteLimit: 50_000)
        let keys = (0..<10).map { CacheKind.key($0) }
        for key in keys { try await cache.set(CacheKind.entry(10_000), key: key) }
        #expect(try await cache.present(keys) == [6, 7, 8, 9])
        try await cache.set(CacheKind.entry(60_000), key: keys[9])
        #expect(try await cache.present(keys) == [6, 7, 8])
        // A smaller entry for the same key makes room for another.
        try await cache.set(CacheKind.entry(1), key: keys[6])
        try await cache.set(CacheKind.entry(10_000), key: keys[0])
        try await cache.set(CacheKind.entry(10_000), key: keys[1])
        #expect(try await cache.present(keys) == [0, 1, 6, 7, 8])
    }

    @Test(arguments: CacheKind.allCases)
    func `R28 typed values are returned with their date, and one that can't be decoded is dropped`(_ kind: CacheKind) async throws {
        let cache = try await kind.make()
        try await cache.set(["a": 1], key: CacheKind.key(1), ttl: .infinity, date: CacheKind.day)
        let found = try await cache.get([String: Int].self, key: CacheKind.key(1))
        #expect(found?.value == ["a": 1] && found?.date == CacheKind.day && found?.isInvalidated == false)
        #expect(try await cache.get([Int].self, key: CacheKind.key(1)) == nil)
        #expect(try await cache.get(key: CacheKind.key(1)) == nil)
    }
}
