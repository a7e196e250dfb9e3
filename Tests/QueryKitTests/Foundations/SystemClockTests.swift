import Foundation
import TestSupport
import Testing

@testable import QueryKit

struct SystemClockTests {
    private let clock = SystemClock()

    @Test func `an alarm is called at its deadline`() async throws {
        let promise = Promise<QueryInstant>()
        let deadline = clock.now.advanced(by: .milliseconds(20))
        let alarm = clock.schedule(at: deadline) { [clock] in promise.resolve(.success(clock.now)) }
        #expect(try await promise.get() >= deadline)
        alarm.cancel()
    }

    @Test func `a deadline in the past is called soon`() async throws {
        let promise = Promise<Void>()
        let alarm = clock.schedule(at: QueryInstant(nanoseconds: .min)) { promise.resolve(.success(())) }
        try await promise.get()
        alarm.cancel()
    }

    @Test func `a cancelled alarm is not called`() async throws {
        let promise = Promise<Void>()
        let received = Recorder<String>()
        let start = clock.now
        let first = clock.schedule(at: start.advanced(by: .milliseconds(20))) { received.note("cancelled") }
        first.cancel()
        // This alarm is later, so by then the first would have been called.
        let second = clock.schedule(at: start.advanced(by: .milliseconds(60))) {
            received.note("kept")
            promise.resolve(.success(()))
        }
        try await promise.get()
        #expect(received.all == ["kept"])
        second.cancel()
    }

    @Test func `an alarm at the end of time can be set and cancelled without overflow`() async throws {
        let received = Recorder<String>()
        let promise = Promise<Void>()
        let never = clock.schedule(at: .never) { received.note("never") }
        let soon = clock.schedule(at: clock.now.advanced(by: .milliseconds(5))) { promise.resolve(.success(())) }
        try await promise.get()
        never.cancel()
        soon.cancel()
        #expect(received.all == [])
    }

    @Test func `time never runs backwards, and all system clocks agree`() {
        let first = clock.now
        let second = SystemClock().now
        #expect(first <= second)
        #expect(abs(clock.date.timeIntervalSinceNow) < 5)
    }
}
