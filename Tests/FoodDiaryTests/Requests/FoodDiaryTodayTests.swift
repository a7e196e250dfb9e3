import Foundation
import QueryKit
import TestSupport
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite
@testable import QueryKitSQLite

/// Today's entries and their total are seen as of one moment, wherever the diary is stored.
@Suite(.timeLimit(.minutes(10))) struct FoodDiaryTodayTests {
    private static let commitCount = ProcessInfo.processInfo.environment["QUERYKIT_LONG"] == nil ? 300 : 100_000

    private static func diary(_ kind: DiaryKind) async throws -> (FoodDiary, FoodDiaryRepositories) {
        var configuration = FoodDiary.configuration(.isolated)
        // If many tests run at once, a run may be late without being slow.
        configuration.consistencyLimit = .seconds(200)
        if kind == .memory {
            let memory = InMemoryFoodDiary()
            let diary = FoodDiary(FoodDiaryRepositories(memory), configuration: configuration)
            diary.client.connect(to: memory)
            return (diary, FoodDiaryRepositories(memory))
        }
        let diary = try await FoodDiary.open(kind == .file ? .temporary : .inMemory, configuration: configuration)
        return (diary, diary.client.context.foodDiary!)
    }

    /// Adds and deletes, so that the day stays short.
    private static func write(_ repositories: FoodDiaryRepositories) async throws {
        for number in 0..<commitCount {
            let draft = FoodEntry.Draft(
                name: "Rice",
                grams: 100,
                nutrients: Nutrients(kilocalories: 130),
                at: FoodMoment(.now, in: .current)
            )
            let entry = try await repositories.entries.add(draft)
            await Task.yield()
            if !number.isMultiple(of: 50) { _ = try await repositories.entries.delete([entry.id]) }
        }
    }

    private func isWhole(_ entries: [FoodEntry], _ total: DailyTotal) -> Bool {
        entries.count == total.entryCount && entries.reduce(0) { $0 + $1.nutrients.kilocalories } == total.nutrients.kilocalories
    }

    @Test(arguments: DiaryKind.allCases)
    func `a handler, a stream, mirrors and shared queries see entries and total agree`(_ kind: DiaryKind) async throws {
        let (diary, repositories) = try await Self.diary(kind)
        let client = diary.client
        let torn = Lock<[String]>([])
        let seen = Lock(0)
        let (entries, total) = (FoodEntry.today.consistent(), DailyTotal.today.consistent())
        let combination = QueryCombination(client.store(for: entries), client.store(for: total)) { Pair($0.value, $1.value) }
        let stream = Task {
            for await pair in combination {
                guard let entries = pair.entries, let total = pair.total else { continue }
                seen.withLock { $0 += 1 }
                if !isWhole(entries, total) { torn.withLock { $0.append("stream") } }
            }
        }
        let overview = Task {
            for await today in diary.observeToday() where !isWhole(today.entries, today.total) { torn.withLock { $0.append("overview") } }
        }
        let screen = Task { @MainActor in
            let (list, sum) = (QueryMirror(entries, client: client), QueryMirror(total, client: client))
            let (shownList, shownSum) = (SharedQuery(entries, client: client), SharedQuery(total, client: client))
            while !Task.isCancelled {
                if let entries = list.state.value, let total = sum.state.value, !isWhole(entries, total) {
                    torn.withLock { $0.append("mirrors") }
                }
                if let entries = shownList.wrappedValue, let total = shownSum.wrappedValue, !isWhole(entries, total) {
                    torn.withLock { $0.append("shared queries") }
                }
                await Task.yield()
            }
        }
        try await Self.write(repositories)
        await client.settled()
        #expect(client.value(for: FoodEntry.today)?.count == Self.commitCount / 50)
        for task in [stream, overview] { task.cancel() }
        screen.cancel()
        await screen.value
        #expect(Set(torn.withLock { $0 }) == [])
        #expect(seen.withLock { $0 } > 0)
    }

    private struct Pair: Hashable, Sendable {
        let entries: [FoodEntry]?
        let total: DailyTotal?

        init(_ entries: [FoodEntry]?, _ total: DailyTotal?) { (self.entries, self.total) = (entries, total) }
    }

    @Test(arguments: DiaryKind.allCases)
    func `an optimistic entry appears and disappears in entries and total at once`(_ kind: DiaryKind) async throws {
        let (diary, _) = try await Self.diary(kind)
        let torn = Lock(0)
        let days = Task {
            for await today in diary.observeToday() where !isWhole(today.entries, today.total) { torn.withLock { $0 += 1 } }
        }
        let group = QueryCombination(
            diary.client.store(for: FoodEntry.today.consistent()),
            diary.client.store(for: DailyTotal.today.consistent())
        ) { Pair($0.value, $1.value) }
        let watching = Task {
            for await pair in group {
                if let entries = pair.entries, let total = pair.total, !isWhole(entries, total) { torn.withLock { $0 += 1 } }
            }
        }
        await diary.client.settled()
        for _ in 0..<40 {
            let draft = FoodEntry.Draft(name: "Tea", grams: 100, nutrients: Nutrients(kilocalories: 2), at: FoodMoment(.now, in: .current))
            _ = try await diary.client.mutate(LogFood(), with: draft)
        }
        await diary.client.settled()
        days.cancel()
        watching.cancel()
        #expect(torn.withLock { $0 } == 0)
    }
}
