import Foundation
import TestSupport
import Testing

@testable import QueryKit

/// A clock that advances by a nanosecond whenever it is read, as a real one does.
private final class GoingClock: QueryClock {
    private let state: Lock<(now: Int64, deadlines: [QueryInstant])>

    init(_ now: Int64) { state = Lock((now, [])) }

    var now: QueryInstant {
        state.withLock { state in
            state.now += 1
            return QueryInstant(nanoseconds: state.now)
        }
    }

    var date: Date { Date(timeIntervalSince1970: 0) }
    var deadlines: [Int64] { state.withLock { $0.deadlines }.map(\.nanoseconds) }

    func schedule(at deadline: QueryInstant, _ action: @escaping @Sendable () -> Void) -> QueryAlarm {
        state.withLock { $0.deadlines.append(deadline) }
        return QueryAlarm {}
    }
}

struct RepeatingTimerTests {
    @Test func `R20 equal timers fire at the same instants, even if the clock advances between their starts`() {
        for (start, next) in [(Int64(5), Int64(1_000_000_000)), (-5, 0), (2_000_000_000 - 3, 2_000_000_000)] {
            let clock = GoingClock(start)
            let host = TestBench().client.core
            let timers = (0..<2).map { _ in RepeatingTimer.start(.seconds(1), on: clock, of: host) {} }
            #expect(clock.deadlines == [next, next])
            withExtendedLifetime(timers) {}
        }
    }
}
