//! Observing a client: numbers, alerts, events, and a snapshot.
import QueryKit

struct Offline: Error {}

struct Weather: QueryRequest {
    let city: String

    var path: QueryPath { ["weather", city] }

    func fetch(
        in context: QueryContext,
        with continuation: QueryContinuation<Int>
    ) async throws -> Int {
        if city == "Atlantis" { throw Offline() }
        return 21
    }
}

// snippet.thresholds
var configuration = QueryClient.Configuration()
configuration.alerts.p95Targets = ["weather": .milliseconds(100)]
configuration.alerts.failureRate = 0.1
configuration.alerts.missRate = nil
let client = QueryClient(configuration: configuration)
// snippet.end

// snippet.sink
let logging = client.attach(PrintEventSink())
// runStarted weather/Bern (manual) #1
// runSucceeded weather/Bern (manual) #1 3.4 ms
// snippet.end
// snippet.hide
let events = client.events
// snippet.show

// snippet.metrics
for _ in 1...3 {
    _ = try await client.fetch(Weather(city: "Bern").ttl(.seconds(60)))
}

let weather = client.metrics.byPrefix["weather"]
print(weather?.runs ?? 0, weather?.hits ?? 0)  // 1 2
print(weather?.p95 ?? .zero)  // 0.0034 seconds
// snippet.end
// snippet.hide
precondition(weather?.runs == 1 && weather?.hits == 2)
// snippet.show

// snippet.alerts
for _ in 1...20 {
    _ = try? await client.fetch(Weather(city: "Atlantis"))
}

for alert in client.alerts { print(alert) }
// failureRate weather 95.2 % > 10 %
// snippet.end
// snippet.hide
precondition(
    client.alerts.map(\.description) == [
        "failureRate weather 95.2 % > 10 %"
    ]
)
// snippet.show

// snippet.events
for await event in events where event.kind == .alertRaised {
    print(event.alert?.measured ?? 0, event.path)
    break
}
// snippet.end

// snippet.snapshot
print(client.snapshot())
// path              status   is     age     …  cause   error
// weather/Atlantis  failure  stale  1.2 ms  …  manual  Offline
// weather/Bern      success         8.4 ms  …  manual
// snippet.end
// snippet.hide
precondition(client.snapshot().stores.map(\.error) == ["Offline", nil])
logging.cancel()
let bern = client.store(for: Weather(city: "Bern"))
let watching = bern.subscribe(with: QueryEventHandler())
await client.settled()
client.invalidate("weather/*")
var shown = ""
// snippet.show

// snippet.origins
for await event in events where event.kind == .runStarted {
    guard let origin = event.origin else { continue }
    print(event.path, "because of", origin)
    // snippet.hide
    shown = "\(event.path) because of \(origin)"
    // snippet.show
    break
}
// weather/Bern because of #1 invalidation weather/*
// snippet.end
// snippet.hide
precondition(shown.hasSuffix("because of #1 invalidation weather/*"))
watching.cancel()
await client.settled()
// snippet.show
