import Foundation
import QueryKit
import QueryKitTesting
import TestSupport
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite

struct FoodDiaryMutationTests {
    @Test func `R21 NaN nutrients and NaN times are refused before the call is journaled`() async throws {
        let journal = MemoryMutationJournal()
        let bench = try await FoodBench(.memory, journal: journal)
        let entry = try await bench.write(100)
        var (timeless, shapeless) = (bench.portion(50), bench.portion(50))
        timeless.moment = FoodMoment(Date(timeIntervalSince1970: .nan), in: FoodBench.berlin)
        shapeless.nutrients = Nutrients(kilocalories: .nan)
        for draft in [timeless, shapeless] {
            await #expect(throws: FoodDiaryError.self) { try await bench.client.mutate(LogFood(), with: draft) }
            await #expect(throws: FoodDiaryError.self) { try await bench.client.mutate(EditEntry(), with: .init(entry, to: draft)) }
        }
        #expect(try await journal.entries().isEmpty)
        #expect(try await bench.diary.todayEntries == [entry])
    }

    @Test func `R21 an entry that is still being logged can't be changed or deleted`() async throws {
        let bench = try await FoodBench(.memory)
        let entry = FoodEntry(provisional: bench.portion(100))
        let early = FoodDiaryError(.notFound, "Rice is still being logged. Change it when that is done.")
        await #expect(throws: early) { try await bench.client.mutate(EditEntry(), with: .init(entry, to: bench.portion(200))) }
        await #expect(throws: early) { try await bench.client.mutate(DeleteEntry(), with: entry) }
        #expect(try await bench.diary.todayEntries.isEmpty)
    }

    @Test(arguments: FoodBench.Kind.allCases)
    func `R22 a logged entry is shown at once, and then as the diary stored it`(_ kind: FoodBench.Kind) async throws {
        let bench = try await FoodBench(kind)
        try await bench.write(100, hours: -1)
        let recorder = Recorder<[FoodEntry]>()
        let store = bench.client.store(for: FoodEntry.today)
        let subscription = store.subscribe(with: QueryEventHandler { state, _ in if let value = state.value { recorder.note(value) } })
        await bench.client.settled()
        let entry = try await bench.client.mutate(LogFood(), with: bench.portion(200))
        await bench.client.settled()
        var shown: [[Bool]] = []
        for entries in recorder.take() where shown.last != entries.map(\.isProvisional) { shown.append(entries.map(\.isProvisional)) }
        #expect(shown == [[false], [true, false], [false, false]])
        #expect(store.value?.map(\.grams) == [200, 100])
        #expect(store.value?.first == entry && !entry.isProvisional)
        withExtendedLifetime(subscription) {}
    }

    @Test(arguments: FoodBench.Kind.allCases)
    func `R22 a total shows logged, edited and deleted entries at once, and never another value`(_ kind: FoodBench.Kind)
        async throws
    {
        let bench = try await FoodBench(kind)
        let recorder = Recorder<Double>()
        let store = bench.client.store(for: DailyTotal.today)
        let subscription = store.subscribe(
            with: QueryEventHandler { state, _ in if let total = state.value { recorder.note(total.nutrients.kilocalories) } }
        )
        await bench.client.settled()
        let first = try await bench.client.mutate(LogFood(), with: bench.portion(100))
        await bench.client.settled()
        var draft = first.draft
        draft.grams = 200
        draft.nutrients = bench.rice.nutrients(in: 200)
        let edited = try await bench.client.mutate(EditEntry(), with: .init(first, to: draft))
        await bench.client.settled()
        #expect(try await bench.client.mutate(DeleteEntry(), with: edited))
        await bench.client.settled()
        var shown: [Double] = []
        for total in recorder.take() where shown.last != total { shown.append(total) }
        #expect(shown == [0, 130, 260, 0])
        #expect(store.value?.averageConfidence == nil)
        withExtendedLifetime(subscription) {}
    }

    @Test(arguments: FoodBench.Kind.allCases)
    func `R22 an entry moved to another day leaves one list and appears in the other`(_ kind: FoodBench.Kind) async throws {
        let bench = try await FoodBench(kind)
        let entry = try await bench.write(100)
        let yesterday = FoodBench.friday.advanced(by: -1)
        let today = await bench.watch(FoodEntry.today)
        let other = await bench.watch(FoodEntry.entries(on: yesterday))
        let totals = await bench.watch(DailyTotal.totals(in: yesterday...FoodBench.friday))
        let edited = try await bench.client.mutate(EditEntry(), with: .init(entry, to: bench.portion(150, days: -1)))
        await bench.client.settled()
        #expect(edited.id == entry.id && edited.day == yesterday)
        #expect(today.store.value?.isEmpty == true)
        #expect(other.store.value == [edited])
        #expect(totals.store.value?.map(\.day) == [yesterday])
        withExtendedLifetime([today.subscription, other.subscription, totals.subscription]) {}
    }

    @Test(arguments: FoodBench.Kind.allCases)
    func `R22 an entry that the diary refuses disappears, and no other does`(_ kind: FoodBench.Kind) async throws {
        let bench = try await FoodBench(kind)
        let entry = try await bench.write(100)
        let today = await bench.watch(FoodEntry.today)
        var draft = bench.portion(50)
        draft.food = .ingredient(Ingredient.ID(rawValue: 999))
        let error = await #expect(throws: FoodDiaryError.self) { try await bench.client.mutate(LogFood(), with: draft) }
        #expect(error?.code == .notFound)
        draft = bench.portion(0)
        await #expect(throws: FoodDiaryError.self) { try await bench.client.mutate(LogFood(), with: draft) }
        await bench.client.settled()
        #expect(today.store.value == [entry])
        withExtendedLifetime(today.subscription) {}
    }

    @Test(arguments: FoodBench.Kind.allCases)
    func `R21 changes of one diary are made in the order of their calls`(_ kind: FoodBench.Kind) async throws {
        let bench = try await FoodBench(kind)
        let entry = try await bench.write(100)
        let store = bench.client.store(for: EditEntry())
        for grams in 1...20 { try store.submit(EditEntry.Arguments(entry, to: bench.portion(Double(grams)))) }
        await bench.client.settled()
        #expect(try await bench.repositories.entries.entry(entry.id)?.grams == 20)
    }

    @Test(arguments: FoodBench.Kind.allCases)
    func `R23 a changed ingredient is refetched where observed, and history only if requested`(_ kind: FoodBench.Kind) async throws {
        let bench = try await FoodBench(kind)
        let entry = try await bench.write(100)
        let popular = await bench.watch(Ingredient.popular())
        let today = await bench.watch(FoodEntry.today)
        var draft = bench.rice.draft
        draft.nutrients = Nutrients(kilocalories: 200)
        let saved = try await bench.client.mutate(SaveIngredient(), with: .init(draft, as: bench.rice.id))
        await bench.client.settled()
        #expect(popular.store.value?.first == saved && saved.nutrients.kilocalories == 200)
        #expect(today.store.value == [entry])
        _ = try await bench.client.mutate(SaveIngredient(), with: .init(draft, as: bench.rice.id, correctingHistory: true))
        await bench.client.settled()
        #expect(today.store.value?.first?.nutrients.kilocalories == 200)
        #expect(try await bench.diary.currentTotal.nutrients.kilocalories == 200)
        withExtendedLifetime([popular.subscription, today.subscription]) {}
    }

    @Test(arguments: FoodBench.Kind.allCases)
    func `R22 an ingredient is shown changed before it is written, and unchanged if its call is cancelled`(
        _ kind: FoodBench.Kind
    ) async throws {
        let gate = Gate()
        let bench = try await FoodBench(kind, gate: gate)
        let popular = await bench.watch(Ingredient.popular())
        let one = await bench.watch(Ingredient.ingredients([bench.rice.id]))
        let save = bench.client.store(for: SaveIngredient())
        var draft = bench.rice.draft
        draft.nutrients = Nutrients(kilocalories: 200)
        // Changes of a diary are made one after the other: while the first is held up, the second waits.
        try bench.client.store(for: LogFood()).submit(bench.portion(10))
        await gate.arrived()
        let call = try save.submit(SaveIngredient.Arguments(draft, as: bench.rice.id)).id
        #expect(popular.store.value?.first?.nutrients.kilocalories == 200 && popular.store.state.isOptimistic)
        #expect(one.store.value?.first?.nutrients.kilocalories == 200 && one.store.state.isOptimistic)
        #expect(try await bench.repositories.ingredients.ingredients([bench.rice.id]) == [bench.rice])
        save.cancelMutation(call)
        gate.open()
        await bench.client.settled()
        #expect(popular.store.value?.first?.nutrients == bench.rice.nutrients && one.store.value?.first?.nutrients == bench.rice.nutrients)
        withExtendedLifetime([popular.subscription, one.subscription]) {}
    }

    @Test(arguments: FoodBench.Kind.allCases)
    func `an import reports its progress, and imports all or nothing`(_ kind: FoodBench.Kind) async throws {
        let bench = try await FoodBench(kind)
        let left = Lock(3)
        let recorder = Recorder<Int>()
        let store = bench.client.store(for: ImportIngredients())
        let subscription = store.subscribe(
            with: QueryEventHandler { state, _ in
                if let progress = state.value { recorder.note(progress.readCount) }
            }
        )
        let progress = try await bench.client.mutate(
            ImportIngredients(),
            with: .init(count: 4) {
                left.withLock { left in
                    left -= 1
                    return left < 0 ? nil : (0...(left == 0 ? 0 : left - 1)).map { Self.ingredient("food \(left) \($0)") }
                }
            }
        )
        #expect(progress == ImportIngredients.Progress(readCount: 4, count: 4, outcome: IngredientImport(added: 4)))
        #expect(recorder.take().last == 4)
        let isFirst = Lock(true)
        await #expect(throws: FoodDiaryError.self) {
            try await bench.client.mutate(
                ImportIngredients(),
                with: .init {
                    let first = isFirst.withLock { isFirst in
                        defer { isFirst = false }
                        return isFirst
                    }
                    return first ? [Self.ingredient("kept?")] : [Self.ingredient("")]
                }
            )
        }
        #expect(try await bench.repositories.ingredients.ingredients(after: nil, limit: 100).count == 6)
        withExtendedLifetime(subscription) {}
    }

    @Test(arguments: FoodBench.Kind.allCases)
    func `R18 R22 a change is read once by each list and total that shows it`(_ kind: FoodBench.Kind) async throws {
        let bench = try await FoodBench(kind)
        let runs = Recorder<String>()
        let counted = QueryEventHandler<QueryState<[FoodEntry]?, [FoodEntry]>>(onFetchingStarted: { _ in runs.note("list") })
        let summed = QueryEventHandler<QueryState<DailyTotal?, DailyTotal>>(onFetchingStarted: { _ in runs.note("total") })
        let subscriptions = [
            bench.client.store(for: FoodEntry.today).subscribe(with: counted),
            bench.client.store(for: DailyTotal.today).subscribe(with: summed),
        ]
        await bench.client.settled()
        _ = runs.take()
        let entry = try await bench.client.mutate(LogFood(), with: bench.portion(100))
        await bench.client.settled()
        #expect(runs.take().sorted() == ["list", "total"])
        _ = try await bench.client.mutate(EditEntry(), with: .init(entry, to: bench.portion(200)))
        await bench.client.settled()
        #expect(runs.take().sorted() == ["list", "total"])
        let latest = try #require(bench.client.store(for: FoodEntry.today).value?.first)
        _ = try await bench.client.mutate(DeleteEntry(), with: latest)
        await bench.client.settled()
        #expect(runs.take().sorted() == ["list", "total"])
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func `R24 a call repeated after a relaunch logs once`() async throws {
        let bench = try await FoodBench()
        let key = UUID()
        let first = try await bench.repositories.entries.add([bench.portion(100)], key: key)
        #expect(try await bench.repositories.entries.add([bench.portion(100)], key: key) == first)
        let encoded = try JSONEncoder().encode(bench.portion(100))
        #expect(try JSONDecoder().decode(FoodEntry.Draft.self, from: encoded) == bench.portion(100))
        #expect(try await bench.diary.todayEntries == first)
    }

    private static func ingredient(_ name: String) -> Ingredient.Draft {
        Ingredient.Draft(name: name, nutrients: Nutrients(kilocalories: 10))
    }
}
