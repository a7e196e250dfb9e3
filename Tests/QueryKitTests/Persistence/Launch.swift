import Foundation
import QueryKit
import QueryKitTesting
import TestSupport

/// One launch of an app: a process of its own has its own client and monotonic clock, and shares the wall clock and the caches.
struct Launch {
    static let day = Date(timeIntervalSince1970: 1_000_000_000)

    let clock: ManualClock
    let backend: Backend
    let client: QueryClient

    /// - Parameter later: How long after ``day``, by the wall clock.
    init(
        _ later: Duration = .zero,
        session: String? = nil,
        appVersion: String? = "1.0",
        network: (any NetworkObserver)? = nil,
        _ behaviour: @escaping Backend.Behaviour = { $0.number }
    ) {
        clock = ManualClock(date: Self.day.addingTimeInterval(TimeInterval(later.components.seconds)))
        backend = Backend(behaviour)
        var context = QueryContext()
        context.clock = clock
        context.backend = backend
        context.session = session
        context.appVersion = appVersion
        context.networkObserver = network
        context.networkMode = .online
        client = QueryClient(context: context, configuration: .isolated)
    }

    /// Fetches once, and waits until the result is stored.
    @discardableResult
    func fetch(_ request: some QueryRequest<Int, QueryState<Int?, Int>>) async throws -> Int {
        let value = try await client.fetch(request)
        await client.settled()
        return value
    }

    /// Watches until nothing is left to do, and answers with what there was to see.
    func watch(_ request: some QueryRequest<Int, QueryState<Int?, Int>>) async -> [String] {
        let seen = Recorder<String>()
        let subscription = client.store(for: request).record(seen)
        await client.settled()
        subscription.cancel()
        return seen.all
    }
}

/// A cache that counts what is asked of it, fails where the test says so, and lets the test hold it up.
final class SpyCache: QueryCache {
    private let base: MemoryQueryCache
    private let calls = Recorder<String>()
    private let failing = Lock<Set<String>>([])
    /// Calls of these names wait here; `got` is a `get` that has what it is about to return.
    let gates: [String: Gate]

    init(_ clock: any QueryClock = ManualClock(date: Launch.day), gates: [String: Gate] = [:]) {
        base = MemoryQueryCache(clock: clock)
        self.gates = gates
    }

    var log: [String] { calls.all }
    var count: Int { base.count }

    func fail(_ names: String...) { failing.withLock { $0 = Set(names) } }

    private func note(_ name: String) async throws {
        calls.note(name)
        try await gates[name]?.pass()
        if failing.withLock({ $0.contains(name) }) { throw TestError(name) }
    }

    func get(key: QueryCacheKey) async throws -> QueryCacheEntry? {
        try await note("get")
        let entry = try await base.get(key: key)
        try await gates["got"]?.pass()
        return entry
    }

    func set(_ entry: QueryCacheEntry, key: QueryCacheKey) async throws {
        try await note("set")
        try await base.set(entry, key: key)
    }

    func remove(key: QueryCacheKey) async throws {
        try await note("remove")
        try await base.remove(key: key)
    }

    func invalidate(pattern: QueryPattern) async throws {
        try await note("invalidate")
        try await base.invalidate(pattern: pattern)
    }

    func remove(pattern: QueryPattern) async throws {
        try await note("removePattern")
        try await base.remove(pattern: pattern)
    }

    func clear() async throws {
        try await note("clear")
        try await base.clear()
    }
}

/// The kinds of the events that concern caches, from the moment it is made until it is asked.
struct CacheEvents {
    private let events: AsyncStream<QueryEvent>

    init(of client: QueryClient) { events = client.events }

    /// As many as there are, each of which has happened by now.
    func first(_ count: Int) async -> [QueryEvent] {
        var found: [QueryEvent] = []
        for await event in events where [.valueRestored, .entryDropped, .storageFailed].contains(event.kind) {
            found.append(event)
            if found.count == count { break }
        }
        return found
    }
}
