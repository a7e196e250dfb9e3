import Foundation
import QueryKit
import QueryKitTesting
import TestSupport
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite
@testable import QueryKitSQLite

/// A diary that an app keeps on a server, and one on the device, while there is no network.
struct FoodDiaryNetworkTests {
    private let network = ManualNetworkObserver()
    private let memory = InMemoryFoodDiary()

    private func client(_ repositories: FoodDiaryRepositories, journal: (any MutationJournal)? = nil) -> QueryClient {
        var context = QueryContext()
        context.clock = ManualClock(date: FoodBench.friday.start(in: FoodBench.berlin).addingTimeInterval(12 * 3600))
        context.timeZoneObserver = ManualTimeZoneObserver(FoodBench.berlin)
        context.networkObserver = network
        context.mutationJournal = journal
        context.foodDiary = repositories
        return QueryClient(context: context, configuration: .isolated)
    }

    private var remote: FoodDiaryRepositories {
        var repositories = FoodDiaryRepositories(memory)
        repositories.entries = RemoteEntries(base: memory, network: network)
        repositories.totals = RemoteTotals(base: memory, network: network)
        repositories.ingredients = RemoteIngredients(base: memory, network: network)
        return repositories
    }

    private var draft: FoodEntry.Draft {
        Meal.draft(on: FoodBench.friday)
    }

    @Test func `R12 a value that a server could not deliver offline is fetched once the network is back`() async throws {
        let entry = try await memory.add(draft)
        let client = client(remote)
        network.set(isOnline: false)
        let day = client.store(for: FoodEntry.entries(on: FoodBench.friday))
        let pages = client.store(for: FoodEntry.pages(in: FoodBench.friday...FoodBench.friday))
        let total = client.store(for: DailyTotal.today)
        let subscriptions = [
            day.subscribe(with: QueryEventHandler { _, _ in }), pages.subscribe(with: QueryEventHandler { _, _ in }),
            total.subscribe(with: QueryEventHandler { _, _ in }),
        ]
        await client.settled()
        #expect(day.isPaused && pages.state.isPaused && total.isPaused && day.value == nil)
        network.set(isOnline: true)
        await client.settled()
        #expect(day.value == [entry] && pages.state.value?.count == 1 && total.value?.entryCount == 1)
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func `R12 R24 a call that could not reach a server offline is made once the network is back`() async throws {
        let eaten = try await memory.add([draft, draft], key: nil)
        let rice = try await memory.save(Ingredient.Draft(name: "Rice", nutrients: .zero), as: nil, correctingHistory: false)
        let client = client(remote)
        network.set(isOnline: false)
        let today = client.store(for: TodayEntries())
        today.setValue(eaten.reversed())
        let logged = try client.submit(LogFood(), with: draft)
        let edited = try client.submit(EditEntry(), with: .init(eaten[0], to: Meal.draft(grams: 50, on: FoodBench.friday)))
        let deleted = try client.submit(DeleteEntry(), with: eaten[1])
        let saved = try client.submit(SaveIngredient(), with: .init(Ingredient.Draft(name: "Oats", nutrients: .zero)))
        let batches = Lock([[Ingredient.Draft(name: "Rye", nutrients: .zero)]])
        let imported = try client.submit(ImportIngredients(), with: .init { batches.withLock { $0.popLast() } })
        await client.settled()
        #expect(client.store(for: LogFood()).isPaused && client.store(for: ImportIngredients()).isPaused)
        #expect(today.value?.contains { $0.isProvisional } == true)
        network.set(isOnline: true)
        let (grams, isDeleted) = (try await edited.value.grams, try await deleted.value)
        let (name, outcome) = (try await saved.value.name, try await imported.value.outcome)
        #expect(grams == 50 && isDeleted && name == "Oats" && outcome != nil)
        let id = try await logged.value.id
        let entries = try await memory.entries(on: FoodBench.friday, limit: 10)
        #expect(entries.map(\.id).contains(id) && entries.count == 2)
        #expect(try await memory.ingredients(after: rice.id, limit: 10).count == 2)
    }

    @Test(arguments: FoodBench.Kind.allCases)
    func `R12 a diary on the device is read and written without a network`(_ kind: FoodBench.Kind) async throws {
        network.set(isOnline: false)
        let database = try await SQLiteDatabase.openFoodDiary(.inMemory)
        let client = client(
            kind == .memory ? FoodDiaryRepositories(memory) : FoodDiaryRepositories(database),
            journal: MemoryMutationJournal()
        )
        let entry = try await client.mutate(LogFood(), with: draft)
        #expect(try await client.fetch(FoodEntry.today) == [entry])
        let edited = try await client.mutate(EditEntry(), with: .init(entry, to: Meal.draft(grams: 50, on: FoodBench.friday)))
        #expect(try await client.mutate(DeleteEntry(), with: edited))
        let oats = Ingredient.Draft(name: "Oats", nutrients: .zero)
        #expect(try await client.mutate(SaveIngredient(), with: .init(oats)).name == "Oats")
        // A draft that the diary refuses is refused at once, without waiting for a network.
        await #expect(throws: FoodDiaryError.self) { try await client.mutate(SaveIngredient(), with: .init(oats)) }
        await #expect(throws: FoodDiaryError.self) { try await client.mutate(LogFood(), with: Meal.draft("", on: FoodBench.friday)) }
    }

    @Test(arguments: [SQLiteError.Code.full, .busy, .inputOutput])
    func `R12 a failure of a database on the device is a failure even without a network`(_ code: SQLiteError.Code) async throws {
        network.set(isOnline: false)
        var repositories = FoodDiaryRepositories(memory)
        repositories.entries = RemoteEntries(base: memory, network: network, error: SQLiteError(code, "The disk is full."))
        let client = client(repositories)
        await #expect(throws: SQLiteError.self) { try await client.mutate(LogFood(), with: draft) }
        await #expect(throws: SQLiteError.self) { try await client.fetch(FoodEntry.today) }
        await client.settled()
        #expect(!client.store(for: LogFood()).isPaused && !client.store(for: FoodEntry.today).isPaused)
    }
}

/// Entries on a server, or behind something else that fails while there is no network.
private struct RemoteEntries: FoodEntryRepository {
    let base: InMemoryFoodDiary
    let network: ManualNetworkObserver
    var error: any Error = QueryError(.networkUnavailable, "The server can't be reached.")

    private func reached() throws -> InMemoryFoodDiary {
        if !network.isOnline { throw error }
        return base
    }

    func entries(on day: FoodDay, limit: Int) async throws -> [FoodEntry] { try await reached().entries(on: day, limit: limit) }

    func entries(in days: ClosedRange<FoodDay>, below position: FoodEntry.Position?, limit: Int) async throws -> [FoodEntry] {
        try await reached().entries(in: days, below: position, limit: limit)
    }

    func recentEntries(limit: Int) async throws -> [FoodEntry] { try await reached().recentEntries(limit: limit) }

    func entry(_ id: FoodEntry.ID) async throws -> FoodEntry? { try await reached().entry(id) }

    func add(_ drafts: [FoodEntry.Draft], key: UUID?) async throws -> [FoodEntry] { try await reached().add(drafts, key: key) }

    func update(_ seen: FoodEntry, to draft: FoodEntry.Draft) async throws -> FoodEntry { try await reached().update(seen, to: draft) }

    func delete(_ ids: [FoodEntry.ID]) async throws -> [FoodEntry] { try await reached().delete(ids) }

    func importEntries(leavingOutKnown: Bool, _ next: @escaping @Sendable () throws -> [FoodEntry.Draft]?) async throws -> Int {
        try await reached().importEntries(leavingOutKnown: leavingOutKnown, next)
    }
}

private struct RemoteTotals: DailyTotalRepository {
    let base: InMemoryFoodDiary
    let network: ManualNetworkObserver

    private func reached() throws -> InMemoryFoodDiary {
        if !network.isOnline { throw QueryError(.networkUnavailable, "The server can't be reached.") }
        return base
    }

    func total(on day: FoodDay) async throws -> DailyTotal { try await reached().total(on: day) }

    func totals(in days: ClosedRange<FoodDay>, limit: Int) async throws -> [DailyTotal] {
        try await reached().totals(in: days, limit: limit)
    }

    func recalculate(in days: ClosedRange<FoodDay>) async throws -> [FoodDay] { try await reached().recalculate(in: days) }

    func check() async throws -> FoodDiaryCheck { try await reached().check() }

    func rebuild() async throws { try await reached().rebuild() }
}

private struct RemoteIngredients: IngredientRepository {
    let base: InMemoryFoodDiary
    let network: ManualNetworkObserver

    private func reached() throws -> InMemoryFoodDiary {
        if !network.isOnline { throw QueryError(.networkUnavailable, "The server can't be reached.") }
        return base
    }

    func ingredients(_ ids: [Ingredient.ID]) async throws -> [Ingredient] { try await reached().ingredients(ids) }

    func ingredients(after id: Ingredient.ID?, limit: Int) async throws -> [Ingredient] {
        try await reached().ingredients(after: id, limit: limit)
    }

    func search(_ typed: String, category: IngredientCategory?, limit: Int) async throws -> [Ingredient] {
        try await reached().search(typed, category: category, limit: limit)
    }

    func relevantIngredients(for text: String, limit: Int) async throws -> [Ingredient] {
        try await reached().relevantIngredients(for: text, limit: limit)
    }

    func popularIngredients(limit: Int) async throws -> [Ingredient] { try await reached().popularIngredients(limit: limit) }

    func save(_ draft: Ingredient.Draft, as id: Ingredient.ID?, correctingHistory: Bool) async throws -> Ingredient {
        try await reached().save(draft, as: id, correctingHistory: correctingHistory)
    }

    func delete(_ id: Ingredient.ID) async throws -> Bool { try await reached().delete(id) }

    func importIngredients(_ next: @escaping @Sendable () throws -> [Ingredient.Draft]?) async throws -> IngredientImport {
        try await reached().importIngredients(next)
    }
}
