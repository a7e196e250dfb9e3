import Foundation
import TestSupport
import Testing

@testable import QueryKit

struct ManualClockTests {
    private let clock = ManualClock(date: Date(timeIntervalSince1970: 1_000))
    private let received = Recorder<String>()

    private func at(_ seconds: Int) -> QueryInstant { .zero.advanced(by: .seconds(seconds)) }

    @discardableResult
    private func note(_ name: String, at seconds: Int) -> QueryAlarm {
        clock.schedule(at: at(seconds)) { [clock, received] in received.note("\(name) at \(clock.now.nanoseconds / 1_000_000_000)") }
    }

    @Test func `time advances only when the clock is advanced`() {
        #expect(clock.now == .zero)
        #expect(clock.date.timeIntervalSince1970 == 1_000)
        clock.advance(by: .seconds(3))
        #expect(clock.now == at(3))
        #expect(clock.date.timeIntervalSince1970 == 1_003)
    }

    @Test func `advance calls due alarms in the order of their deadlines, each at its own time, before it returns`() {
        note("late", at: 9)
        note("early", at: 2)
        note("second", at: 5)
        note("third", at: 5)
        note("not yet", at: 11)
        clock.advance(by: .seconds(10))
        #expect(received.all == ["early at 2", "second at 5", "third at 5", "late at 9"])
        #expect(clock.now == at(10))
        #expect(clock.alarmCount == 1)
    }

    @Test func `an alarm is called once, when its deadline is reached`() {
        note("a", at: 2)
        clock.advance(by: .milliseconds(1_999))
        #expect(received.all == [])
        clock.advance(by: .milliseconds(1))
        clock.advance(by: .seconds(5))
        #expect(received.all == ["a at 2"])
        #expect(clock.alarmCount == 0)
    }

    @Test func `an alarm with a past deadline is called at once`() {
        clock.advance(by: .seconds(5))
        note("now", at: 5)
        note("past", at: 1)
        note("long ago", at: -1)
        #expect(received.all == ["now at 5", "past at 5", "long ago at 5"])
        #expect(clock.alarmCount == 0)
    }

    @Test func `alarms set by alarms are called by the same advance if they become due`() {
        _ = clock.schedule(at: at(2)) {
            note("three", at: 3)
            note("at once", at: 1)
            note("twelve", at: 12)
        }
        note("four", at: 4)
        clock.advance(by: .seconds(10))
        #expect(received.all == ["at once at 2", "three at 3", "four at 4"])
        clock.advance(by: .seconds(10))
        #expect(received.last == "twelve at 12")
    }

    @Test func `an alarm sees both clocks at its deadline`() {
        for seconds in [2, 5] {
            _ = clock.schedule(at: at(seconds)) { [clock, received] in received.note("\(clock.date.timeIntervalSince1970)") }
        }
        clock.advance(by: .seconds(10))
        #expect(received.all == ["1002.0", "1005.0"])
        #expect(clock.date.timeIntervalSince1970 == 1_010)
    }

    @Test func `an alarm may advance the clock further`() {
        _ = clock.schedule(at: at(2)) { [clock] in clock.advance(by: .seconds(20)) }
        note("a", at: 15)
        clock.advance(by: .seconds(10))
        #expect(received.all == ["a at 15"])
        #expect(clock.now == at(22))
    }

    @Test func `a cancelled alarm is not called, but others are`() {
        let alarm = note("a", at: 2)
        note("b", at: 2)
        alarm.cancel()
        alarm.cancel()
        #expect(clock.alarmCount == 1)
        clock.advance(by: .seconds(2))
        alarm.cancel()
        #expect(received.all == ["b at 2"])
    }

    @Test func `an alarm may cancel another that is due at the same time`() {
        let other = Lock<QueryAlarm?>(nil)
        _ = clock.schedule(at: at(2)) { other.withLock { $0 }?.cancel() }
        other.withLock { $0 = note("a", at: 2) }
        clock.advance(by: .seconds(2))
        #expect(received.all == [])
    }

    @Test func `advancing by a negative duration sets back only the wall clock`() {
        clock.advance(by: .seconds(10))
        note("a", at: 11)
        clock.advance(by: .seconds(-5))
        #expect(clock.now == at(10))
        #expect(clock.date.timeIntervalSince1970 == 1_005)
        clock.advance(by: .seconds(1))
        #expect(received.all == ["a at 11"])
    }

    @Test func `setting the wall clock does not change monotonic time`() {
        note("a", at: 1)
        clock.setDate(Date(timeIntervalSince1970: 9_000))
        #expect(clock.now == .zero)
        #expect(clock.date.timeIntervalSince1970 == 9_000)
        #expect(received.all == [])
        clock.advance(by: .milliseconds(500))
        #expect(clock.date.timeIntervalSince1970 == 9_000.5)
    }

    @Test func `advancing by infinity calls all alarms and ends at the end of time`() {
        note("a", at: 5)
        _ = clock.schedule(at: .never) { [received] in received.note("never") }
        clock.advance(by: .infinity)
        #expect(received.all == ["a at 5", "never"])
        #expect(clock.now == .never)
    }

    @Test func `waiting for a number of alarms ends when that number is set`() async throws {
        note("a", at: 1)
        try await clock.alarms(atLeast: 1)
        async let two: Void = clock.alarms(atLeast: 2)
        async let three: Void = clock.alarms(atLeast: 3)
        note("b", at: 2)
        try await two
        #expect(clock.alarmCount == 2)
        note("c", at: 3)
        try await three
    }

    @Test func `a cancelled wait for alarms throws`() async {
        let task = Task { [clock] in try await clock.alarms(atLeast: 1) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `a sleeper wakes at its deadline`() async throws {
        let task = Task { [clock] in
            try await clock.sleep(for: .seconds(5))
            return clock.now
        }
        try await clock.alarms(atLeast: 1)
        clock.advance(by: .seconds(4))
        #expect(clock.alarmCount == 1)
        clock.advance(by: .seconds(1))
        #expect(try await task.value == at(5))
    }

    @Test func `a cancelled sleeper wakes at once and leaves no alarm behind`() async throws {
        let task = Task { [clock] in try await clock.sleep(for: .seconds(5)) }
        try await clock.alarms(atLeast: 1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.alarmCount == 0)
    }

    @Test func `a task that is cancelled already doesn't sleep, even until a past instant`() async throws {
        let task = Task { [clock] in
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(until: .zero)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.alarmCount == 0)
    }

    @Test func `sleeping until a past instant returns at once`() async throws {
        try await clock.sleep(until: .zero)
        try await clock.sleep(for: .seconds(-1))
        #expect(clock.alarmCount == 0)
    }

    @Test func `a clock reports when its wall clock is set, but not when time advances`() {
        let clock = ManualClock()
        let jumps = Lock(0)
        let subscription = clock.observeJumps { jumps.withLock { $0 += 1 } }
        clock.advance(by: .seconds(60))
        #expect(jumps.withLock { $0 } == 0)
        clock.setDate(.distantFuture)
        #expect(jumps.withLock { $0 } == 1)
        clock.advance(by: .seconds(-60))
        #expect(jumps.withLock { $0 } == 2)
        subscription.cancel()
        clock.setDate(.distantPast)
        #expect(jumps.withLock { $0 } == 2)
    }
}
