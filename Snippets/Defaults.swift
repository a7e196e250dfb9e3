//! Settings for all requests of a client, for some of them, for one,
//! and for one run. The most specific setting wins.
import QueryKit

struct Entries: QueryRequest {
    let day: String

    var path: QueryPath { ["food", "entries", day] }

    func fetch(
        in context: QueryContext,
        with continuation: QueryContinuation<[String]>
    ) async throws -> [String] {
        ["Porridge"]
    }
}

// snippet.configuration
var configuration = QueryClient.Configuration()
configuration.retention = .seconds(600)
configuration.storeLimit = 1_000
configuration.byteLimit = 20_000_000
configuration.setDefaults { $0.ttl = .seconds(30) }
configuration.setDefaults(matching: "food/**") { context in
    context.ttl = .seconds(300)
    context.retry = QueryRetry(
        limit: 5,
        backoff: .constant(.seconds(2))
    )
}
let client = QueryClient(configuration: configuration)
// snippet.end

// snippet.nearer
let byPattern = client.store(for: Entries(day: "yesterday"))
print(byPattern.context.ttl)  // 300.0 seconds
let byModifier = client.store(
    for: Entries(day: "today").ttl(.seconds(5))
)
print(byModifier.context.ttl)  // 5.0 seconds, by the request
// snippet.end
// snippet.hide
precondition(
    byModifier.context.ttl == .seconds(5)
        && byPattern.context.ttl == .seconds(300)
)
// snippet.show
