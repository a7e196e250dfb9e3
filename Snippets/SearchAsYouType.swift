//! Search as you type: debounce the input, keep the old results while
//! new ones load, and cancel searches that are no longer needed.
import Observation
import QueryKit
import QueryKitTesting

nonisolated protocol Catalog: Sendable {
    func names(containing text: String) async throws -> [String]
}

nonisolated extension QueryDependencies {
    var catalog: QueryDependency<any Catalog> { .init(SmallCatalog()) }
}

actor SmallCatalog: Catalog {
    private let gate: Gate?
    private(set) var searches: [String] = []
    private(set) var cancelled: [String] = []

    init(gate: Gate? = nil) { self.gate = gate }

    func names(containing text: String) async throws -> [String] {
        searches.append(text)
        do { try await gate?.pass() } catch {
            cancelled.append(text)
            throw error
        }
        return ["Oat", "Oat bran", "Goat cheese", "Rye"].filter {
            $0.lowercased().contains(text.lowercased())
        }
    }
}

// snippet.model
@MainActor @Observable
final class SearchModel: QueryModel {
    let queryClient: QueryClient

    @ObservationIgnored
    @SharedQuery(SearchModel.search(""))
    private var found
    @ObservationIgnored private var pause: Task<Void, Never>?

    var text = "" { didSet { search() } }

    /// The results for the text; while they load,
    /// those of the previous text.
    var results: [String] { text.isEmpty ? [] : found ?? [] }

    /// `true` while the results are those of an earlier text.
    var isOutdated: Bool { $found.isPlaceholder }

    init(queryClient: QueryClient) { self.queryClient = queryClient }

    private func search() {
        pause?.cancel()
        pause = Task { [text, clock = queryClient.context.clock] in
            guard
                (try? await clock.sleep(for: .milliseconds(300))) != nil
            else { return }
            $found.show(Self.search(text))
        }
    }

    private nonisolated static func search(
        _ text: String
    ) -> some QueryRequest<[String], QueryState<[String]?, [String]>> {
        InlineQuery("search", text) { context in
            try await context.catalog.names(containing: text)
        }
        .enabled(!text.isEmpty)
        .ttl(.seconds(60))
        .keepingPrevious()
    }
}
// snippet.end

// snippet.test
let (clock, gate) = (ManualClock(), Gate())
let catalog = SmallCatalog(gate: gate)
var context = QueryContext()
context.catalog = catalog
let client = QueryClient.test(clock: clock, context: context)
let model = SearchModel(queryClient: client)

/// Enters one text after another, then advances the clock
/// by the pause, so that the model shows the new request.
@MainActor func type(_ texts: String...) async throws {
    // The count may include the timer of the client.
    let alarms = clock.alarmCount
    for text in texts { model.text = text }
    try await clock.alarms(atLeast: alarms + 1)
    clock.advance(by: .milliseconds(300))
}

gate.open()
try await type("o", "oa", "oat")
// snippet.hide
/// A view reads again when it is notified that
/// another request is shown.
@MainActor func draw(until isDone: () async -> Bool) async {
    while await !isDone() {
        _ = model.results
        await Task.yield()
    }
}
await draw { await catalog.searches == ["oat"] }
// snippet.show
await client.settled()
print(model.results)  // ["Oat", "Oat bran", "Goat cheese"]

gate.close()
try await type("goat")
// snippet.hide
await draw { gate.heldCount == 1 }
// snippet.show
print(model.results)  // ["Oat", "Oat bran", "Goat cheese"]
print(model.isOutdated)  // true
// snippet.hide
precondition(model.results.count == 3 && model.isOutdated)
// snippet.show

try await type("rye")  // the search for "goat" is cancelled
// snippet.hide
await draw { await catalog.searches.last == "rye" }
// snippet.show
gate.open()
await client.settled()
print(model.results, model.isOutdated)  // ["Rye"] false

model.text = ""
print(model.results)  // []
// snippet.end
let (searches, cancelled) = await (catalog.searches, catalog.cancelled)
precondition(searches == ["oat", "goat", "rye"], "\(searches)")
precondition(cancelled == ["goat"], "\(cancelled)")
precondition(model.results.isEmpty)
