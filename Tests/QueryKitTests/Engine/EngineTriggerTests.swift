import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// Where the events of triggers come from (R20, R31, R40). What follows them is tested by ``LedgerTriggerTests``.
@Suite(.timeLimit(.minutes(5))) struct EngineTriggerTests {
    /// A trigger that the test fires, and that knows who listens.
    private final class Bell: Sendable {
        private let listeners = Listeners(0)
        let sessions = Lock<[String?]>([])

        var isEmpty: Bool { listeners.isEmpty }

        func ring() { listeners.send(0) }

        var trigger: QueryTrigger {
            QueryTrigger("bell") { [self] context, fire in
                sessions.withLock { $0.append(context.session) }
                return listeners.add { _ in fire() }
            }
        }
    }

    private let clock = ManualClock()
    private let network = ManualNetworkObserver()
    private let app = ManualActivityObserver()
    private let engine: Engine

    init() { engine = Engine(clock: clock) }

    private func coded(_ id: Int = 1, ttl: Duration = .zero, _ change: @escaping (inout QueryContext) -> Void = { _ in }) -> Coded {
        Coded(engine, id, ttl: ttl) { context in
            context.activityObserver = app
            change(&context)
        } code: {
            $0
        }
    }

    private func observeSystem(_ engine: Engine? = nil, network: any NetworkObserver, active: Bool = true, reconnect: Bool = true) {
        (engine ?? self.engine).observe(
            network: network,
            activity: app,
            refetchesOnReconnect: reconnect,
            refetchesWhenActive: active
        )
    }

    /// How often a request has run, once all that was caused has happened.
    private func runs(_ coded: Coded) async -> Int {
        await engine.settled()
        clock.advance(by: .seconds(1))
        await engine.settled()
        return coded.runs
    }

    private func comeBack(_ app: ManualActivityObserver? = nil) {
        for isActive in [false, true] { (app ?? self.app).set(isActive: isActive) }
    }

    private func reconnect() { for isOnline in [false, true] { network.set(isOnline: isOnline) } }

    // MARK: Requests

    @Test func `R20 the source of a trigger is watched as long as the request is observed`() async {
        let bell = Bell()
        let coded = coded { $0.settings.triggers = [bell.trigger] }
        #expect(bell.isEmpty)
        let first = coded.observe()
        let second = coded.observe()
        let before = await runs(coded)
        bell.ring()
        #expect(await runs(coded) == before + 1)
        first.cancel()
        #expect(!bell.isEmpty)
        second.cancel()
        #expect(bell.isEmpty)
        bell.ring()
        #expect(await runs(coded) == before + 1)
    }

    @Test func `R20 any sequence is a trigger`() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        let coded = coded { $0.settings.triggers = [QueryTrigger("sequence", sequence: { stream })] }
        let subscription = coded.observe()
        _ = await runs(coded)
        continuation.yield(1)
        while coded.runs < 2 { await Task.yield() }
        subscription.cancel()
        continuation.finish()
    }

    @Test func `R20 a trigger with alarms uses the clock of its context`() async {
        let trigger = QueryTrigger(
            "clocked",
            clocked: { context, schedule, fire in
                let alarm = schedule(context.clock.now.advanced(by: .seconds(5)), fire)
                return QuerySubscription { alarm.cancel() }
            }
        )
        let coded = coded { [clock] in
            $0.clock = clock
            $0.settings.triggers = [trigger]
        }
        let subscription = coded.observe()
        #expect(await runs(coded) == 1)
        clock.advance(by: .seconds(5))
        #expect(await runs(coded) == 2)
        subscription.cancel()
    }

    @Test func `R20 a trigger keeps neither the client nor its observer`() async {
        let bell = Bell()
        var engine: Engine? = Engine(clock: clock)
        weak let weak = engine
        var coded: Coded? = Coded(engine!, 1) {
            $0.settings.triggers = [bell.trigger]
        } code: {
            $0
        }
        var subscription: QuerySubscription? = coded!.observe()
        await engine!.settled()
        withExtendedLifetime(subscription) {}
        engine!.close()
        (engine, coded, subscription) = (nil, nil, nil)
        #expect(bell.isEmpty)
        while weak != nil { await Task.yield() }
    }

    // MARK: The client

    @Test(arguments: [true, false], [true, false])
    func `R31 stale observed requests are fetched again when the app becomes active, and when the network returns`(
        _ active: Bool,
        _ reconnects: Bool
    ) async {
        observeSystem(network: network, active: active, reconnect: reconnects)
        let coded = coded()
        let subscription = coded.observe()
        #expect(await runs(coded) == 1)
        comeBack()
        #expect(await runs(coded) == (active ? 2 : 1))
        reconnect()
        #expect(await runs(coded) == 1 + (active ? 1 : 0) + (reconnects ? 1 : 0))
        subscription.cancel()
    }

    @Test(arguments: [true, false])
    func `R31 R20 a request that has the triggers of the client as its own is fetched once per event`(_ isDefault: Bool) async {
        observeSystem(network: network, active: isDefault, reconnect: isDefault)
        let coded = coded { $0.settings.triggers = [.appActive, .reconnect] }
        let subscription = coded.observe()
        #expect(await runs(coded) == 1)
        for round in 1...5 {
            comeBack()
            #expect(await runs(coded) == 2 * round)
            reconnect()
            #expect(await runs(coded) == 2 * round + 1)
        }
        subscription.cancel()
    }

    @Test func `R31 R20 a request with another observer of the activity follows that one, too`() async {
        observeSystem(network: network)
        let other = ManualActivityObserver()
        let coded = coded {
            $0.activityObserver = other
            $0.settings.triggers = [.appActive]
        }
        let subscription = coded.observe()
        #expect(await runs(coded) == 1)
        comeBack(other)
        #expect(await runs(coded) == 2)
        comeBack()
        #expect(await runs(coded) == 3)
        subscription.cancel()
    }

    @Test func `R31 a trigger of the client fetches two thousand observed requests again`() async {
        observeSystem(network: network)
        let all = (1...2_000).map { coded($0) }
        let subscriptions = all.map { $0.observe() }
        _ = await runs(all[0])
        comeBack()
        _ = await runs(all[0])
        #expect(all.allSatisfy { $0.runs == 2 })
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func `R31 the observers of the system end with the client`() async {
        let engine = Engine(clock: clock)
        observeSystem(engine, network: network)
        engine.close()
        #expect(engine.system.withLock { $0.subscriptions.isEmpty && $0.activity == nil })
        comeBack()
        reconnect()
    }

    // MARK: Launch

    /// An observer of the system whose reports the test sends.
    private struct Reporting {
        let observer: SystemObserver<Bool>
        private let begun = Lock<SystemObserver<Bool>.Reports?>(nil)

        init(initially state: Bool) {
            let begin = { @Sendable [begun] (reports: SystemObserver<Bool>.Reports) in
                begun.withLock { $0 = reports }
                return QuerySubscription {}
            }
            observer = SystemObserver(initially: { state }, begin: begin)
        }

        func report(_ state: Bool) { begun.withLock { $0 }?.set(state) }
    }

    @Test func `R40 the first report of the network is a state, and runs nothing again`() async {
        let network = Reporting(initially: true)
        observeSystem(network: network.observer)
        let coded = coded()
        let subscription = coded.observe()
        #expect(await runs(coded) == 1)
        network.report(true)
        #expect(await runs(coded) == 1)
        for isOnline in [false, true] { network.report(isOnline) }
        #expect(await runs(coded) == 2)
        subscription.cancel()
    }

    @Test(arguments: [QueryNetworkMode.online, .offlineFirst])
    func `R40 R12 a first report that there is a network lets what has paused before it continue, once`(_ mode: QueryNetworkMode) async {
        let network = Reporting(initially: false)
        observeSystem(network: network.observer)
        let coded = Coded(engine, 1) {
            $0.networkMode = mode
        } code: { [observer = network.observer] number in
            if !observer.isOnline { throw TestError() }
            return number
        }
        let subscription = coded.observe()
        let before = await runs(coded)
        #expect(before == (mode == .online ? 0 : 1))
        #expect(engine.state(coded.entry).record.flags.contains(.paused))
        network.report(true)
        #expect(await runs(coded) == before + 1)
        subscription.cancel()
    }

    @Test func `R12 a simulated state of the network counts until the observer decides again`() {
        observeSystem(network: network)
        func isOffline() -> Bool { engine.enter { $0.network.isOffline } }
        engine.simulate(isOnline: false)
        #expect(isOffline())
        reconnect()
        #expect(isOffline())
        engine.simulate(isOnline: nil)
        #expect(!isOffline())
        engine.simulate(isOnline: true)
        network.set(isOnline: false)
        #expect(!isOffline())
        engine.simulate(isOnline: nil)
        #expect(isOffline())
    }

    // MARK: Invalidations

    @Test func `R20 a trigger invalidates what a pattern matches, in each session with the context of that session`() async {
        let bell = Bell()
        let coded = coded(ttl: .infinity)
        let subscription = coded.observe()
        let invalidation = engine.invalidate(anyOf: ["code/**"], on: bell.trigger)
        #expect(await runs(coded) == 1)
        bell.ring()
        #expect(await runs(coded) == 2)
        subscription.cancel()
        engine.begin(session: "next", nil)
        await engine.settled()
        #expect(bell.sessions.withLock { $0 } == [nil, "next"])
        #expect(engine.enter { $0.standing.count } == 1)
        invalidation.cancel()
        #expect(bell.isEmpty && engine.enter { $0.standing.isEmpty })
        engine.begin(session: "last", nil)
        #expect(bell.isEmpty)
    }

    @Test func `R20 a repeated invalidation ends with the client, although a handle keeps the engine`() async {
        let bell = Bell()
        let invalidation = engine.invalidate(anyOf: ["code/**"], on: bell.trigger)
        #expect(!bell.isEmpty)
        engine.close()
        #expect(bell.isEmpty)
        withExtendedLifetime(invalidation) {}
    }
}
