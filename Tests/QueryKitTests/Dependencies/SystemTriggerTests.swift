import Foundation
import TestSupport
import Testing

@testable import QueryKit

struct SystemTriggerTests {
    private let app = ManualActivityObserver()
    private let memory = ManualMemoryPressureSource()
    private let user: ManualTimeZoneObserver
    private let bench: TestBench

    private init() {
        let user = ManualTimeZoneObserver(.gmt)
        let (app, memory) = (app, memory)
        self.user = user
        bench = TestBench(adjusting: {
            $0.activityObserver = app
            $0.memoryPressureSource = memory
            $0.timeZoneObserver = user
        })
    }

    /// Observes a request with a trigger, runs `fire`, and returns how many fetches that caused and why.
    private func fetches(_ trigger: QueryTrigger, ttl: Duration = .zero, _ events: () throws -> Void) async throws -> (Int, QueryCause) {
        let store = bench.client.store(for: Number().ttl(ttl).refetch(on: trigger))
        let subscription = store.record(Recorder())
        await bench.client.settled()
        try events()
        await bench.client.settled()
        let seen = (bench.backend.count - 1, store.state.cause)
        subscription.cancel()
        try events()
        await bench.client.settled()
        #expect(bench.backend.count - 1 == seen.0, "The subscription has ended.")
        return seen
    }

    private func comeBack() {
        app.set(isActive: false)
        app.set(isActive: true)
    }

    private func travel() throws { user.set(try #require(TimeZone(secondsFromGMT: user.timeZone.secondsFromGMT() + 3600))) }

    @Test func `R20 an app that becomes active triggers a run, and one that becomes inactive does not`() async throws {
        #expect(try await fetches(.appActive, comeBack) == (1, .trigger("app active")))
    }

    @Test func `R20 an app that becomes inactive triggers nothing`() async throws {
        #expect(try await fetches(.appActive) { app.set(isActive: false) }.0 == 0)
        #expect(!app.isActive)
    }

    @Test func `R20 a fresh value is not refetched when the app becomes active`() async throws {
        #expect(try await fetches(.appActive, ttl: .seconds(60), comeBack).0 == 0)
    }

    @Test func `R20 memory pressure triggers a run`() async throws {
        #expect(try await fetches(.memoryPressure) { memory.send(.warning) } == (1, .trigger("memory pressure")))
    }

    @Test func `R20 a change of the time zone triggers a run`() async throws {
        #expect(try await fetches(.timeZoneChange, travel) == (1, .trigger("time zone change")))
    }

    @Test func `R20 the time zone of a context is the user's unless it was set`() throws {
        var context = bench.client.context
        #expect(context.timeZone == .gmt)
        try travel()
        #expect(context.timeZone.secondsFromGMT() == 3600)
        #expect(context.calendar.timeZone.secondsFromGMT() == 3600)
        context.timeZone = .gmt
        try travel()
        #expect(context.timeZone == .gmt)
        #expect(context.calendar.timeZone == .gmt)
    }

    @Test func `R20 without observers of the system its triggers never fire`() async {
        let bench = TestBench()
        let triggers: [QueryTrigger] = [.appActive, .memoryPressure, .timeZoneChange]
        let subscriptions = triggers.enumerated().map { index, trigger in
            bench.client.store(for: Number(index).refetch(on: trigger)).record(Recorder())
        }
        await bench.client.settled()
        #expect(bench.backend.count == 3)
        for subscription in subscriptions { subscription.cancel() }
    }
}
