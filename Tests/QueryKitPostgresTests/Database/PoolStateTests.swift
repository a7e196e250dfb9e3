#if Postgres
@testable import QueryKitPostgres
import Testing

struct PoolStateTests {
    private let start = ContinuousClock.now
    private let unavailable = PostgresError(.unavailable, "down")
    private let refused = PostgresError(.authentication, "wrong password")

    private func pool(connections: Int = 2, waiting: Int = 10) -> PoolState {
        var limits = PoolState.Limits()
        limits.connections = connections
        limits.waiting = waiting
        return PoolState(limits, jitter: { 1 })
    }

    private func time(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

    /// The actions without timers.
    private func without(timers actions: [PoolState.Action]) -> [PoolState.Action] {
        actions.filter { if case .wake = $0 { false } else { true } }
    }

    /// The error of the first action.
    private func code(of actions: [PoolState.Action]) -> PostgresError.Code? {
        if case .fail(_, let error)? = actions.first { error.code } else { nil }
    }

    @Test func `connections are opened up to the limit, and lent in the order of the requests`() {
        var pool = pool()
        #expect(pool.acquire(1, start) == [.connect(1)])
        #expect(pool.acquire(2, start) == [.connect(2)])
        #expect(pool.acquire(3, start) == [])
        #expect(pool.connected(2, start) == [.lease(connection: 2, to: 1, .fresh)])
        #expect(pool.connected(1, start) == [.lease(connection: 1, to: 2, .fresh)])
        #expect(pool.release(2, isReusable: true, start) == [.lease(connection: 2, to: 3, .recentlyUsed)])
    }

    @Test func `the connection used last is used first, and an old one is checked`() {
        var pool = pool()
        _ = pool.acquire(1, start) + pool.acquire(2, start) + pool.connected(1, start) + pool.connected(2, start)
        _ = pool.release(1, isReusable: true, time(0)) + pool.release(2, isReusable: true, time(25))
        #expect(pool.acquire(3, time(31)) == [.lease(connection: 2, to: 3, .recentlyUsed)])
        #expect(pool.acquire(4, time(31)) == [.lease(connection: 1, to: 4, .old)])
    }

    @Test func `if an old connection doesn't answer, the others of its age are closed`() {
        var pool = pool(connections: 3)
        for waiter in 1...3 { _ = pool.acquire(waiter, start) + pool.connected(waiter, start) }
        _ = pool.release(1, isReusable: true, time(0)) + pool.release(2, isReusable: true, time(1))
        _ = pool.release(3, isReusable: true, time(25))
        #expect(pool.closeOld(time(40)) == [.close(1), .close(2)])
        #expect(pool.idleCount == 1)
    }

    @Test func `of transactions within transactions the one that would stop all others is refused`() {
        var pool = pool()
        for waiter in 1...2 { _ = pool.acquire(waiter, start) + pool.connected(waiter, start) }
        #expect(pool.acquire(3, holding: [1], start) == [.wake(time(10))])
        #expect(without(timers: pool.tick(time(10))) == [])
        _ = pool.acquire(4, holding: [2], time(11))
        #expect(code(of: pool.tick(time(20))) == .misuse)
        #expect(without(timers: pool.release(1, isReusable: true, time(20))) == [.lease(connection: 1, to: 4, .recentlyUsed)])
    }

    @Test func `a transaction within another doesn't wait without end for a server that opens no more connections`() {
        var pool = pool()
        _ = pool.acquire(1, start) + pool.connected(1, start)
        _ = pool.acquire(2, holding: [1], start)
        _ = pool.connectFailed(2, unavailable, isPermanent: false, start)
        #expect(without(timers: pool.tick(time(11))).first == .fail(waiter: 2, unavailable))
    }

    @Test func `a full queue refuses more`() {
        var pool = pool(connections: 1, waiting: 1)
        _ = pool.acquire(1, start)
        #expect(code(of: pool.acquire(2, start)) == .queueFull)
    }

    @Test func `a cancelled transaction leaves the queue`() {
        var pool = pool(connections: 1)
        _ = pool.acquire(1, start) + pool.acquire(2, start) + pool.acquire(3, start)
        let wasWaiting = [pool.cancel(2), pool.cancel(2)]
        #expect(wasWaiting == [true, false])
        #expect(pool.connected(1, start) == [.lease(connection: 1, to: 1, .fresh)])
        #expect(pool.release(1, isReusable: true, start) == [.lease(connection: 1, to: 3, .recentlyUsed)])
    }

    @Test func `a broken connection is replaced for those that wait`() {
        var pool = pool(connections: 1)
        _ = pool.acquire(1, start) + pool.connected(1, start) + pool.acquire(2, start)
        #expect(pool.release(1, isReusable: false, start) == [.close(1), .connect(2)])
        #expect(pool.connected(2, start) == [.lease(connection: 2, to: 2, .fresh)])
    }

    @Test func `releasing twice has no effect`() {
        var pool = pool(connections: 1)
        _ = pool.acquire(1, start) + pool.connected(1, start)
        _ = pool.release(1, isReusable: true, start)
        #expect(pool.release(1, isReusable: true, start) == [])
        #expect(pool.idleCount == 1)
    }

    @Test func `attempts to connect become rarer, and one at a time`() {
        var pool = pool()
        #expect(pool.acquire(1, start) == [.connect(1)])
        #expect(pool.connectFailed(1, unavailable, isPermanent: false, start) == [.wake(time(0.1))])
        #expect(pool.acquire(2, start) == [])
        #expect(without(timers: pool.tick(time(0.1))) == [.connect(2)])
        #expect(pool.connectFailed(2, unavailable, isPermanent: false, time(0.1)).contains(.wake(time(0.3))))
        #expect(without(timers: pool.tick(time(0.2))) == [])
        #expect(without(timers: pool.tick(time(0.3))) == [.connect(3)])
        #expect(pool.connected(3, time(0.3)) == [.lease(connection: 3, to: 1, .fresh), .connect(4)])
    }

    @Test func `attempts to connect that fail at the same time delay the next one as a single failure does`() {
        var pool = pool(connections: 3)
        for waiter in 1...3 { _ = pool.acquire(waiter, start) }
        #expect(pool.connectFailed(1, unavailable, isPermanent: false, start) == [.wake(time(0.1))])
        for connection in 2...3 { _ = pool.connectFailed(connection, unavailable, isPermanent: false, time(0.01)) }
        #expect(without(timers: pool.tick(time(0.1))) == [.connect(4)])
        #expect(pool.connectFailed(4, unavailable, isPermanent: false, time(0.1)).contains(.wake(time(0.3))))
    }

    @Test func `those that wait too long for a server that is away get its error`() {
        var pool = pool()
        _ = pool.acquire(1, start) + pool.connectFailed(1, unavailable, isPermanent: false, start)
        _ = pool.acquire(2, time(5))
        let actions = pool.tick(time(10))
        #expect(actions.contains(.fail(waiter: 1, unavailable)))
        #expect(!actions.contains(.fail(waiter: 2, unavailable)))
    }

    @Test func `a wrong password fails all that wait at once`() {
        var pool = pool()
        _ = pool.acquire(1, start) + pool.acquire(2, start)
        let actions = pool.connectFailed(1, refused, isPermanent: true, start)
        #expect(without(timers: actions) == [.fail(waiter: 1, refused), .fail(waiter: 2, refused)])
    }

    @Test func `unused connections are closed after a while`() {
        var pool = pool()
        _ = pool.acquire(1, start) + pool.connected(1, start)
        #expect(pool.release(1, isReusable: true, start) == [.wake(time(600))])
        #expect(pool.tick(time(599)) == [.wake(time(600))])
        #expect(pool.tick(time(600)) == [.close(1)])
        #expect(pool.idleCount == 0)
    }

    @Test func `closing waits for connections in use, and fails the others`() {
        var pool = pool(connections: 2)
        _ = pool.acquire(1, start) + pool.acquire(2, start) + pool.connected(1, start) + pool.connected(2, start)
        _ = pool.release(2, isReusable: true, start)
        #expect(pool.close() == [.close(2)])
        #expect(code(of: pool.acquire(3, start)) == .closed)
        #expect(pool.release(1, isReusable: true, start) == [.close(1), .finish])
        #expect(pool.close() == [.finish])
    }

    @Test func `a connection that opens after closing is closed`() {
        var pool = pool()
        _ = pool.acquire(1, start)
        #expect(pool.close().last == .finish)
        #expect(pool.connected(1, start) == [.close(1)])
    }
}
#endif
