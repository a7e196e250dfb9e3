//! Search as you type: debounce the input, keep the old results while new ones load, and cancel searches that are no longer needed.
import Observation
import QueryKit

nonisolated protocol Catalog: Sendable {
    func names(containing text: String) async throws -> [String]
}

nonisolated extension QueryDependencies {
    var catalog: QueryDependency<any Catalog> { .init(SmallCatalog()) }
}

actor SmallCatalog: Catalog {
    private(set) var searches: [String] = []

    func names(containing text: String) -> [String] {
        searches.append(text)
        return ["Oat", "Oat bran", "Goat cheese", "Rye"].filter { $0.lowercased().contains(text.lowercased()) }
    }
}

// snippet.model
@MainActor @Observable
final class SearchModel: QueryModel {
    let queryClient: QueryClient

    @ObservationIgnored @SharedQuery(SearchModel.search("")) var results
    @ObservationIgnored private var pause: Task<Void, Never>?

    var text = "" { didSet { search() } }

    /// `true` while the results are those of an earlier text.
    var isOutdated: Bool { $results.isPlaceholder }

    init(queryClient: QueryClient) { self.queryClient = queryClient }

    private func search() {
        pause?.cancel()
        pause = Task { [text, clock = queryClient.context.clock] in
            guard (try? await clock.sleep(for: .milliseconds(300))) != nil else { return }
            $results.show(Self.search(text))
        }
    }

    private nonisolated static func search(_ text: String) -> some QueryRequest<[String], QueryState<[String]?, [String]>> {
        InlineQuery("search", text) { context in try await context.catalog.names(containing: text) }
            .enabled(!text.isEmpty)
            .ttl(.seconds(60))
            .keepingPrevious()
    }
}
// snippet.end

// snippet.test
let clock = ManualClock()
var context = QueryContext()
let catalog = SmallCatalog()
context.catalog = catalog
let client = QueryClient.test(clock: clock, context: context)
let model = SearchModel(queryClient: client)
print(model.results ?? [])  // []

let alarms = clock.alarmCount  // may include the timer of the client
for text in ["o", "oa", "oat"] { model.text = text }
try await clock.alarms(atLeast: alarms + 1)
clock.advance(by: .milliseconds(300))
// snippet.end
// snippet.hide
// A view reads again when it is notified that another request is shown.
while await catalog.searches.isEmpty {
    _ = model.results
    await Task.yield()
}
await client.settled()
let searches = await catalog.searches
precondition(searches == ["oat"], "\(searches)")
precondition(model.results == ["Oat", "Oat bran", "Goat cheese"])
// snippet.show
print(model.results ?? [])
