import Foundation
import TestSupport
import Testing

@testable import QueryKit

/// The table of what a client does by default, row by row (R31).
struct LiveClientTests {
    private static let observers: [(any WritableKeyPath<QueryClient.Configuration, Bool> & Sendable, @Sendable (QueryContext) -> Bool)] = [
        (\.observesNetwork, { $0.networkObserver != nil }),
        (\.observesActivity, { $0.activityObserver != nil }),
        (\.observesMemoryPressure, { $0.memoryPressureSource != nil }),
        (\.observesCalendar, { $0.timeZoneObserver != nil }),
    ]

    @Test(arguments: 0..<4) func `R31 each observer of the system is present by default and can be turned off in one line`(_ row: Int) {
        let (switchOff, isThere) = Self.observers[row]
        #expect(isThere(QueryClient().context))
        var configuration = QueryClient.Configuration()
        configuration[keyPath: switchOff] = false
        let context = QueryClient(configuration: configuration).context
        #expect(Self.observers.map { $0.1(context) } == (0..<4).map { $0 != row })
    }

    @Test func `R31 an isolated client uses no observers of the system`() {
        for client in [QueryClient(configuration: .isolated), QueryClient.test(), .test(configuration: QueryClient.Configuration())] {
            #expect(!Self.observers.contains { $0.1(client.context) })
            #expect(client.core.defaultTriggers == nil)
        }
    }

    @Test func `R31 an observer in the context takes precedence over the system's`() {
        var context = QueryContext()
        let (network, activity, memory) = (ManualNetworkObserver(), ManualActivityObserver(), ManualMemoryPressureSource())
        let zone = ManualTimeZoneObserver(.gmt)
        context.networkObserver = network
        context.activityObserver = activity
        context.memoryPressureSource = memory
        context.timeZoneObserver = zone
        for configuration in [QueryClient.Configuration(), .isolated] {
            let own = QueryClient(context: context, configuration: configuration).context
            #expect(own.networkObserver as? ManualNetworkObserver === network)
            #expect(own.activityObserver as? ManualActivityObserver === activity)
            #expect(own.memoryPressureSource as? ManualMemoryPressureSource === memory)
            #expect(own.timeZoneObserver as? ManualTimeZoneObserver === zone)
        }
    }

    @Test func `R31 an isolated client has no default triggers, even if its context has observers`() {
        var context = QueryContext()
        context.networkObserver = ManualNetworkObserver()
        context.activityObserver = ManualActivityObserver()
        for client in [QueryClient(context: context, configuration: .isolated), .test(context: context)] {
            #expect(client.core.defaultTriggers == nil)
        }
    }

    @Test func `R31 a test client uses the clock it is given`() async throws {
        let clock = ManualClock()
        var context = QueryContext()
        context.backend = Backend()
        let client = QueryClient.test(clock: clock, context: context)
        #expect(client.context.clock as? ManualClock === clock)
        let request = Number().ttl(.seconds(60))
        #expect(try await client.fetch(request) == 1)
        clock.advance(by: .seconds(59))
        #expect(try await client.fetch(request) == 1)
        clock.advance(by: .seconds(1))
        #expect(try await client.fetch(request) == 2)
        #expect(QueryClient.test().context.clock is ManualClock)
    }

    @Test func `R31 a client reacts to memory pressure by default`() async throws {
        let memory = ManualMemoryPressureSource()
        var context = QueryContext()
        context.backend = Backend()
        context.memoryPressureSource = memory
        let client = QueryClient(context: context)
        _ = try await client.fetch(Number().networkMode(.always))
        memory.send(.critical)
        #expect(client.storeCount == 0)
    }
}
