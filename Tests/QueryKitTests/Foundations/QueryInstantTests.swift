import Testing

@testable import QueryKit

struct QueryInstantTests {
    private let earliest = QueryInstant(nanoseconds: .min)

    @Test func `instants are ordered by time`() {
        #expect(QueryInstant.zero < QueryInstant(nanoseconds: 1))
        #expect(earliest < .zero)
        #expect(QueryInstant.zero < .never)
        #expect(!(QueryInstant.never < .never))
    }

    @Test func `advancing adds a duration with nanosecond precision`() {
        let start = QueryInstant(nanoseconds: 5)
        #expect(start.advanced(by: .seconds(2)) == QueryInstant(nanoseconds: 2_000_000_005))
        #expect(start.advanced(by: .nanoseconds(-7)) == QueryInstant(nanoseconds: -2))
        #expect(start.advanced(by: .seconds(-1.5)) == QueryInstant(nanoseconds: -1_499_999_995))
        #expect(start.advanced(by: .zero) == start)
        #expect(start.duration(to: start.advanced(by: .milliseconds(3))) == .milliseconds(3))
        #expect(start.advanced(by: .milliseconds(3)).duration(to: start) == .milliseconds(-3))
    }

    @Test func `advancing stops at the ends of time instead of overflowing`() {
        #expect(QueryInstant.zero.advanced(by: .infinity) == .never)
        #expect(QueryInstant(nanoseconds: 1).advanced(by: .nanoseconds(Int64.max)) == .never)
        #expect(QueryInstant.never.advanced(by: .nanoseconds(1)) == .never)
        #expect(QueryInstant(nanoseconds: -2).advanced(by: .nanoseconds(Int64.min)) == earliest)
        #expect(earliest.advanced(by: .zero - .infinity) == earliest)
        #expect(earliest.advanced(by: .nanoseconds(-1)) == earliest)
        #expect(earliest.advanced(by: .infinity) == QueryInstant(nanoseconds: -1))
    }

    @Test func `durations between the ends of time don't overflow`() {
        #expect(earliest.duration(to: .never) == .infinity)
        #expect(QueryInstant(nanoseconds: -1).duration(to: .never) == .infinity)
        #expect(QueryInstant.zero.duration(to: .never) == .nanoseconds(Int64.max))
        #expect(QueryInstant.never.duration(to: earliest) == .nanoseconds(Int64.min))
        #expect(QueryInstant.never.duration(to: earliest) < .zero)
    }

    @Test(
        arguments: [
            (.zero, 0), (.nanoseconds(1), 1), (.nanoseconds(-1), -1), (.milliseconds(1_500), 1_500_000_000),
            (.milliseconds(-1_500), -1_500_000_000),
            (Duration(secondsComponent: 0, attosecondsComponent: 999_999_999), 0), (.nanoseconds(Int64.max), .max),
            (.nanoseconds(Int64.min), .min),
            (.nanoseconds(Int64.max) + .nanoseconds(1), .max), (.nanoseconds(Int64.min) - .nanoseconds(1), .min),
            (.seconds(9_223_372_036) + .milliseconds(900), .max), (.seconds(-9_223_372_036) - .milliseconds(900), .min), (.infinity, .max),
            (.seconds(Int64.max), .max), (.seconds(Int64.min), .min),
        ] as [(Duration, Int64)]
    )
    func `a duration in nanoseconds is clamped to the range`(_ duration: Duration, _ nanoseconds: Int64) {
        #expect(duration.saturatedNanoseconds == nanoseconds)
    }

    @Test func `infinity is longer than any measured duration`() {
        #expect(Duration.infinity > .seconds(Int64(1_000_000_000_000)))
        #expect(Duration.infinity > QueryInstant.zero.duration(to: .never))
    }
}
