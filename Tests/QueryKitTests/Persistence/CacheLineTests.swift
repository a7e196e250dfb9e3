import Foundation
import TestSupport
import Testing

@testable import QueryKit

/// What one client owes a cache, and what it lets go.
@Suite(.timeLimit(.minutes(5))) struct CacheLineTests {
    @Test func `R28 a value that was written or need not be may use the cache's line when it ends`() async throws {
        let gate = Gate()
        let client = Launch().client
        let cache = SpyCache(gates: ["set": gate])
        let line = client.line(to: cache)
        let ends = Recorder<Int>()
        let persistence = QueryPersistence(version: 1, valueType: Mortal.self, encode: { _ in Data() }, decode: { _ in 0 })
        let (key, other) = (QueryCacheKey(path: ["a"], type: "a"), QueryCacheKey(path: ["b"], type: "b"))
        func keep(_ number: Int) {
            // With the lock held this would never return.
            let value = Mortal { [weak line] in
                line?.keep(.forgotten, other, ttl: .infinity, persistence)
                ends.note(number)
            }
            line.keep(.value(StoredValue(value: value, date: Launch.day, isInvalidated: false)), key, ttl: .infinity, persistence)
        }
        keep(1)
        await gate.arrived()
        for number in 2...4 { keep(number) }
        line.keep(.forgotten, key, ttl: .infinity, persistence)
        #expect(ends.all == [2, 3, 4])
        keep(5)
        gate.open()
        await client.settled()
        #expect(ends.all == [2, 3, 4, 1, 5])
        #expect(cache.count == 1)
    }
}
