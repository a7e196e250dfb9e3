import Foundation
import TestSupport
import Testing

@testable import QueryKit

struct QueryRecordTests {
    private static let start = QueryInstant.zero.advanced(by: .seconds(1_000))

    private func record(_ flags: QueryRecord.Flags = [.succeeded, .hasValue], at time: QueryTimestamp? = nil) -> QueryRecord {
        var record = QueryRecord()
        record.flags = flags
        record.valueTime = time ?? QueryTimestamp(instant: Self.start, date: Date(timeIntervalSince1970: 0))
        return record
    }

    private func instant(after age: Duration) -> QueryInstant { Self.start.advanced(by: age) }

    // MARK: Freshness

    @Test(
        arguments: [
            (.seconds(59), .seconds(60), false), (.seconds(60) - .nanoseconds(1), .seconds(60), false), (.seconds(60), .seconds(60), true),
            (.seconds(61), .seconds(60), true), (.zero, .nanoseconds(1), false),
        ] as [(Duration, Duration, Bool)]
    )
    func `R13 a value is fresh until its age reaches the time to live`(_ age: Duration, _ ttl: Duration, _ isStale: Bool) {
        #expect(record().isStale(at: instant(after: age), ttl: Nanoseconds(ttl)) == isStale)
    }

    @Test func `R13 with a time to live of zero or less a value is always stale`() {
        #expect(record().isStale(at: Self.start, ttl: .zero))
        #expect(record().isStale(at: Self.start, ttl: Nanoseconds(.seconds(-1))))
    }

    @Test func `R13 with an infinite time to live a value never ages`() {
        #expect(!record().isStale(at: .never, ttl: .infinity))
        #expect(record().isStale(at: .never, ttl: Nanoseconds(.seconds(1_000_000_000))))
        let ancient = record(at: QueryTimestamp(instant: QueryInstant(nanoseconds: .min + 1), date: .distantPast))
        #expect(!ancient.isStale(at: .never, ttl: .infinity))
        #expect(ancient.isStale(at: Self.start, ttl: Nanoseconds(.seconds(100_000_000))))
    }

    @Test(arguments: [.zero, .seconds(60), .infinity] as [Duration])
    func `R13 an invalidated value is stale, regardless of its age and time to live`(_ ttl: Duration) {
        #expect(record([.succeeded, .hasValue, .invalidated]).isStale(at: Self.start, ttl: Nanoseconds(ttl)))
    }

    @Test func `R9 an intermediate value is not fresh`() {
        #expect(record([.succeeded, .hasValue, .partial]).isStale(at: Self.start, ttl: .infinity))
    }

    @Test(arguments: [[], [.failed], [.failed, .hasValue], [.placeholder], [.hasValue]] as [QueryRecord.Flags])
    func `R2 a state without a successful result is stale`(_ flags: QueryRecord.Flags) {
        #expect(record(flags).isStale(at: Self.start, ttl: .infinity))
    }

    @Test func `R13 a run under way does not make a value stale`() {
        #expect(!record([.succeeded, .hasValue, .fetching, .paused]).isStale(at: Self.start, ttl: Nanoseconds(.seconds(1))))
    }

    // MARK: Dates from the wall clock

    private func clock(at date: Date) -> ManualClock {
        let clock = ManualClock(date: date.addingTimeInterval(-1_000))
        clock.advance(by: .seconds(1_000))
        return clock
    }

    @Test func `R13 a date from another launch has its real age`() {
        let now = Date(timeIntervalSince1970: 1_000_000)
        let clock = clock(at: now)
        let time = QueryTimestamp(date: now.addingTimeInterval(-5_000), clock: clock)
        #expect(time.age(at: clock.now) == .seconds(5_000))
        #expect(time.date == now.addingTimeInterval(-5_000))
        #expect(record(at: time).isStale(at: clock.now, ttl: Nanoseconds(.seconds(5_000))))
        #expect(!record(at: time).isStale(at: clock.now, ttl: Nanoseconds(.seconds(5_001))))
        #expect(QueryTimestamp(date: now, clock: clock).age(at: clock.now) == .zero)
    }

    @Test func `R13 a date in the future means that the wall clock was set back, and makes the value stale`() {
        let now = Date(timeIntervalSince1970: 1_000_000)
        let clock = clock(at: now)
        let time = QueryTimestamp(date: now.addingTimeInterval(1), clock: clock)
        #expect(record(at: time).isStale(at: clock.now, ttl: Nanoseconds(.seconds(3_600 * 24 * 365))))
        #expect(time.happened)
        #expect(time.date == now.addingTimeInterval(1))
    }

    @Test(arguments: [Date.distantPast.timeIntervalSince1970, -1e15, .nan, -.infinity, .infinity, 1e15])
    func `R13 an absurdly old date counts as very old`(_ seconds: TimeInterval) {
        let clock = clock(at: Date(timeIntervalSince1970: 1_000_000))
        let time = QueryTimestamp(date: Date(timeIntervalSince1970: seconds), clock: clock)
        // Computed outside of the expectation, which could not print such a date.
        let (happened, isStale) = (time.happened, record(at: time).isStale(at: clock.now, ttl: Nanoseconds(.seconds(1_000_000_000))))
        #expect(happened)
        #expect(isStale)
    }

    @Test func `R13 changes of the wall clock have no effect within a process`() {
        let clock = clock(at: Date(timeIntervalSince1970: 1_000_000))
        let record = record(at: QueryTimestamp(now: clock))
        clock.setDate(.distantPast)
        #expect(!record.isStale(at: clock.now, ttl: Nanoseconds(.seconds(1))))
        clock.setDate(.distantFuture)
        #expect(!record.isStale(at: clock.now, ttl: Nanoseconds(.seconds(1))))
        clock.advance(by: .seconds(1))
        #expect(record.isStale(at: clock.now, ttl: Nanoseconds(.seconds(1))))
    }

    @Test func `events that have not happened have no time`() {
        #expect(!QueryTimestamp.none.happened)
        #expect(QueryTimestamp(now: ManualClock()).happened)
    }

    // MARK: Comparing and restoring

    @Test func `R5 states that differ only in times and value counts are equal for handlers`() {
        var later = record()
        later.valueTime = QueryTimestamp(instant: .never, date: .distantFuture)
        later.valueCount = 7
        later.revision = 9
        later.cause = .manual
        #expect(later.looksLike(record()))
    }

    @Test func `R9 states that differ only in whether the value is intermediate are equal for handlers`() {
        #expect(record([.succeeded, .hasValue, .partial]).looksLike(record()))
        #expect(!record([.succeeded, .hasValue, .partial, .fetching]).looksLike(record()))
    }

    @Test func `R5 states that differ in flags, failures or errors are different for handlers`() {
        let changes: [@Sendable (inout QueryRecord) -> Void] = [
            { $0.flags.insert(.fetching) }, { $0.flags.remove(.succeeded) }, { $0.flags.insert(.invalidated) }, { $0.setFailures(1, nil) },
            { $0.fail(TestError(), at: .none) }, { $0.error = TestError() },
        ]
        for change in changes {
            var changed = record()
            change(&changed)
            #expect(!changed.looksLike(record()))
            #expect(!record().looksLike(changed))
        }
    }

    @Test func `R7 cancelling a run undoes its own changes and keeps those made by others`() {
        var before = record([.failed, .hasValue])
        before.revision = 4
        before.setFailures(2, nil)
        before.valueCount = 3
        before.error = TestError("before")
        var now = record([.succeeded, .hasValue, .partial, .invalidated])
        now.revision = 8
        now.valueCount = 5
        now.cause = .cancelled
        before.restore(over: now)
        #expect(before.flags == [.failed, .hasValue, .invalidated])
        #expect(before.revision == 8)
        #expect(before.cause == .cancelled)
        #expect(before.failures == 2)
        #expect(before.valueCount == 3)
        #expect(before.error as? TestError == TestError("before"))
    }

    @Test func `R7 whether a run is under way is not restored by a cancellation`() {
        var before = record([.fetching, .invalidated])
        before.restore(over: record([]))
        #expect(before.flags == [])
        before.restore(over: record([.fetching]))
        #expect(before.flags == [.fetching])
    }
}
