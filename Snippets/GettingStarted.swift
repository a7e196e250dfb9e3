//! A use case, the request that wraps it, and a client that
//! keeps observers up to date.
import QueryKit

// snippet.domain
// The domain: a type, a use case, and its implementation. It
// doesn't import QueryKit.
nonisolated struct FoodEntry: Equatable, Sendable {
    let name: String
    let kilocalories: Int
}

nonisolated protocol ListEntries: Sendable {
    func entries(on day: String) async throws -> [FoodEntry]
}

actor Diary: ListEntries {
    private var entries = [
        "today": [FoodEntry(name: "Porridge", kilocalories: 380)]
    ]

    func entries(on day: String) -> [FoodEntry] {
        entries[day, default: []]
    }

    func log(_ entry: FoodEntry, on day: String) {
        entries[day, default: []].append(entry)
    }
}
// snippet.end

// snippet.request
// The link to QueryKit: a dependency in the context, and the request
// that wraps the use case.
nonisolated extension QueryDependencies {
    var listEntries: QueryDependency<any ListEntries> { .init(Diary()) }
}

struct EntriesOfDay: QueryRequest {
    let day: String

    var path: QueryPath { ["food", "entries", day] }

    func fetch(
        in context: QueryContext,
        with continuation: QueryContinuation<[FoodEntry]>
    ) async throws -> [FoodEntry] {
        try await context.listEntries.entries(on: day)
    }
}
// snippet.end

// snippet.client
// The app: one client, and a store for each request.
let diary = Diary()
var context = QueryContext()
context.listEntries = diary

let client = QueryClient(context: context)
let store = client.store(
    for: EntriesOfDay(day: "today").ttl(.seconds(300))
)

let subscription = store.subscribe(
    with: QueryEventHandler { state, _ in
        switch state.status {
        case .idle: print("nothing yet")
        case .loading: print("loading")
        case .result(.success(let entries)):
            print(
                entries.map(\.name),
                state.isFetching ? "refreshing" : "shown"
            )
        case .result(.failure(let error)): print("failed:", error)
        }
    }
)
// snippet.end

// snippet.fetch
// Joins the run under way. If there is none, runs the request again:
// the ttl above applies only to `store`, and this request has none.
let entries = try await client.fetch(EntriesOfDay(day: "today"))
print("fetched", entries.count)
// snippet.end

// snippet.invalidate
await diary.log(FoodEntry(name: "Apple", kilocalories: 95), on: "today")
client.invalidate("food/**")  // the observer receives the new entries
await client.settled()
// snippet.end
// snippet.hide
precondition(store.value?.map(\.name) == ["Porridge", "Apple"])
subscription.cancel()
// snippet.show
