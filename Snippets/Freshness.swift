//! How long a value is fresh, and how long it is kept.
import Foundation
import QueryKit

struct Forecast: QueryRequest {
    let city: String

    var path: QueryPath { ["weather", city] }

    func fetch(
        in context: QueryContext,
        with continuation: QueryContinuation<String>
    ) async throws -> String {
        "\(city) at \(context.clock.date)"
    }
}

// snippet.hide
let clock = ManualClock()
let client = QueryClient.test(clock: clock)
// snippet.show
// snippet.ttl
// Fresh for a minute, and kept for an hour after its last use.
let oslo = Forecast(city: "Oslo").ttl(.seconds(60)).keep(
    for: .seconds(3600)
)

let first = try await client.fetch(oslo)  // nothing cached: runs
clock.advance(by: .seconds(59))
let second = try await client.fetch(oslo)  // fresh: from the cache
clock.advance(by: .seconds(1))
let third = try await client.fetch(oslo)  // stale: runs again
// snippet.end
// snippet.hide
precondition(first == second && second != third)
// snippet.show

// snippet.rule
// A storm must be up to date; any other forecast may be an hour old.
let bergen = Forecast(city: "Bergen").ttl { forecast in
    forecast.contains("Storm") ? .seconds(60) : .seconds(3600)
}
// snippet.end
// snippet.hide
client.setValue("Storm", for: bergen)
clock.advance(by: .seconds(60))
precondition(client.store(for: bergen).isStale)
// snippet.show

// snippet.seed
// The age of a value from another source is measured from its date.
let yesterday = clock.date.addingTimeInterval(-24 * 3600)
let rome = client.store(
    for: Forecast(city: "Rome").ttl(.seconds(60)),
    initialValue: "Sun",
    updatedAt: yesterday
)
print(rome.value ?? "", rome.isStale)  // Sun true
// snippet.end

// snippet.write
// A value that you set is as fresh as a fetched one.
client.setValue("Rain", for: Forecast(city: "Oslo"))
// snippet.end
// snippet.hide
precondition(client.value(for: oslo) == "Rain" && rome.isStale)
// snippet.show
