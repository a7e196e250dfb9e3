//! Triggers, which start runs automatically: timers, the
//! system, and the calendar.
import Foundation
import QueryKit

struct Entries: QueryRequest {
    let day: String

    var path: QueryPath { ["food", "entries", day] }

    func fetch(
        in context: QueryContext,
        with continuation: QueryContinuation<String>
    ) async throws -> String {
        "\(day) at \(context.clock.date)"
    }
}

// snippet.live
// Observes the network, the app's activity, memory pressure and the
// time zone of the system.
let app = QueryClient()

// Each default can be turned off in one line.
var configuration = QueryClient.Configuration()
configuration.refetchesWhenActive = false
let quiet = QueryClient(configuration: configuration)
// snippet.end

// snippet.doubles
// In a test, observers that the test controls.
let clock = ManualClock(
    date: Date(timeIntervalSince1970: 1_715_378_400)
)  // an hour before midnight in London
let activity = ManualActivityObserver()
let user = ManualTimeZoneObserver(
    TimeZone(identifier: "Europe/London") ?? .gmt
)
var context = QueryContext()
context.activityObserver = activity
context.timeZoneObserver = user
let client = QueryClient.test(clock: clock, context: context)
// snippet.end

// snippet.refetch
// Runs when the app becomes active or a minute has passed, if it is
// observed and its value is older than half a minute.
let today = Entries(day: "today")
    .ttl(.seconds(30))
    .refetch(on: .appActive)
    .polling(every: .seconds(60))
// snippet.end

// snippet.invalidate
// At midnight all dated values are invalid, whether
// or not they are observed.
let midnight = client.invalidate("food/**", on: .dayChange)
// snippet.end

// snippet.hide
let store = client.store(for: today)
let subscription = store.subscribe(with: QueryEventHandler())
await client.settled()
let first = store.value
clock.advance(by: .seconds(31))
activity.set(isActive: false)
activity.set(isActive: true)
await client.settled()
precondition(
    store.value != first && store.state.cause.trigger == "app active"
)
subscription.cancel()

let yesterday = Entries(day: "yesterday").ttl(.infinity)
_ = try await client.fetch(yesterday)
precondition(!client.store(for: yesterday).isStale)
clock.advance(by: .seconds(2 * 3600))
precondition(client.store(for: yesterday).isStale)
midnight.cancel()
precondition(app.storeCount == 0 && quiet.storeCount == 0)
// snippet.show
