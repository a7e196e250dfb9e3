import Foundation
import QueryKit
import TestSupport
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite
@testable import QueryKitSQLite

struct FoodDiaryObservationTests {
    @Test(arguments: FoodBench.Kind.allCases)
    func `R18 observing today's entries returns them immediately and after each commit`(_ kind: FoodBench.Kind) async throws {
        let bench = try await FoodBench(kind)
        var entries = bench.diary.observeTodayEntries().makeAsyncIterator()
        var totals = bench.diary.observeCurrentTotal().makeAsyncIterator()
        #expect(await entries.next() == [])
        #expect(await totals.next() == .empty(FoodBench.friday))
        let entry = try await bench.write(100)
        #expect(await entries.next() == [entry])
        #expect(await totals.next()?.nutrients.kilocalories == 130)
        // A change of another day causes no element.
        try await bench.write(100, days: -1)
        let second = try await bench.write(50)
        #expect(await entries.next() == [second, entry])
    }

    @Test func `a stream that is no longer read observes nothing`() async throws {
        let bench = try await FoodBench()
        let store = bench.client.store(for: FoodEntry.today)
        let task = Task { for await _ in bench.diary.observeTodayEntries() {} }
        for await state in store.states where state.value != nil { break }
        task.cancel()
        await task.value
        #expect(store.subscriberCount == 0)
    }

    @Test func `a stream keeps its diary alive only while it is read`() async throws {
        let memory = InMemoryFoodDiary()
        weak var client: QueryClient?
        do {
            let (entries, observed) = Self.entries(of: memory)
            client = observed
            var iterator = entries.makeAsyncIterator()
            #expect(await iterator.next() == [])
            let draft = FoodEntry.Draft(name: "Soup", grams: 100, nutrients: .zero, at: FoodMoment(.now, in: .current))
            let entry = try await memory.add(draft)
            #expect(await iterator.next() == [entry])
        }
        await client?.settled()
        #expect(client == nil)
    }

    private static func entries(of memory: InMemoryFoodDiary) -> (AsyncStream<[FoodEntry]>, QueryClient) {
        let diary = FoodDiary(FoodDiaryRepositories(memory), configuration: FoodDiary.configuration(.isolated))
        diary.client.connect(to: memory)
        return (diary.observeTodayEntries(), diary.client)
    }

    @Test(arguments: FoodBench.Kind.allCases)
    func `a stream delivers nothing while reads fail, and continues after the next commit`(_ kind: FoodBench.Kind) async throws {
        let bench = try await FoodBench(kind, failures: 1)
        var entries = bench.diary.observeTodayEntries().makeAsyncIterator()
        await bench.client.settled()
        let store = bench.client.store(for: FoodEntry.today)
        #expect(store.state.error is FoodDiaryError && store.value == nil)
        let entry = try await bench.write(100)
        #expect(await entries.next() == [entry])
    }

    @Test func `D6 observers see what another process has logged`() async throws {
        let folder = try TemporaryFolder()
        let bench = try await FoodBench(.sqlite, .file(folder.file()))
        var entries = bench.diary.observeTodayEntries().makeAsyncIterator()
        #expect(await entries.next() == [])
        // Another process shares the file but not this process's memory, like a second database on the file.
        let other = try await SQLiteDatabase.openFoodDiary(.file(folder.file()))
        let entry = try await SQLiteFoodEntryRepository(other).add(bench.portion(75))
        #expect(await entries.next() == [entry])
        #expect(bench.client.store(for: FoodEntry.today).state.cause == .otherProcess)
        await other.close()
        await bench.diary.database?.close()
    }
}
