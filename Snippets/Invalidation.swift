//! One call for many requests: observed ones run again at once, the
//! others when they are next observed or fetched.
import QueryKit

struct Entries: QueryRequest {
    let day: String

    var path: QueryPath { ["food", "entries", day] }

    func fetch(
        in context: QueryContext,
        with continuation: QueryContinuation<[String]>
    ) async throws -> [String] {
        ["Porridge", "Apple"]
    }
}

struct Energy: QueryRequest {
    let day: String

    var path: QueryPath { ["food", "energy", day] }

    func fetch(
        in context: QueryContext,
        with continuation: QueryContinuation<Int>
    ) async throws -> Int { 475 }
}

let client = QueryClient()

// snippet.active
let today = client.store(for: Entries(day: "today").ttl(.infinity))
let yesterday = client.store(
    for: Entries(day: "yesterday").ttl(.infinity)
)
let subscription = today.subscribe(
    with: QueryEventHandler { state, _ in
        print(state.revision, state.cause)
    }
)
_ = try await yesterday.fetch()
await client.settled()

client.invalidate("food/entries/*")
await client.settled()
print(today.isInvalidated, yesterday.isInvalidated)  // false true
// snippet.end
// snippet.hide
precondition(!today.isInvalidated && yesterday.isInvalidated)
subscription.cancel()
// snippet.show

// snippet.patterns
// food, and everything below it
client.invalidate("food/**")

// today's entries and energy
client.invalidate(["food", .any, "today"])

// a path, and everything below it
client.invalidate(.prefix(["food", "entries"]))

// one request
client.invalidate(Energy(day: "today"))

// everything, only marked
client.invalidate(.all, refetch: .none)
// snippet.end

// snippet.finished
// Pull to refresh: returns when the new values are shown.
let failures = await client.refetch("food/entries/*").finished()
for failure in failures { print(failure.path, failure.error) }
// snippet.end

// snippet.batch
// One change: each store publishes only once, even if
// several lines affect it.
client.batch {
    client.setValue(
        ["Porridge", "Apple", "Tea"],
        for: Entries(day: "today")
    )
    client.setValue(476, for: Energy(day: "today"))
    client.invalidate("food/statistics/**")
}
// snippet.end

// snippet.others
client.refetch("food/**")  // run, fresh or not
client.cancel("food/**")  // cancel the runs under way
client.reset("food/**")  // back to the initial state
client.remove("food/**")  // forget
client.clear()  // forget everything, for example when the user logs out
// snippet.end
await client.settled()
