import Foundation
import QueryKit
import QueryKitTesting
import TestSupport

/// One launch of an app: a process with its own client and monotonic clock, which shares the wall clock and the caches with other launches.
struct Launch {
    static let day = Date(timeIntervalSince1970: 1_000_000_000)

    let clock: ManualClock
    let backend: Backend
    let client: QueryClient

    /// - Parameter later: How long after ``day`` the launch is, by the wall clock.
    init(
        _ later: Duration = .zero,
        session: String? = nil,
        appVersion: String? = "1.0",
        network: (any NetworkObserver)? = nil,
        _ behavior: @escaping Backend.Behavior = { $0.number }
    ) {
        clock = ManualClock(date: Self.day.addingTimeInterval(TimeInterval(later.components.seconds)))
        backend = Backend(behavior)
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

    /// Observes a request until nothing is left to do, and returns the observed states.
    func watch(_ request: some QueryRequest<Int, QueryState<Int?, Int>>) async -> [String] {
        let seen = Recorder<String>()
        let subscription = client.store(for: request).record(seen)
        await client.settled()
        subscription.cancel()
        return seen.all
    }
}

/// A cache that records its calls, and fails or waits where the test chooses.
final class SpyCache: QueryCache {
    private let base: MemoryQueryCache
    private let calls = Recorder<String>()
    private let failing = Lock<Set<String>>([])
    /// Gates at which calls of these names wait; `got` is a `get` that has read what it will return.
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

/// The kinds of cache events from its creation until they are requested.
struct CacheEvents {
    private let events: AsyncStream<QueryEvent>

    init(of client: QueryClient) { events = client.events }

    /// Returns the events so far; all expected ones have been sent by now.
    func first(_ count: Int) async -> [QueryEvent] {
        var found: [QueryEvent] = []
        for await event in events where [.valueRestored, .entryDropped, .storageFailed].contains(event.kind) {
            found.append(event)
            if found.count == count { break }
        }
        return found
    }
}
