import Foundation
import QueryKit
import QueryKitTesting
import TestSupport
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite

/// What a cache or an archive keeps of a diary from one launch to the next.
@Suite(.timeLimit(.minutes(5))) struct FoodDiaryPersistenceTests {
    private let cache = MemoryQueryCache()

    /// The next launch, so many hours after the noon of the bench, with a diary that can't be read.
    private func relaunch(after hours: Double, in zone: TimeZone = FoodBench.berlin) -> QueryClient {
        var context = QueryContext()
        context.clock = ManualClock(date: FoodBench.friday.start(in: FoodBench.berlin).addingTimeInterval((12 + hours) * 3600))
        context.timeZoneObserver = ManualTimeZoneObserver(zone)
        var repositories = FoodDiaryRepositories(InMemoryFoodDiary())
        repositories.entries = GatedEntries(base: repositories.entries, gate: nil, failures: Lock(.max))
        context.foodDiary = repositories
        return QueryClient(context: context, configuration: .isolated)
    }

    @Test func `R28 when the app comes forward a cache keeps what the client lets go`() async throws {
        let bench = try await FoodBench(.memory)
        let entry = try await bench.write(100)
        let request = FoodEntry.entries(on: FoodBench.friday).persisted(in: cache)
        _ = try await bench.client.fetch(request)
        await bench.client.settled()
        #expect(cache.count == 1)
        bench.activity.set(isActive: false)
        bench.client.invalidate("diary/entries/days/**", refetch: .none)
        bench.activity.set(isActive: true)
        await bench.client.settled()
        #expect(bench.client.stores(matching: "diary/entries/days/**").isEmpty)
        #expect(cache.count == 1)
        // It shows, as old as it is, until the diary is read again.
        let client = relaunch(after: 1)
        let store = client.store(for: request)
        let seen = Recorder<[FoodEntry]?>()
        let subscription = store.subscribe(with: QueryEventHandler { state, _ in seen.note(state.value) })
        await client.settled()
        #expect(seen.all.contains([entry]))
        subscription.cancel()
    }
}
