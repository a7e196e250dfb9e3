//! One request in a view model and in a reducer,
//! over the same use cases.
import Observation
import QueryKit

// snippet.layers
// The domain and its use cases. They don't import QueryKit.
nonisolated struct FoodEntry: Equatable, Sendable {
    let name: String
    let kilocalories: Int
}

nonisolated protocol FoodEntryRepository: Sendable {
    func entries(on day: String) async throws -> [FoodEntry]
    func add(_ entry: FoodEntry, on day: String) async throws
}

nonisolated struct ListEntries: Sendable {
    let repository: any FoodEntryRepository

    func callAsFunction(on day: String) async throws -> [FoodEntry] {
        try await repository.entries(on: day)
    }
}

nonisolated struct LogEntry: Sendable {
    let repository: any FoodEntryRepository

    func callAsFunction(
        _ entry: FoodEntry,
        on day: String
    ) async throws {
        try await repository.add(entry, on: day)
    }
}

// snippet.link
// The link to QueryKit: a request wraps a use case that reads.
nonisolated extension QueryDependencies {
    var listEntries: QueryDependency<ListEntries> {
        .init(ListEntries(repository: InMemoryDiary()))
    }
}

struct EntriesOfDay: QueryRequest {
    let day: String

    var path: QueryPath { ["food", "entries", day] }

    func fetch(
        in context: QueryContext,
        with continuation: QueryContinuation<[FoodEntry]>
    ) async throws -> [FoodEntry] {
        try await context.listEntries(on: day)
    }
}
// snippet.end

actor InMemoryDiary: FoodEntryRepository {
    private var entries = [
        "monday": [FoodEntry(name: "Porridge", kilocalories: 380)]
    ]

    func entries(on day: String) -> [FoodEntry] {
        entries[day, default: []]
    }

    func add(_ entry: FoodEntry, on day: String) {
        entries[day, default: []].append(entry)
    }
}

// snippet.viewmodel
@MainActor @Observable final class DayModel {
    @ObservationIgnored
    @SharedQuery<EntriesOfDay.State>
    private var entries: [FoodEntry]?
    private let logEntry: LogEntry
    private var day: String

    init(day: String, logEntry: LogEntry) {
        _entries = SharedQuery(EntriesOfDay(day: day).keepingPrevious())
        self.logEntry = logEntry
        self.day = day
    }

    var rows: [String] { (entries ?? []).map(\.name) }
    var total: Int {
        (entries ?? []).reduce(0) { $0 + $1.kilocalories }
    }
    var showsProgress: Bool { $entries.isLoading }
    var message: String? { $entries.error.map { "\($0)" } }

    func turn(to day: String) {
        self.day = day
        $entries.show(EntriesOfDay(day: day).keepingPrevious())
    }

    func add(_ entry: FoodEntry) async throws {
        try await logEntry(entry, on: day)
        $entries.invalidate()
    }
}
// snippet.end

// snippet.reducer
struct DayFeature {
    struct State: Equatable {
        @SharedQuery<EntriesOfDay.State> var entries: [FoodEntry]?
        var isAdding = false

        init(day: String, client: QueryClient? = nil) {
            _entries = SharedQuery(
                EntriesOfDay(day: day),
                client: client
            )
        }

        var total: Int {
            (entries ?? []).reduce(0) { $0 + $1.kilocalories }
        }
    }

    enum Action {
        case dayChosen(String)
        case addTapped
        case refreshPulled
    }

    /// Changes the state, and returns the effect to
    /// run, if there is one.
    func reduce(
        _ state: inout State,
        _ action: Action
    ) -> (@Sendable () async -> Void)? {
        switch action {
        case .dayChosen(let day):
            state.$entries.show(EntriesOfDay(day: day))
            return nil
        case .addTapped:
            state.isAdding = true
            return nil
        case .refreshPulled:
            return { [entries = state.$entries] in
                _ = try? await entries.fetch()
            }
        }
    }
}
// snippet.end

// snippet.test
let diary = InMemoryDiary()
var context = QueryContext()
context.listEntries = ListEntries(repository: diary)
let client = QueryClient(context: context)

let model = QueryClient.with(client) {
    DayModel(day: "monday", logEntry: LogEntry(repository: diary))
}
_ = model.rows  // the first read subscribes
await client.settled()
print(model.rows, model.total)  // ["Porridge"] 380

try await model.add(FoodEntry(name: "Apple", kilocalories: 95))
await client.settled()
print(model.rows, model.total)  // ["Porridge", "Apple"] 475
// snippet.end
// snippet.hide
precondition(model.rows == ["Porridge", "Apple"])
precondition(model.message == nil && !model.showsProgress)

model.turn(to: "tuesday")
_ = model.rows
await client.settled()
precondition(model.rows == [])

let feature = DayFeature()
var state = DayFeature.State(day: "monday", client: client)
precondition(state == DayFeature.State(day: "monday", client: client))
await feature.reduce(&state, .refreshPulled)?()
precondition(state.total == 475)
_ = feature.reduce(&state, .dayChosen("tuesday"))
_ = feature.reduce(&state, .addTapped)
precondition(state.total == 0 && state.isAdding)
// snippet.show
