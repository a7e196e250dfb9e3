//! Values for the next launch: a cache for each request, or an
//! archive of the whole client.
import Foundation
import QueryKit

struct Headlines: QueryRequest {
    let topic: String

    var path: QueryPath { ["news", topic] }

    func fetch(
        in context: QueryContext,
        with continuation: QueryContinuation<[String]>
    ) async throws -> [String] {
        ["\(topic) at \(context.clock.date.timeIntervalSince1970)"]
    }
}

// snippet.hide
/// Each launch has its own client and its own monotonic clock;
/// the wall clock continues.
func launch(after seconds: Int) -> (
    client: QueryClient, clock: ManualClock
) {
    let clock = ManualClock(
        date: Date(timeIntervalSince1970: Double(seconds))
    )
    var context = QueryContext()
    context.clock = clock
    context.appVersion = "1.0"
    return (QueryClient(context: context), clock)
}

let first = launch(after: 0)
let cache = MemoryQueryCache(clock: first.clock)
var client = first.client
// snippet.show
// snippet.persisted
// The cache keeps the latest result. The next launch shows it
// at once: as a fresh result for ten minutes, and after that
// until the new one is fetched.
let oslo = Headlines(topic: "Oslo").ttl(.seconds(600)).persisted(
    in: cache
)

let headlines = try await client.fetch(oslo)
await client.settled()  // written to the cache, too
// snippet.end
// snippet.hide
client = launch(after: 599).client
let young = try await client.fetch(oslo)
precondition(young == headlines)
client = launch(after: 600).client
let old = try await client.fetch(oslo)
precondition(old != headlines)
// snippet.show

// snippet.version
// Raise the version when the meaning of the value changes; values
// stored before are no longer read.
let renamed = Headlines(topic: "Oslo").persisted(
    in: cache,
    version: 2,
    maxAge: .seconds(7 * 24 * 3600)
)
// snippet.end

// snippet.archive
// All persisted and archived values in one piece: for a widget, for
// state restoration, for a test.
client.setValue(["Sun"], for: Headlines(topic: "Rome").archived())
let data = try await client.dehydrate().data()
// snippet.hide
let other = launch(after: 601).client
client = other
// snippet.show

// In another launch: a value is decoded only when its request is used.
try await client.hydrate(from: data)
let rome = client.store(for: Headlines(topic: "Rome").archived())
print(rome.value ?? [])  // ["Sun"]
// snippet.end

// snippet.replacing
// A widget has fetched in the background, so its values are newer than
// those of the app. Values older than a week are ignored.
try await client.hydrate(
    from: data,
    replacing: .olderValues,
    maxAge: .seconds(7 * 24 * 3600)
)
// snippet.end

// snippet.archiving
// Saved two seconds after the last change, for as long as
// you keep the subscription.
let file = FileManager.default.temporaryDirectory.appending(
    path: "archive-\(UUID().uuidString).json"
)
let archiving = client.archive(to: file, after: .seconds(2))
client.setValue(["Rain"], for: Headlines(topic: "Bergen").archived())

// When the app enters the background: saves
// everything that is not saved yet.
try await client.archiveNow()
// snippet.end
// snippet.hide
let stored = try await QueryClientArchive(data: Data(contentsOf: file))
precondition(stored.count == 3)
archiving.cancel()
try FileManager.default.removeItem(at: file)
// snippet.show

// snippet.connect
// An invalidation also applies to values in a cache, whether or not
// their request has a store. If the process may end before it uses a
// persisted request, connect the cache first.
client.connect(to: cache)
client.invalidate("news/**")
await client.settled()
// snippet.end
// snippet.hide
precondition(rome.value == ["Sun"] && rome.isStale)
let key = QueryCacheKey(
    path: ["news", "Oslo"],
    type: Headlines.storedName,
    appVersion: "1.0"
)
let marked = try await cache.get([String].self, key: key)
precondition(marked?.value == old && marked?.isInvalidated == true)
_ = renamed
// snippet.show
