import Foundation
import TestSupport
import Testing

@testable import QueryKit

/// Changes by pattern that a cache hasn't received yet (R28).
struct PatternHistoryTests {
    private func request(_ id: Int = 1, in cache: SpyCache) -> some QueryRequest<Int, QueryState<Int?, Int>> {
        Number(id).ttl(.infinity).persisted(in: cache)
    }

    // MARK: Caches that connect later

    @Test func `R28 more than 500 removals leave the other values in a cache that connects later`() async throws {
        let cache = SpyCache()
        try await Launch().fetch(request(in: cache))
        let launch = Launch { _ in 99 }
        for id in 2...600 { launch.client.remove(["number", .value(id), .rest]) }
        launch.client.connect(to: cache)
        await launch.client.settled()
        #expect(cache.count == 1 && !cache.log.contains("clear"))
        #expect(await launch.watch(request(in: cache)) == ["idle", "loading", "1"])
    }

    @Test func `R28 removals beyond 10,000 are reported when a cache connects, and its values count as stale`() async throws {
        let cache = SpyCache()
        try await Launch().fetch(request(in: cache))
        let launch = Launch { _ in 99 }
        for id in 2...10_002 { launch.client.remove(["number", .value(id)]) }
        let events = CacheEvents(of: launch.client)
        launch.client.connect(to: cache)
        let reported = await events.first(1)
        #expect(reported.map(\.kind) == [.storageFailed])
        #expect((reported.first?.error as? QueryError)?.message.contains("The oldest 1000 were forgotten") == true)
        await launch.client.settled()
        #expect(await launch.watch(request(in: cache)) == ["idle", "loading", "1 fetching invalidated", "99"])
    }

    // MARK: The value

    private static func invalidated(_ pattern: QueryPattern) -> PatternChange { .invalidated(pattern) }
    private static func removed(_ pattern: QueryPattern) -> PatternChange { .removed(pattern) }

    /// Changes in order, and those that remain.
    private static let rows: [([PatternChange], left: [String])] = [
        ([invalidated("a/1"), invalidated("a/1")], ["!a/1"]),
        ([invalidated("a/1"), invalidated("a/2"), invalidated("a/1")], ["!a/2", "!a/1"]),
        ([invalidated("a/1"), removed("a/1")], ["!a/1", "-a/1"]),
        ([removed("a/1"), removed("a/2/**"), removed("a/2/3"), removed("a"), removed("a/**")], ["-a/**"]),
        ([removed("a/1"), removed("b/1"), removed("a/**")], ["-b/1", "-a/**"]),
        ([removed("a/**"), removed("a/1")], ["-a/**", "-a/1"]),
        ([invalidated("a/1"), removed("a/2"), removed("a/**")], ["!a/1", "-a/**"]),
        ([removed("a/*/x"), removed("a/1/x"), removed("a/*/**")], ["-a/1/x", "-a/*/**"]),
        ([removed("a/1"), removed("**")], ["-**"]),
        ([removed("ab/1"), removed("a/**")], ["-ab/1", "-a/**"]),
        ([removed(["a", 1]), removed(["a", "1"])], ["-a/1", "-a/1"]),
    ]

    private func text(_ history: PatternHistory) -> [String] {
        history.changes.map { change in
            switch change {
            case .invalidated(let pattern): "!\(pattern)"
            case .removed(let pattern): "-\(pattern)"
            }
        }
    }

    @Test(arguments: rows.indices) func `R28 changes by pattern are merged by prefix, and nothing else is`(_ row: Int) {
        let (changes, left) = Self.rows[row]
        var history = PatternHistory()
        for (number, change) in changes.enumerated() { history.insert(change, ChangeNumber(number: UInt64(number + 1))) }
        #expect(text(history) == left)
        for change in history.changes {
            #expect(history.contains(change))
            history.remove(change)
            #expect(!history.contains(change))
        }
        #expect(text(history) == [])
        history.remove(.removed("a/**"))
        #expect(!history.contains(.removed("a/**")))
    }

    @Test func `R28 R29 a value is concerned by later changes alone`() {
        var history = PatternHistory()
        let inserted: [PatternChange] = [
            .removed("a/1"), .invalidated("a/**"), .removed("b/**"), .removed("b/1"), .removed("c"), .removed("c/1"),
        ]
        for (number, change) in inserted.enumerated() {
            history.insert(change, ChangeNumber(number: UInt64(number + 1)))
        }
        func changes(_ path: QueryPath, since number: UInt64) -> [Bool] {
            let found = history.changes(since: ChangeNumber(number: number)) { $0.matches(path) }
            return [found.isInvalidated, found.isRemoved]
        }
        #expect(changes("a/1", since: 0) == [true, true])
        #expect(changes("a/1", since: 1) == [true, false])
        #expect(changes("a/1", since: 2) == [false, false])
        #expect(changes("a/2", since: 0) == [true, false])
        #expect(changes("b/1", since: 3) == [false, true])
        #expect(changes("b/2", since: 3) == [false, false])
        #expect(changes("c", since: 4) == [false, true])
        #expect(changes("c", since: 5) == [false, false])
        #expect(changes("d", since: 0) == [false, false])
    }

    @Test func `R28 beyond 10,000 patterns everything counts as invalidated, and the oldest removals are forgotten`() {
        var history = PatternHistory()
        for id in 1...10_001 { history.insert(.invalidated(["a", .value(id)]), ChangeNumber(number: UInt64(id))) }
        #expect(text(history) == ["!**"] && history.forgottenCount == 0)
        history = PatternHistory()
        for id in 1...10_000 { history.insert(.removed(["a", .value(id)]), ChangeNumber(number: UInt64(id))) }
        #expect(history.changes.count == 10_000 && history.forgottenCount == 0)
        history.insert(.removed(["b"]), ChangeNumber(number: 10_001))
        #expect(history.forgottenCount == 1_000)
        #expect(text(history).prefix(2) == ["-a/1001", "-a/1002"] && Set(text(history).suffix(2)) == ["-b", "!**"])
    }

    // MARK: Caches that fail

    @Test func `R28 a cache that fails is asked again with each pattern once, however often it was invalidated`() async throws {
        let cache = SpyCache()
        let client = Launch().client
        client.connect(to: cache)
        cache.fail("invalidate")
        for _ in 0..<400 {
            client.invalidate("number/*")
            await client.settled()
        }
        #expect(cache.log.count == 400)
        cache.fail()
        client.setValue(5, for: request(in: cache))
        await client.settled()
        #expect(Array(cache.log.dropFirst(400)) == ["invalidate", "set"])
    }

    @Test func `R28 a cache that fails is not asked with every earlier pattern at each work`() async throws {
        let cache = SpyCache()
        let client = Launch().client
        client.connect(to: cache)
        cache.fail("removePattern")
        for id in 0..<100 {
            client.remove(["number", .value(id)])
            await client.settled()
        }
        // At each work but the first: one of the earlier ones, and the new one.
        #expect(cache.log.count == 199)
        cache.fail()
        client.invalidate("food/*")
        await client.settled()
        client.invalidate("food/*")
        await client.settled()
        #expect(Array(cache.log.dropFirst(199)) == Array(repeating: "removePattern", count: 100) + ["invalidate", "invalidate"])
    }
}
