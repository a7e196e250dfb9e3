import DiaryApp
import FoodDiaryKit
import Foundation
import Observation
import QueryKit
import QueryKitTesting

/// The app over a diary in memory on Saturday, 21 November 2026, at noon. Gates are open unless a
/// test closes them.
@MainActor
struct TestApp {
    let clock = ManualClock(date: Date(timeIntervalSince1970: 1_795_262_400))
    let reads = Gate()
    let writes = Gate()
    let doctor = FakeDoctor()
    let sample: SampleDiary
    let models: DiaryModels

    var client: QueryClient { sample.client }
    var today: TodayModel { models.today }

    init(days: Int = 4) async throws {
        var context = QueryContext()
        context.clock = clock
        context.timeZone = .gmt
        context.calendar = Calendar(identifier: .iso8601)
        sample = SampleDiary(doctor: doctor, context: context) { [reads, writes] in
            $0.entries = HeldEntries(base: $0.entries, reads: reads, writes: writes)
            $0.totals = HeldTotals(base: $0.totals, reads: reads)
            $0.ingredients = HeldIngredients(base: $0.ingredients, reads: reads, writes: writes)
        }
        models = DiaryModels(queryClient: sample.client)
        reads.open()
        writes.open()
        try await sample.fill(days: days)
    }

    /// Reads as a screen does, and waits until all work is done.
    func show(_ read: () -> Void) async {
        read()
        await client.settled()
        read()
        await client.settled()
    }

    /// Types letter by letter, then pauses, which starts the search.
    func type(_ texts: String..., in search: IngredientSearch) async throws {
        // The count may include the timer of the client.
        let alarms = clock.alarmCount
        for text in texts { search.text = text }
        try await clock.alarms(atLeast: alarms + 1)
        clock.advance(by: IngredientSearch.pause)
        await waitUntil { search.searchedText == texts.last }
        await show { _ = search.results }
    }
}

/// Waits until a condition over observable objects holds.
@MainActor
func waitUntil(_ condition: () -> Bool) async {
    let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
    var next = changes.makeAsyncIterator()
    while !withObservationTracking(condition, onChange: { continuation.yield() }) {
        await next.next()
    }
}

/// A doctor that reports what the test sets.
struct FakeDoctor: DiaryDoctor {
    let reporting = FakeFunction<Void, DiaryHealth>(returning: DiaryHealth())
    let acknowledging = FakeFunction<Void, Void>()
    let checking = FakeFunction<Void, FoodDiaryCheck>(returning: FoodDiaryCheck(days: nil))
    let rebuilding = FakeFunction<Void, Void>()

    func health() async throws -> DiaryHealth { try await reporting() }
    func acknowledge() async throws { try await acknowledging() }
    func check() async throws -> FoodDiaryCheck { try await checking() }
    func rebuild() async throws { try await rebuilding() }
}

/// The error of a broken disk.
struct DiskError: Error, CustomStringConvertible {
    let description = "The disk is broken."
}
