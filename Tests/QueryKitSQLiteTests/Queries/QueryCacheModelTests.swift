import Foundation
import QueryKit
import TestSupport
import Testing

@testable import QueryKitSQLite

/// Random operations, compared with a dictionary.
struct QueryCacheModelTests {
    /// The expected entries of a cache, in the order of their use.
    private struct Model {
        var entries: [QueryCacheKey: (entry: QueryCacheEntry, use: Int)] = [:]
        var uses = 0
        let countLimit: Int

        mutating func get(_ key: QueryCacheKey, _ clock: ManualClock) -> QueryCacheEntry? {
            guard let found = entries[key], !found.entry.isExpired(by: clock) else { return nil }
            uses += 1
            entries[key]?.use = uses
            return found.entry
        }

        mutating func set(_ entry: QueryCacheEntry, _ key: QueryCacheKey, _ clock: ManualClock) {
            dropExpired(clock)
            uses += 1
            entries[key] = (entry, uses)
            while entries.count > countLimit, let oldest = entries.min(by: { $0.value.use < $1.value.use }) { entries[oldest.key] = nil }
        }

        mutating func dropExpired(_ clock: ManualClock) {
            for (key, value) in entries where value.entry.isExpired(by: clock) { entries[key] = nil }
        }
    }

    private static let words = ["a", "b", "a/b", "", "*", "é"]

    private func key(_ dice: inout Dice) -> QueryCacheKey {
        let path = (0..<dice.roll(4)).map { _ in Self.words[dice.roll(Self.words.count)] }
        return QueryCacheKey(path: QueryPath(path), type: "T", version: dice.roll(2), session: dice.roll(3) == 0 ? "s" : nil)
    }

    private func pattern(_ dice: inout Dice) -> QueryPattern {
        QueryPattern(
            (0..<dice.roll(4)).map { _ in
                switch dice.roll(4) {
                case 0: .any
                case 1: .rest
                default: .value(Self.words[dice.roll(Self.words.count)])
                }
            }
        )
    }

    @Test(arguments: 1...4)
    func `R28 a cache in a file matches a model after random operations and relaunches`(_ seed: Int) async throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock(date: CacheKind.day)
        var dice = Dice(seed: seed)
        var model = Model(countLimit: 25)
        let open = { try await SQLiteQueryCache.open(.file(folder.file()), countLimit: 25, clock: clock) }
        var cache = try await open()
        for step in 0..<600 {
            let key = key(&dice)
            switch dice.roll(20) {
            case 0..<8:
                let ttl: Duration = dice.roll(3) == 0 ? .seconds(1 + dice.roll(20)) : .infinity
                let entry = QueryCacheEntry(data: Data("\(step)".utf8), date: clock.date, ttl: ttl)
                try await cache.set(entry, key: key)
                model.set(entry, key, clock)
            case 8..<14:
                #expect(try await cache.get(key: key) == model.get(key, clock))
            case 14:
                try await cache.remove(key: key)
                model.dropExpired(clock)
                model.entries[key] = nil
            case 15, 16:
                let pattern = pattern(&dice)
                try await cache.invalidate(pattern: pattern)
                model.dropExpired(clock)
                for key in model.entries.keys where key.isMatched(by: pattern) { model.entries[key]?.entry.isInvalidated = true }
            case 17 where dice.roll(3) == 0:
                let pattern = pattern(&dice)
                try await cache.remove(pattern: pattern)
                model.dropExpired(clock)
                for key in model.entries.keys where key.isMatched(by: pattern) { model.entries[key] = nil }
            case 18:
                clock.advance(by: .seconds(dice.roll(5)))
            case 19 where dice.roll(4) == 0:
                await cache.close()
                cache = try await open()
                model.dropExpired(clock)
            default: break
            }
            #expect(try await cache.count == model.entries.count, "step \(step)")
        }
        for (key, value) in model.entries where !value.entry.isExpired(by: clock) {
            #expect(try await cache.get(key: key) == value.entry)
        }
    }
}

struct SQLiteQueryCacheConcurrencyTests {
    @Test func `R28 many tasks can use one cache, and its limits hold`() async throws {
        let cache = try await SQLiteQueryCache.open(.temporary, countLimit: 20, clock: ManualClock(date: CacheKind.day))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for round in 0..<40 {
                        let key = CacheKind.key((task * 7 + round) % 40)
                        switch round % 5 {
                        case 0, 1: try await cache.set(CacheKind.entry(round), key: key)
                        case 2: try await cache.invalidate(pattern: "food/**")
                        default: _ = try await cache.get(key: key)
                        }
                        #expect(try await cache.count <= 20)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await cache.count == 20)
    }
}
