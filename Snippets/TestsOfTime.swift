//! A test of time without waiting: the clock advances only when you
//! call it, and `settled()` doesn't wait for the clock.
//! (It isn't named Testing, because each sample is a module, which
//! would hide the module of Swift Testing.)
import QueryKit

struct Offline: Error {}

nonisolated protocol Feed: Sendable {
    func headline() async throws -> String
}

nonisolated extension QueryDependencies {
    var feed: QueryDependency<any Feed> { .init(FlakyFeed()) }
}

struct Headline: QueryRequest {
    func fetch(
        in context: QueryContext,
        with continuation: QueryContinuation<String>
    ) async throws -> String {
        try await context.feed.headline()
    }
}

// snippet.fake
actor FlakyFeed: Feed {
    private(set) var calls = 0

    func headline() throws -> String {
        calls += 1
        if calls == 1 { throw Offline() }
        return "Headline \(calls)"
    }
}
// snippet.end

// snippet.client
let clock = ManualClock()
let feed = FlakyFeed()
var context = QueryContext()
context.feed = feed
let client = QueryClient.test(clock: clock, context: context)
// snippet.end

// snippet.retry
let request = Headline()
    .retry(limit: 1, backoff: .constant(.seconds(5)))
    .ttl(.seconds(60))
let store = client.store(for: request)
let subscription = store.subscribe(with: QueryEventHandler())

// The first attempt fails, and the run waits for the clock.
await client.settled()
print(store.isLoading, store.failureCount)  // true 1

// The second attempt succeeds.
clock.advance(by: .seconds(5))
await client.settled()
print(store.value ?? "")  // Headline 2
// snippet.end
// snippet.hide
precondition(store.value == "Headline 2")
// snippet.show

// snippet.stale
clock.advance(by: .seconds(60))
print(store.isStale)  // true, without waiting a minute
subscription.cancel()
// snippet.end
// snippet.hide
precondition(store.isStale)
// snippet.show
