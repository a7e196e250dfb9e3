import Foundation
import QueryKit
import QueryKitTesting
import TestSupport
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite

/// What a cache or an archive keeps of a diary from one launch to the next.
struct FoodDiaryPersistenceTests {
    private let cache = MemoryQueryCache()

    /// The next launch, the given number of hours after the noon of the bench, with a diary that can't be read.
    private func relaunch(after hours: Double, in zone: TimeZone = FoodBench.berlin) -> QueryClient {
        var context = QueryContext()
        context.clock = ManualClock(date: FoodBench.friday.start(in: FoodBench.berlin).addingTimeInterval((12 + hours) * 3600))
        context.timeZoneObserver = ManualTimeZoneObserver(zone)
        var repositories = FoodDiaryRepositories(InMemoryFoodDiary())
        repositories.entries = GatedEntries(base: repositories.entries, gate: nil, failures: Lock(.max))
        context.foodDiary = repositories
        return QueryClient(context: context, configuration: .isolated)
    }

    /// What a client first shows of today.
    private func shown(_ client: QueryClient) async -> [FoodEntry]? {
        let store = client.store(for: FoodEntry.today.retry(limit: 0).persisted(in: cache))
        let subscription = store.subscribe(with: QueryEventHandler { _, _ in })
        await client.settled()
        defer { subscription.cancel() }
        return store.value
    }

    @Test func `R28 after a relaunch the entries of today are shown, but not those of yesterday`() async throws {
        let bench = try await FoodBench(.memory)
        let entry = try await bench.write(100)
        #expect(try await bench.client.fetch(FoodEntry.today.persisted(in: cache)) == [entry])
        await bench.client.settled()
        #expect(await shown(relaunch(after: 11)) == [entry])
        #expect(await shown(relaunch(after: 12)) == nil)
        // At noon in Berlin it is tomorrow on Kiritimati.
        #expect(await shown(relaunch(after: 0, in: TimeZone(identifier: "Pacific/Kiritimati")!)) == nil)
    }

    @Test func `R28 the total of yesterday is not shown as today's`() async throws {
        let bench = try await FoodBench(.memory)
        try await bench.write(100)
        let total = try await bench.client.fetch(DailyTotal.today.persisted(in: cache))
        await bench.client.settled()
        for (hours, expected) in [(11.0, Optional(total)), (12, nil)] {
            let client = relaunch(after: hours)
            let store = client.store(for: DailyTotal.today.persisted(in: cache))
            let seen = Recorder<DailyTotal?>()
            let subscription = store.subscribe(with: QueryEventHandler { state, _ in seen.note(state.value) })
            await client.settled()
            #expect(seen.all.contains { $0?.day == total.day } == (expected != nil))
            subscription.cancel()
        }
    }

    @Test func `R28 an archive of yesterday has no entries of today, and none are carried over`() async throws {
        let bench = try await FoodBench(.memory)
        let entry = try await bench.write(100)
        _ = try await bench.client.fetch(FoodEntry.today.archived())
        let archive = try await bench.client.dehydrate()
        let today = relaunch(after: 11)
        await today.hydrate(from: archive)
        #expect(today.store(for: FoodEntry.today.archived()).value == [entry])
        let tomorrow = relaunch(after: 12)
        await tomorrow.hydrate(from: archive)
        let store = tomorrow.store(for: FoodEntry.today.archived())
        #expect(store.value == nil)
        store.setValue([])
        #expect(try await tomorrow.dehydrate().count == 1)
    }

    @Test func `R28 entries read before midnight are not kept as the next day's`() async throws {
        let bench = try await FoodBench(.memory)
        let entry = try await bench.write(100)
        // The client learns of midnight only after the list has been read and returned.
        var context = bench.client.context
        context.timeZoneObserver = ManualTimeZoneObserver(FoodBench.berlin)
        let client = QueryClient(context: context, configuration: .isolated)
        bench.clock.advance(by: .seconds(12 * 3600 - 1))
        let gate = Gate()
        let store = client.store(for: FoodEntry.today.persisted(in: cache))
        context = store.context
        context.foodDiary?.entries = GatedReads(base: bench.entries, gate: gate)
        let fetch = Task { [context] in try await store.fetch(using: context) }
        await gate.arrived()
        bench.clock.advance(by: .seconds(2))
        gate.open()
        #expect(try await fetch.value == [entry])
        await client.settled()
        #expect(await shown(relaunch(after: 12.1)) == nil)
        #expect(await shown(relaunch(after: 11.9)) == nil)
        #expect(try await client.dehydrate().count == 0)
        // The next one belongs to one day from beginning to end.
        #expect(try await client.store(for: FoodEntry.today.persisted(in: cache)).fetch() == [])
        await client.settled()
        #expect(await shown(relaunch(after: 12.1)) == [])
    }

    @Test func `R28 when the app becomes active, stores that the client releases keep their values in the cache`() async throws {
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
        // It is shown with its age until the diary is read again.
        let client = relaunch(after: 1)
        let store = client.store(for: request)
        let seen = Recorder<[FoodEntry]?>()
        let subscription = store.subscribe(with: QueryEventHandler { state, _ in seen.note(state.value) })
        await client.settled()
        #expect(seen.all.contains([entry]))
        subscription.cancel()
    }
}

/// Entries whose lists are read at once, and returned when a gate opens.
private struct GatedReads: FoodEntryRepository {
    let base: any FoodEntryRepository
    let gate: Gate

    func entries(on day: FoodDay, limit: Int) async throws -> [FoodEntry] {
        let entries = try await base.entries(on: day, limit: limit)
        try await gate.pass()
        return entries
    }

    func entries(in days: ClosedRange<FoodDay>, below position: FoodEntry.Position?, limit: Int) async throws -> [FoodEntry] {
        try await base.entries(in: days, below: position, limit: limit)
    }

    func recentEntries(limit: Int) async throws -> [FoodEntry] { try await base.recentEntries(limit: limit) }

    func entry(_ id: FoodEntry.ID) async throws -> FoodEntry? { try await base.entry(id) }

    func add(_ drafts: [FoodEntry.Draft], key: UUID?) async throws -> [FoodEntry] { try await base.add(drafts, key: key) }

    func update(_ seen: FoodEntry, to draft: FoodEntry.Draft) async throws -> FoodEntry { try await base.update(seen, to: draft) }

    func delete(_ ids: [FoodEntry.ID]) async throws -> [FoodEntry] { try await base.delete(ids) }

    func importEntries(leavingOutKnown: Bool, _ next: @escaping @Sendable () throws -> [FoodEntry.Draft]?) async throws -> Int {
        try await base.importEntries(leavingOutKnown: leavingOutKnown, next)
    }
}
