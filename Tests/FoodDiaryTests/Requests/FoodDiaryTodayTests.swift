import Foundation
import QueryKit
import QueryKitTesting
import TestSupport
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite
@testable import QueryKitSQLite

/// Today's entries and their total are seen as of one moment, wherever the diary is stored.
struct FoodDiaryTodayTests {
    private static let commitCount = ProcessInfo.processInfo.environment["QUERYKIT_LONG"] == nil ? 101 : 100_000

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

    /// How many entries remain.
    private static let keptCount = 3

    /// Adds and deletes, so that the day stays short.
    private static func write(_ repositories: FoodDiaryRepositories, _ count: Int = commitCount) async throws {
        var kept: [FoodEntry.ID] = []
        for number in 0..<count {
            let draft = FoodEntry.Draft(
                name: "Rice",
                grams: 100,
                nutrients: Nutrients(kilocalories: 130),
                at: FoodMoment(.now, in: .current)
            )
            let entry = try await repositories.entries.add(draft)
            await Task.yield()
            if number.isMultiple(of: 50) { kept.append(entry.id) }
            let surplus = number.isMultiple(of: 50) ? kept.dropLast(keptCount) : [entry.id]
            if !surplus.isEmpty { _ = try await repositories.entries.delete(Array(surplus)) }
            kept.removeAll { surplus.contains($0) }
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
        #expect(client.value(for: FoodEntry.today)?.count == Self.keptCount)
        for task in [stream, overview] { task.cancel() }
        screen.cancel()
        await screen.value
        #expect(Set(torn.withLock { $0 }) == [])
        #expect(seen.withLock { $0 } > 0)
    }

    @Test(arguments: DiaryKind.allCases)
    func `entries and total that are not consistent can be seen to disagree, and consistent ones can't`(_ kind: DiaryKind) async throws {
        let plain = try await disagreements(kind, isConsistent: false) { round, tornCount in tornCount == 0 && round < 1_000 }
        #expect(plain.count > 0)
        // As many commits as it took to see the first one, and more.
        let consistent = try await disagreements(kind, isConsistent: true) { round, _ in round < plain.rounds + 10 }
        #expect(consistent.count == 0 && consistent.seen > 0)
    }

    /// Writes in rounds of 50 commits as long as `continues` returns true for the number of rounds and of disagreements so far.
    private func disagreements(
        _ kind: DiaryKind,
        isConsistent: Bool,
        while continues: (_ rounds: Int, _ count: Int) -> Bool
    ) async throws -> (count: Int, seen: Int, rounds: Int) {
        let (diary, repositories) = try await Self.diary(kind)
        let tally = Lock((count: 0, seen: 0))
        let days = QueryCombination(
            diary.client.store(for: FoodEntry.today.consistent(isConsistent)),
            diary.client.store(for: DailyTotal.today.consistent(isConsistent))
        ) { Pair($0.value, $1.value) }
        let watching = Task {
            for await day in days {
                guard let entries = day.entries, let total = day.total else { continue }
                let isTorn = !isWhole(entries, total)
                tally.withLock { $0 = ($0.count + (isTorn ? 1 : 0), $0.seen + 1) }
            }
        }
        var rounds = 0
        while continues(rounds, tally.withLock(\.count)) {
            try await Self.write(repositories, 50)
            await diary.client.settled()
            rounds += 1
        }
        watching.cancel()
        await watching.value
        return (tally.withLock(\.count), tally.withLock(\.seen), rounds)
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

/// Today's entries and their total move to the next day as one change.
struct FoodDiaryMidnightTests {
    private let clock = ManualClock(date: FoodDay("2026-11-20")!.start(in: .gmt).addingTimeInterval(12 * 3600))

    private func diary(
        _ kind: DiaryKind,
        clock: (any QueryClock)? = nil,
        zone: any TimeZoneObserver = ManualTimeZoneObserver(.gmt),
        _ adjust: (FoodDiaryRepositories) -> FoodDiaryRepositories = { $0 }
    ) async throws -> FoodDiary {
        var context = QueryContext()
        context.clock = clock ?? self.clock
        context.timeZoneObserver = zone
        var configuration = FoodDiary.configuration(.isolated)
        // More than the tests advance the clock at once: otherwise a round that begins at midnight can reach its limit in the same step.
        configuration.consistencyLimit = .seconds(1_000_000)
        if kind == .memory {
            let memory = InMemoryFoodDiary()
            let diary = FoodDiary(adjust(FoodDiaryRepositories(memory)), context: context, configuration: configuration)
            diary.client.connect(to: memory)
            return diary
        }
        let database = try await SQLiteDatabase.openFoodDiary(kind == .file ? .temporary : .inMemory)
        let diary = FoodDiary(adjust(FoodDiaryRepositories(database)), context: context, configuration: configuration)
        diary.client.connect(to: database)
        return diary
    }

    private func log(_ diary: FoodDiary) async throws {
        let tea = FoodEntry.Draft(name: "Tea", grams: 100, nutrients: Nutrients(kilocalories: 2), at: FoodMoment(clock.date, in: .gmt))
        _ = try await diary.client.context.foodDiary?.entries.add(tea)
        await diary.client.settled()
    }

    /// Whether the combination shows as many entries as the total counts, in each state until there are that many.
    private func agree(_ counts: inout QueryCombination<[Int]>.Iterator, until count: Int) async -> Bool {
        var isEqual = true
        while let next = await counts.next() {
            guard next.count == 2 else { continue }
            if next[0] != next[1] { isEqual = false }
            if next == [count, count] { break }
        }
        return isEqual
    }

    @Test(arguments: DiaryKind.allCases)
    func `R29 at 200 midnights entries and total move to the new day together`(_ kind: DiaryKind) async throws {
        let diary = try await diary(kind)
        let (entries, total) = (FoodEntry.today.consistent(), DailyTotal.today.consistent())
        var counts = QueryCombination(diary.client.store(for: entries), diary.client.store(for: total)) {
            [$0.value?.count, $1.value?.entryCount].compactMap(\.self)
        }.makeAsyncIterator()
        var days = diary.observeToday().makeAsyncIterator()
        #expect(await agree(&counts, until: 0))
        #expect(await days.next()?.total.entryCount == 0)
        var tornCount = 0
        for _ in 0..<60 {
            try await log(diary)
            if await !agree(&counts, until: 1) { tornCount += 1 }
            if await days.next()?.entries.count != 1 { tornCount += 1 }
            clock.advance(by: .seconds(43_200))
            if await !agree(&counts, until: 0) { tornCount += 1 }
            if await days.next()?.total.entryCount != 0 { tornCount += 1 }
            // To noon only now: in half a day a read that has begun would exceed the limit.
            await diary.client.settled()
            clock.advance(by: .seconds(43_200))
        }
        #expect(tornCount == 0)
    }

    @Test(arguments: DiaryKind.allCases)
    func `R29 if midnight passes between two consistent reads, both read the same day`(_ kind: DiaryKind) async throws {
        let late = LateClock(base: clock)
        let days = try await daysRead(kind, clock: late) { late.passMidnight() }
        #expect(days.entries == days.totals && days.entries.count >= 50)
    }

    @Test(arguments: DiaryKind.allCases)
    func `R29 if the time zone changes between two consistent reads, both read the same day`(_ kind: DiaryKind) async throws {
        let late = LateTimeZone()
        let days = try await daysRead(kind, zone: late) { late.crossDateLine() }
        #expect(days.entries == days.totals && days.entries.count >= 50)
    }

    /// The days of entries and totals that were read, in order, if a closure is called after each read of either.
    private func daysRead(
        _ kind: DiaryKind,
        clock: (any QueryClock)? = nil,
        zone: any TimeZoneObserver = ManualTimeZoneObserver(.gmt),
        didRead: @escaping @Sendable () -> Void
    ) async throws -> (entries: [FoodDay], totals: [FoodDay]) {
        let (entries, totals) = (Recorder<FoodDay>(), Recorder<FoodDay>())
        let diary = try await diary(kind, clock: clock, zone: zone) { repositories in
            var repositories = repositories
            repositories.entries = GatedEntries(base: repositories.entries, gate: nil, failures: Lock(0)) { day in
                entries.note(day)
                didRead()
            }
            repositories.totals = WatchedTotals(base: repositories.totals) { day in
                totals.note(day)
                didRead()
            }
            return repositories
        }
        let subscriptions = [
            diary.client.store(for: FoodEntry.today.consistent()).subscribe(with: QueryEventHandler { _, _ in }),
            diary.client.store(for: DailyTotal.today.consistent()).subscribe(with: QueryEventHandler { _, _ in }),
        ]
        await diary.client.settled()
        // The first reads of the two have no common cause.
        _ = (entries.take(), totals.take())
        for _ in 0..<50 {
            diary.client.batch {
                diary.client.invalidate("diary/entries/**")
                diary.client.invalidate("diary/totals/**")
            }
            await diary.client.settled()
        }
        for subscription in subscriptions { subscription.cancel() }
        return (entries.all, totals.all)
    }

    @Test(arguments: DiaryKind.allCases)
    func `R29 if the time zone changes during their reads, entries and total move to the other day together`(_ kind: DiaryKind) async throws
    {
        let zone = ManualTimeZoneObserver(.gmt)
        let crosses = Lock(false)
        let crossDateLine: @Sendable () -> Void = {
            guard
                crosses.withLock({ crosses in
                    defer { crosses = false }
                    return crosses
                })
            else { return }
            zone.set(zone.timeZone == .gmt ? .beyondDateLine : .gmt)
        }
        let diary = try await diary(kind, zone: zone) { repositories in
            var repositories = repositories
            repositories.entries = GatedEntries(base: repositories.entries, gate: nil, failures: Lock(0)) { _ in crossDateLine() }
            repositories.totals = WatchedTotals(base: repositories.totals) { _ in crossDateLine() }
            return repositories
        }
        try await log(diary)
        var counts = QueryCombination(
            diary.client.store(for: FoodEntry.today.consistent()),
            diary.client.store(for: DailyTotal.today.consistent())
        ) { [$0.value?.count, $1.value?.entryCount].compactMap(\.self) }.makeAsyncIterator()
        #expect(await agree(&counts, until: 1))
        var tornCount = 0
        for number in 0..<100 {
            await diary.client.settled()
            // Day changes that follow each other at once cause one run.
            clock.advance(by: .seconds(1))
            crosses.withLock { $0 = true }
            diary.client.batch {
                diary.client.invalidate("diary/entries/**")
                diary.client.invalidate("diary/totals/**")
            }
            // On the other side of the date line it is the next day, without entries.
            if await !agree(&counts, until: number % 2) { tornCount += 1 }
        }
        #expect(tornCount == 0)
    }

    @Test func `a total that doesn't match the entries is shown as it is stored, and shown again once it is repaired`() async throws {
        let database = try await SQLiteDatabase.openFoodDiary(.temporary)
        let repositories = FoodDiaryRepositories(database)
        let diary = FoodDiary(repositories, context: QueryContext(), configuration: FoodDiary.configuration(.isolated))
        diary.client.connect(to: database)
        _ = try await repositories.entries.add(
            FoodEntry.Draft(name: "Tea", grams: 100, nutrients: Nutrients(kilocalories: 2), at: FoodMoment(.now, in: .current))
        )
        var days = diary.observeToday().makeAsyncIterator()
        #expect(await days.next()?.total.entryCount == 1)
        try await database.write { db in try db.execute("UPDATE daily_totals SET entry_count = 2") }
        let wrong = await days.next()
        #expect(wrong?.total.entryCount == 2 && wrong?.entries.count == 1)
        #expect(try await repositories.totals.check().totals.count == 1)
        try await repositories.totals.rebuild()
        #expect(await days.next()?.total.entryCount == 1)
    }

    @Test(arguments: DiaryKind.allCases)
    func `while the total of the new day can't be read, the former day is not shown with the new entries`(_ kind: DiaryKind) async throws {
        let isBroken = Lock(false)
        let diary = try await diary(kind) { repositories in
            var repositories = repositories
            repositories.totals = WatchedTotals(base: repositories.totals) { _ in
                if isBroken.withLock(\.self) { throw FoodDiaryError(.notFound, "The disk is gone.") }
            }
            return repositories
        }
        var days = diary.observeToday().makeAsyncIterator()
        #expect(await days.next()?.total.entryCount == 0)
        try await log(diary)
        #expect(await days.next()?.total.entryCount == 1)
        isBroken.withLock { $0 = true }
        clock.advance(by: .seconds(86_400))
        await diary.client.settled()
        isBroken.withLock { $0 = false }
        try await log(diary)
        let next = try #require(await days.next())
        #expect(next.total.day == FoodDay("2026-11-21"))
        #expect((next.entries.count, next.total.entryCount) == (1, 1))
    }
}

/// A clock whose date passes midnight before its alarms notice.
private final class LateClock: QueryClock {
    private let base: ManualClock
    private let lead = Lock(0.0)

    init(base: ManualClock) { self.base = base }

    var now: QueryInstant { base.now }
    var date: Date { base.date.addingTimeInterval(lead.withLock(\.self)) }

    func schedule(at deadline: QueryInstant, _ action: @escaping @Sendable () -> Void) -> QueryAlarm { base.schedule(at: deadline, action) }

    func passMidnight() { lead.withLock { $0 += 86_400 } }
}

extension TimeZone {
    /// Fourteen hours before Greenwich: there it is the next day in the afternoon.
    fileprivate static let beyondDateLine = TimeZone(identifier: "Pacific/Kiritimati")!
}

/// A time zone that has changed before its observers are notified.
private final class LateTimeZone: TimeZoneObserver {
    private let isBeyond = Lock(false)

    var timeZone: TimeZone { isBeyond.withLock(\.self) ? .beyondDateLine : .gmt }

    func observe(_ handler: @escaping @Sendable (TimeZone) -> Void) -> QuerySubscription { QuerySubscription {} }

    func crossDateLine() { isBeyond.withLock { $0.toggle() } }
}

/// Calls a closure when the total of a day was read.
private struct WatchedTotals: DailyTotalRepository {
    let base: any DailyTotalRepository
    let didRead: @Sendable (FoodDay) throws -> Void

    func total(on day: FoodDay) async throws -> DailyTotal {
        let total = try await base.total(on: day)
        try didRead(day)
        return total
    }

    func totals(in days: ClosedRange<FoodDay>, limit: Int) async throws -> [DailyTotal] { try await base.totals(in: days, limit: limit) }
    func recalculate(in days: ClosedRange<FoodDay>) async throws -> [FoodDay] { try await base.recalculate(in: days) }
    func check() async throws -> FoodDiaryCheck { try await base.check() }
    func rebuild() async throws { try await base.rebuild() }
}
