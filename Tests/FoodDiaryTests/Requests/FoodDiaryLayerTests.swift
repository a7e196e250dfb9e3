import Foundation
import QueryKit
import QueryKitTesting
import TestSupport
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite
@testable import QueryKitSQLite

/// An optimistic value must either become true or disappear.
struct FoodDiaryLayerTests {
    @Test(arguments: FoodBench.Kind.allCases)
    func `R22 an entry logged just before midnight and written after it stays on its day`(_ kind: FoodBench.Kind) async throws {
        let gate = Gate()
        let bench = try await FoodBench(kind, gate: gate)
        bench.clock.advance(by: .seconds(12 * 3600 - 10))
        let today = await bench.watch(FoodEntry.today)
        let total = await bench.watch(DailyTotal.today)
        try bench.client.store(for: LogFood()).submit(bench.portion(100))
        await gate.arrived()
        #expect(today.store.value?.count == 1 && total.store.value?.entryCount == 1)
        bench.clock.advance(by: .seconds(11))
        for await total in total.store.states where total.value?.day != FoodBench.friday { break }
        for await today in today.store.states where today.value?.isEmpty == true { break }
        gate.open()
        await bench.client.settled()
        #expect(today.store.value?.isEmpty == true)
        #expect(total.store.value == .empty(FoodBench.friday.advanced(by: 1)))
        #expect(try await bench.diary.fetchEntries(for: FoodBench.friday).count == 1)
        withExtendedLifetime([today.subscription, total.subscription]) {}
    }

    @Test(arguments: FoodBench.Kind.allCases)
    func `R22 an entry deleted twice disappears once`(_ kind: FoodBench.Kind) async throws {
        let bench = try await FoodBench(kind)
        try await bench.write(200)
        let entry = try await bench.write(100)
        let total = await bench.watch(DailyTotal.today)
        let ofDay = await bench.watch(DailyTotal.total(on: FoodBench.friday))
        #expect(try await bench.client.mutate(DeleteEntry(), with: entry))
        #expect(try await !bench.client.mutate(DeleteEntry(), with: entry))
        await bench.client.settled()
        #expect(total.store.value?.entryCount == 1 && total.store.value?.nutrients.kilocalories == 260)
        #expect(ofDay.store.value == total.store.value)
        withExtendedLifetime([total.subscription, ofDay.subscription]) {}
    }

    @Test(arguments: FoodBench.Kind.allCases)
    func `R22 editing or deleting an entry that has moved in the meantime shows the days as they are`(_ kind: FoodBench.Kind) async throws {
        let bench = try await FoodBench(kind)
        try await bench.write(50)
        let entry = try await bench.write(100)
        _ = try await bench.repositories.entries.update(entry, to: bench.portion(100, days: -1))
        let total = await bench.watch(DailyTotal.today)
        _ = try await bench.client.mutate(EditEntry(), with: .init(entry, to: bench.portion(100, days: -2)))
        await bench.client.settled()
        #expect(total.store.value?.entryCount == 1)
        #expect(try await bench.client.mutate(DeleteEntry(), with: entry))
        await bench.client.settled()
        #expect(total.store.value?.entryCount == 1 && total.store.value?.nutrients.kilocalories == 65)
        withExtendedLifetime(total.subscription) {}
    }

    @Test(arguments: FoodBench.Kind.allCases)
    func `R22 an entry without a key yet can't be edited or deleted, and is shown as it will be`(_ kind: FoodBench.Kind) async throws {
        let gate = Gate()
        let bench = try await FoodBench(kind, gate: gate)
        let today = await bench.watch(FoodEntry.today)
        let total = await bench.watch(DailyTotal.today)
        let logged = try bench.client.store(for: LogFood()).submit(bench.portion(100)).id
        await gate.arrived()
        let shown = try #require(today.store.value?.first)
        let deletion = try bench.client.store(for: DeleteEntry()).submit(shown).id
        let edit = try bench.client.store(for: EditEntry()).submit(EditEntry.Arguments(shown, to: bench.portion(7))).id
        #expect(today.store.value == [shown] && total.store.value?.entryCount == 1)
        gate.open()
        await bench.client.settled()
        let histories = (
            bench.client.store(for: LogFood()).state.history, bench.client.store(for: DeleteEntry()).state.history,
            bench.client.store(for: EditEntry()).state.history
        )
        #expect(histories.0.map(\.id) == [logged] && histories.1.map(\.id) == [deletion] && histories.2.map(\.id) == [edit])
        for case .failed(let error) in [histories.1[0].status] { #expect((error as? FoodDiaryError)?.code == .notFound) }
        for case .failed(let error) in [histories.2[0].status] { #expect((error as? FoodDiaryError)?.code == .notFound) }
        #expect(today.store.value?.map(\.grams) == [100] && today.store.value?.first?.isProvisional == false)
        #expect(total.store.value?.nutrients.kilocalories == 130)
        withExtendedLifetime([today.subscription, total.subscription]) {}
    }

    @Test func `R24 a call committed before the process ended is logged, shown and counted once after a relaunch`() async throws {
        let folder = try TemporaryFolder()
        let file = SQLiteDatabase.Location.file(folder.file())
        let journalFile = SQLiteDatabase.Location.file(folder.file("journal.sqlite"))
        var journal = try await SQLiteMutationJournal.open(journalFile)
        let gate = Gate()
        let id: UUID
        let logged: [FoodEntry]
        do {
            let first = try await FoodBench(.sqlite, file, gate: gate, journal: journal)
            id = try first.client.store(for: LogFood()).submit(first.portion(100)).id
            await gate.arrived()
            // The commit, then the end of the process, before the journal removes the call.
            logged = try await first.entries.add([first.portion(100)], key: id)
            await journal.close()
        }

        journal = try await SQLiteMutationJournal.open(journalFile)
        let second = try await FoodBench(.sqlite, file, journal: journal)
        let today = await second.watch(FoodEntry.today)
        let total = await second.watch(DailyTotal.today)
        let outcome = try await second.client.resumeMutations(of: [LogFood.self, EditEntry.self, DeleteEntry.self])
        #expect(outcome.resumed == [id] && outcome.setAside.isEmpty)
        await second.client.settled()
        #expect(today.store.value == logged)
        #expect(total.store.value?.entryCount == 1 && total.store.value?.nutrients.kilocalories == 130)
        #expect(try await second.repositories.totals.recalculate(in: FoodDay.range) == [])
        #expect(try await journal.entries().isEmpty)
        withExtendedLifetime([today.subscription, total.subscription]) {}
        await second.diary.database?.close()
        await journal.close()
    }

    @Test(arguments: FoodBench.Kind.allCases, [true, false])
    func `R22 many calls in a row show once each, and neither list nor total returns to an earlier value`(
        _ kind: FoodBench.Kind,
        isAwaited: Bool
    ) async throws {
        let folder = try TemporaryFolder()
        let bench = try await FoodBench(kind, .file(folder.file()))
        let called = Lock(0)
        // How much was shown, and how many calls had been made by then.
        let shown = Recorder<(entries: Int, calls: Int)>()
        let totals = Recorder<(entries: Int, calls: Int)>()
        let today = bench.client.store(for: FoodEntry.today)
        let total = bench.client.store(for: DailyTotal.today)
        let subscriptions = [
            today.subscribe(with: QueryEventHandler { state, _ in shown.note((state.value?.count ?? 0, called.withLock { $0 })) }),
            total.subscribe(with: QueryEventHandler { state, _ in totals.note((state.value?.entryCount ?? 0, called.withLock { $0 })) }),
        ]
        await bench.client.settled()
        // Submitted all at once, so that each state is computed with all remaining layers.
        let count = isAwaited ? 300 : 100
        for _ in 0..<count {
            called.withLock { $0 += 1 }
            if isAwaited {
                _ = try await bench.client.mutate(LogFood(), with: bench.portion(100))
            } else {
                try bench.client.submit(LogFood(), with: bench.portion(100))
                if Bool.random() { await Task.yield() }
            }
        }
        await bench.client.settled()
        for recorder in [shown, totals] {
            let steps = recorder.all
            #expect(steps.last?.entries == count)
            let tooMany = steps.filter { $0.entries > $0.calls }
            #expect(tooMany.isEmpty, "\(tooMany.count) of \(steps.count) states show more than was logged")
            let back = zip(steps, steps.dropFirst()).filter { $0.entries > $1.entries }
            #expect(back.isEmpty, "\(back.count) of \(steps.count) states show less than the one before")
        }
        #expect(!today.isOptimistic && !total.isOptimistic)
        for subscription in subscriptions { subscription.cancel() }
        await bench.diary.database?.close()
    }
}
