import QueryKit
import TestSupport
import Testing

extension Compositions {
    /// A trigger is answered by the run that is under way, and a paused run goes on once.
    @Suite struct TriggerOnceTests {
        // MARK: Two triggers

        @Test func `R20 a second trigger during the run of the first one causes nothing later`() async {
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
            withKnownIssue("what came within 100 ms is made up for, though a run was under way") {
                #expect(bench.backend.count == 2)
            }
            subscription.cancel()
        }

        @Test func `R20 the return to the foreground and of the network together are one run`() async {
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
            withKnownIssue("what came within 100 ms is made up for, though a run was under way") {
                #expect(bench.backend.count == 2)
            }
            subscription.cancel()
        }

        @Test func `R20 a trigger during the first run causes nothing later`() async {
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
            withKnownIssue("what came within 100 ms is made up for, though a run was under way") {
                #expect(bench.backend.count == 1)
            }
            subscription.cancel()
        }

        @Test func `R20 a trigger that comes after a result within the pause is made up for once`() async {
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

        @Test func `R20 an invalidation on a trigger during a run is answered by a trailing run`() async {
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

        // MARK: The return of the network

        @Test func `R12 a paused run continues once on reconnect, also when it ends before the trigger comes`() async {
            let network = ManualNetworkObserver()
            let bench = TestBench(network: network) { $0.number }
            let client = bench.client
            let ended = Valve()
            let isBack = Lock(false)
            // Loaded, and triggered before the other one: its handler holds the trigger up until the paused run has ended.
            let first = client.store(for: Number(1).networkMode(.online).refetch(on: .reconnect)).subscribe(
                with: QueryEventHandler { state, _ in if state.isFetching, isBack.withLock({ $0 }) { ended.wait(upTo: 1) } }
            )
            await client.settled()
            network.set(isOnline: false)
            let second = client.store(for: Number(2).networkMode(.online).refetch(on: .reconnect)).subscribe(
                with: QueryEventHandler { state, _ in if state.value != nil, !state.isFetching { ended.open() } }
            )
            await client.settled()
            #expect(client.store(for: Number(2)).isPaused)
            isBack.withLock { $0 = true }
            await onThread { network.set(isOnline: true) }
            await client.settled()
            bench.clock.advance(by: .seconds(1))
            await client.settled()
            // Seldom another thread still delivers to the first store's handler, which then holds nothing up.
            withKnownIssue("the trigger of the reconnect comes after the run that the reconnect let go on", isIntermittent: true) {
                #expect(bench.backend.fetched.count { $0 == 2 } == 1)
            }
            for subscription in [first, second] { subscription.cancel() }
        }

        @Test func `R12 a paused run that is still at work when the trigger comes runs once`() async {
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

        @Test func `R12 a run that fails for want of a network continues once when it is back`() async {
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
