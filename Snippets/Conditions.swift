//! Requests that run automatically only while a condition holds.
import Observation
import QueryKit

struct Profile: QueryRequest {
    func fetch(
        in context: QueryContext,
        with continuation: QueryContinuation<String>
    ) async throws -> String { "Ada" }
}

@MainActor @Observable
final class Session {
    var isSignedIn = false
}

// snippet.observing
let session = Session()
let profile = Profile().enabled(observing: { session.isSignedIn })
// snippet.end
// snippet.hide
let client = QueryClient.test()
let subscription = client.store(for: profile).subscribe(
    with: QueryEventHandler()
)
await client.settled()
precondition(client.value(for: Profile()) == nil)
// snippet.show

// snippet.reconsider
// After login: conditions that depend on anything other than
// observable objects must be reconsidered explicitly.
client.reconsider("Profile/**")
// snippet.end

// snippet.hide
session.isSignedIn = true
await client.settled()
precondition(client.value(for: Profile()) == "Ada")
subscription.cancel()
// snippet.show
