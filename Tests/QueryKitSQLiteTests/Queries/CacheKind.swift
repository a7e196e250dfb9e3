import Foundation
import QueryKit
import SQLiteTestSupport
import TestSupport

@testable import QueryKitSQLite

/// The caches that must behave alike.
enum CacheKind: CaseIterable, Sendable {
    case memory, file

    func make(
        byteLimit: Int = 1_000_000,
        countLimit: Int = 1_000,
        clock: any QueryClock = ManualClock(date: CacheKind.day)
    ) async throws -> any QueryCache {
        switch self {
        case .memory: MemoryQueryCache(byteLimit: byteLimit, countLimit: countLimit, clock: clock)
        case .file: try await SQLiteQueryCache.open(.temporary, byteLimit: byteLimit, countLimit: countLimit, clock: clock)
        }
    }

    static let day = Date(timeIntervalSinceReferenceDate: 700_000_000.123_456_7)

    static func key(_ id: Int, _ path: QueryPath = "food/entries") -> QueryCacheKey {
        QueryCacheKey(path: path.appending(id), type: "Entry")
    }

    static func entry(_ count: Int = 10, date: Date = day, ttl: Duration = .infinity) -> QueryCacheEntry {
        QueryCacheEntry(data: Data(repeating: 1, count: count), date: date, ttl: ttl)
    }
}

extension QueryCache {
    /// The positions of the keys that are present.
    func present(_ keys: [QueryCacheKey]) async throws -> [Int] {
        var present: [Int] = []
        for (index, key) in keys.enumerated() where try await get(key: key) != nil { present.append(index) }
        return present
    }

    /// The positions of the keys whose entries are marked as invalidated.
    func marked(_ keys: [QueryCacheKey]) async throws -> [Int] {
        var marked: [Int] = []
        for (index, key) in keys.enumerated() where try await get(key: key)?.isInvalidated == true { marked.append(index) }
        return marked
    }
}
