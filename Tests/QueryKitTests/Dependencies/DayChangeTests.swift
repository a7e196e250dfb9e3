import Foundation
import TestSupport
import Testing

@testable import QueryKit

struct DayChangeTests {
    private let clock: ManualClock
    private let user: ManualTimeZoneObserver
    private let app = ManualActivityObserver()
    private let days = Recorder<String>()
    private let context: QueryContext

    private init() throws {
        clock = ManualClock(date: try Self.date("2024-05-10T20:00:00Z"))
        user = ManualTimeZoneObserver(try Self.zone("Europe/Oslo"))
        context = Self.context(of: user, app, on: clock)
    }

    private static func context(
        of user: ManualTimeZoneObserver,
        _ app: ManualActivityObserver,
        on clock: any QueryClock
    ) -> QueryContext {
        var context = QueryContext()
        context.clock = clock
        context.timeZoneObserver = user
        context.activityObserver = app
        return context
    }

    private static func date(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }

    private static func zone(_ name: String) throws -> TimeZone { try #require(TimeZone(identifier: name)) }

    /// Records the wall time of each call.
    private func watch() -> QuerySubscription {
        let (clock, days) = (context.clock, days)
        return DayWatch.start(context, { clock.schedule(at: $0, $1) }, { days.note(clock.date.formatted(.iso8601)) })
    }

    @Test func `R20 the day changes at each midnight in the user's time zone`() throws {
        let subscription = watch()
        clock.advance(by: .seconds(2 * 3600 - 1))
        #expect(days.all == [])
        clock.advance(by: .seconds(1))
        #expect(days.take() == ["2024-05-10T22:00:00Z"])
        clock.advance(by: .seconds(3 * 24 * 3600))
        #expect(days.take() == ["2024-05-11T22:00:00Z", "2024-05-12T22:00:00Z", "2024-05-13T22:00:00Z"])
        #expect(clock.alarmCount == 1)
        subscription.cancel()
        #expect(clock.alarmCount == 0)
        clock.advance(by: .seconds(24 * 3600))
        clock.setDate(try Self.date("2030-01-01T00:00:00Z"))
        user.set(try Self.zone("Pacific/Auckland"))
        #expect(days.all == [])
    }

    @Test(arguments: [
        ("Europe/Oslo", "2024-03-30T23:00:00Z", 23), ("Europe/Oslo", "2024-10-26T22:00:00Z", 25),
        // The day begins at one o'clock, since midnight was skipped.
        ("America/Sao_Paulo", "2018-11-03T03:00:00Z", 24), ("America/Sao_Paulo", "2018-11-04T03:00:00Z", 23),
        // A zone whose offset changed by half an hour.
        ("Australia/Lord_Howe", "2024-04-06T13:00:00Z", 24), ("Australia/Lord_Howe", "2024-10-05T13:30:00Z", 24),
    ])
    func `R20 the day changes after the day's real length, with daylight saving time`(zone: String, start: String, hours: Int) throws {
        clock.setDate(try Self.date(start))
        user.set(try Self.zone(zone))
        let rest = DayWatch.rest(of: clock.date, in: context.calendar)
        let expected = Duration.seconds(hours * 3600)
        #expect(abs((rest - expected).seconds) <= (zone == "Australia/Lord_Howe" ? 1800 : 0))
        let subscription = watch()
        clock.advance(by: rest - .seconds(1))
        #expect(days.all == [])
        clock.advance(by: .seconds(1))
        #expect(days.count == 1)
        subscription.cancel()
    }

    @Test func `R20 setting the wall clock forward or back over midnight changes the day at once`() throws {
        let subscription = watch()
        clock.setDate(try Self.date("2024-05-10T21:00:00Z"))
        #expect(days.take() == [])
        clock.setDate(try Self.date("2024-05-10T22:30:00Z"))
        #expect(days.take() == ["2024-05-10T22:30:00Z"])
        clock.setDate(try Self.date("2024-05-10T21:30:00Z"))
        #expect(days.take() == ["2024-05-10T21:30:00Z"])
        clock.advance(by: .seconds(1800))
        #expect(days.take() == ["2024-05-10T22:00:00Z"])
        clock.advance(by: .seconds(-60))
        #expect(days.take() == ["2024-05-10T21:59:00Z"])
        clock.advance(by: .seconds(60))
        #expect(days.take() == ["2024-05-10T22:00:00Z"])
        #expect(clock.alarmCount == 1)
        subscription.cancel()
    }

    @Test func `R20 setting the clock within the day moves the alarm for midnight`() throws {
        let subscription = watch()
        clock.setDate(try Self.date("2024-05-10T10:00:00Z"))
        clock.advance(by: .seconds(12 * 3600 - 1))
        #expect(days.all == [])
        clock.advance(by: .seconds(1))
        #expect(days.count == 1)
        subscription.cancel()
    }

    @Test func `R20 another time zone changes the day if the calendar shows another one, and moves the alarm for midnight`() throws {
        let subscription = watch()
        user.set(try Self.zone("America/New_York"))
        #expect(days.take() == [])
        clock.advance(by: .seconds(2 * 3600))
        #expect(days.take() == [])
        clock.advance(by: .seconds(6 * 3600))
        #expect(days.take() == ["2024-05-11T04:00:00Z"])
        user.set(try Self.zone("Pacific/Honolulu"))
        #expect(days.take() == ["2024-05-11T04:00:00Z"])
        user.set(try Self.zone("Pacific/Kiritimati"))
        #expect(days.take() == ["2024-05-11T04:00:00Z"])
        clock.advance(by: .seconds(6 * 3600))
        #expect(days.take() == ["2024-05-11T10:00:00Z"])
        subscription.cancel()
    }

    @Test func `R20 with a clock that reports no jumps the day is compared when the app becomes active`() throws {
        struct SilentClock: QueryClock {
            let base: ManualClock
            var now: QueryInstant { base.now }
            var date: Date { base.date }
            func schedule(at deadline: QueryInstant, _ action: @escaping @Sendable () -> Void) -> QueryAlarm {
                base.schedule(at: deadline, action)
            }
        }
        let days = days
        let clock = clock
        let subscription = DayWatch.start(
            Self.context(of: user, app, on: SilentClock(base: clock)),
            { clock.schedule(at: $0, $1) },
            { days.note("changed") }
        )
        clock.setDate(try Self.date("2024-05-11T20:00:00Z"))
        app.set(isActive: false)
        #expect(days.count == 0)
        app.set(isActive: true)
        #expect(days.count == 1)
        subscription.cancel()
    }

    @Test func `R20 the rest of a day is rounded up and never zero`() throws {
        let calendar = context.calendar
        let midnight = try Self.date("2024-05-10T22:00:00Z")
        #expect(DayWatch.rest(of: midnight.addingTimeInterval(-0.000_000_3), in: calendar) == .milliseconds(1))
        #expect(DayWatch.rest(of: midnight.addingTimeInterval(-10), in: calendar) == .seconds(10))
        let odd = midnight.addingTimeInterval(-3.123_456_789)
        #expect(odd.addingTimeInterval(DayWatch.rest(of: odd, in: calendar).seconds) >= midnight)
        #expect(DayWatch.rest(of: midnight, in: calendar) == .seconds(24 * 3600))
    }

    @Test func `R20 a day change refetches stale stores, and all share one alarm`() async throws {
        let start = try Self.date("2024-05-10T20:00:00Z")
        let user = user
        let bench = TestBench(adjusting: { $0.timeZoneObserver = user })
        bench.clock.setDate(start)
        let stores = (1...3).map { bench.client.store(for: Number($0).ttl(.seconds(10 * 3600)).refetch(on: .dayChange)) }
        let subscriptions = stores.map { $0.record(Recorder()) }
        await bench.client.settled()
        #expect(bench.clock.alarmCount == 1)
        bench.clock.advance(by: .seconds(2 * 3600))
        await bench.client.settled()
        #expect(bench.backend.count == 3)
        bench.clock.advance(by: .seconds(24 * 3600))
        await bench.client.settled()
        #expect(bench.backend.count == 6)
        #expect(stores[0].state.cause == .trigger("day change"))
        #expect(stores[0].state.cause.trigger == "day change")
        for subscription in subscriptions { subscription.cancel() }
        bench.clock.advance(by: .seconds(24 * 3600))
        await bench.client.settled()
        #expect(bench.backend.count == 6)
    }
}
