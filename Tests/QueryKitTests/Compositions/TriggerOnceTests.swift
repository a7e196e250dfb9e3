import QueryKit
import QueryKitTesting
import TestSupport
import Testing

extension Compositions {
    /// A run under way satisfies a trigger, and a paused run continues once.
    struct TriggerOnceTests {
        // MARK: Two triggers

        @Test func `R20 a second trigger during the run of the first one causes no further run`() async {
            let (bell, gate) = (Bell(), Gate())
            let bench = TestBench { call in
                if call.number == 2 { try await gate.pass() }
                return call.number
            }
            let subscription = bench.client.store(for: Number(1).refetch(on: bell.trigger)).record(Recorder())
            await bench.client.settled()
            bell.ring()
            await gate.arrived()
            bell.ring()
            gate.open()
            await bench.client.settled()
            bench.clock.advance(by: .seconds(1))
            await bench.client.settled()
            #expect(bench.backend.count == 2)
            subscription.cancel()
        }

        @Test func `R20 becoming active and reconnecting at the same time cause one run`() async {
            let (network, activity) = (ManualNetworkObserver(), ManualActivityObserver())
            let gate = Gate()
            let bench = TestBench(network: network) { call in
                if call.number == 2 { try await gate.pass() }
                return call.number
            } adjusting: {
                $0.activityObserver = activity
            }
            let store = bench.client.store(for: Number(1).refetch(on: .reconnect).refetch(on: .appActive))
            let subscription = store.record(Recorder())
            await bench.client.settled()
            network.set(isOnline: false)
            activity.set(isActive: false)
            activity.set(isActive: true)
            network.set(isOnline: true)
            await gate.arrived()
            gate.open()
            await bench.client.settled()
            bench.clock.advance(by: .seconds(1))
            await bench.client.settled()
            #expect(bench.backend.count == 2)
            subscription.cancel()
        }

        @Test func `R20 triggers during the first run cause no further run`() async {
            let (bell, gate) = (Bell(), Gate())
            let bench = TestBench { call in
                try await gate.pass()
                return call.number
            }
            let subscription = bench.client.store(for: Number(1).refetch(on: bell.trigger)).record(Recorder())
            await gate.arrived()
            bell.ring()
            bell.ring()
            gate.open()
            await bench.client.settled()
            bench.clock.advance(by: .seconds(1))
            await bench.client.settled()
            #expect(bench.backend.count == 1)
            subscription.cancel()
        }

        @Test func `R20 the trailing run of an outdated run satisfies triggers fired during both`() async {
            let (bell, gate) = (Bell(), Gate())
            let bench = TestBench { call in
                if call.number < 3 { try await gate.pass() }
                return call.number
            }
            let subscription = bench.client.store(for: Number(1).refetch(on: bell.trigger)).record(Recorder())
            await gate.arrived()
            bench.client.invalidate("**")
            for _ in 1...3 { bell.ring() }
            gate.letThrough()
            await gate.arrived(2)
            bell.ring()
            gate.open()
            await bench.client.settled()
            bench.clock.advance(by: .seconds(1))
            await bench.client.settled()
            #expect(bench.backend.count == 2)
            subscription.cancel()
        }

        @Test func `R20 triggers fired in the pause after a result cause one run when the pause is over`() async {
            let bell = Bell()
            let bench = TestBench()
            let subscription = bench.client.store(for: Number(1).refetch(on: bell.trigger)).record(Recorder())
            await bench.client.settled()
            bell.ring()
            await bench.client.settled()
            bell.ring()
            bell.ring()
            await bench.client.settled()
            bench.clock.advance(by: .seconds(1))
            await bench.client.settled()
            #expect(bench.backend.count == 3)
            subscription.cancel()
        }

        @Test func `R20 an invalidation on a trigger during a run causes a trailing run`() async {
            let (bell, gate) = (Bell(), Gate())
            let bench = TestBench { call in
                if call.number == 1 { try await gate.pass() }
                return call.number
            }
            let subscription = bench.client.store(for: Number(1).ttl(.infinity)).record(Recorder())
            let invalidation = bench.client.invalidate("**", on: bell.trigger)
            await gate.arrived()
            bell.ring()
            gate.open()
            await bench.client.settled()
            #expect(bench.client.value(for: Number(1)) == 2)
            for subscription in [subscription, invalidation] { subscription.cancel() }
        }

        // MARK: Reconnecting

        @Test func `R12 a paused run continues once on each reconnect even if the reconnect is also its trigger`() async {
            let network = ManualNetworkObserver()
            let bench = TestBench(network: network)
            let client = bench.client
            let requests = (1...3).map { Number($0).networkMode(.online).refetch(on: .reconnect) }
            let subscriptions = requests.map { client.store(for: $0).record(Recorder()) }
            await client.settled()
            for round in 1...50 {
                network.set(isOnline: false)
                // Number 3 has no paused run: only its trigger starts one.
                for id in 1...2 { client.store(for: requests[id - 1]).invalidate() }
                await client.settled()
                #expect(client.store(for: Number(1)).isPaused && client.store(for: Number(2)).isPaused)
                network.set(isOnline: true)
                await client.settled()
                bench.clock.advance(by: .seconds(1))
                await client.settled()
                #expect((1...3).map { id in bench.backend.fetched.count { $0 == id } } == [round + 1, round + 1, round + 1])
            }
            for subscription in subscriptions { subscription.cancel() }
        }

        @Test func `R12 a paused run that is already working again when the reconnect trigger fires is not repeated`() async {
            let (network, gate) = (ManualNetworkObserver(isOnline: false), Gate())
            let bench = TestBench(network: network) { call in
                try await gate.pass()
                return call.number
            }
            let store = bench.client.store(for: Number(1).networkMode(.online).refetch(on: .reconnect))
            let subscription = store.record(Recorder())
            await bench.client.settled()
            network.set(isOnline: true)
            await gate.arrived()
            gate.open()
            await bench.client.settled()
            bench.clock.advance(by: .seconds(1))
            await bench.client.settled()
            #expect(bench.backend.count == 1)
            subscription.cancel()
        }

        @Test func `R12 a run that failed for lack of a network continues once when the network is back`() async {
            let network = ManualNetworkObserver()
            let bench = TestBench(network: network) { [network] call in
                if call.number == 1 {
                    network.set(isOnline: false)
                    throw QueryError(.networkUnavailable)
                }
                return call.number
            }
            let store = bench.client.store(for: Number(1).networkMode(.offlineFirst).refetch(on: .reconnect).ttl(.seconds(60)))
            let subscription = store.record(Recorder())
            await bench.client.settled()
            #expect(store.isPaused)
            network.set(isOnline: true)
            await bench.client.settled()
            bench.clock.advance(by: .seconds(1))
            await bench.client.settled()
            #expect(bench.backend.count == 2)
            subscription.cancel()
        }
    }
}
