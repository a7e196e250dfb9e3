import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// Streams that break off (R11, R26).
@Suite(.timeLimit(.minutes(5))) struct EngineStreamTests {
    private struct Flow: StreamRequest {
        let spring: Spring

        func stream(in context: QueryContext) async throws -> AsyncThrowingStream<Int, any Error> { spring.open() }

        static func == (left: Flow, right: Flow) -> Bool { true }
        func hash(into hasher: inout Hasher) {}
    }

    private final class Spring: Sendable {
        private let streams = Lock<[AsyncThrowingStream<Int, any Error>.Continuation]>([])

        var count: Int { streams.withLock { $0.count } }

        func open() -> AsyncThrowingStream<Int, any Error> {
            let (stream, continuation) = AsyncThrowingStream.makeStream(of: Int.self)
            streams.withLock { $0.append(continuation) }
            return stream
        }

        func send(_ value: Int) { streams.withLock { $0.last }?.yield(value) }
        func fail(_ error: any Error = TestError()) { streams.withLock { $0.last }?.finish(throwing: error) }
    }

    private let clock = ManualClock()
    private let spring = Spring()
    private let engine: Engine

    init() { engine = Engine(clock: clock) }

    private func handle(_ change: (inout QueryContext) -> Void = { _ in }) -> Handle {
        var context = QueryContext()
        context.retry.backoff = .exponential(jitter: { 1 })
        change(&context)
        let request = Flow(spring: spring)
        let entry = engine.entry(for: request.identity, ["flow"], Typing<Flow.State>.shared)
        return Handle(engine: engine, entry: entry, settings: Settings(RequestSettings(request, context)))
    }

    private func state(_ handle: Handle) -> QueryRecord { engine.state(handle).record }

    /// Waits until the stream delivers this element.
    private func element(_ value: Int, _ handle: Handle) async {
        spring.send(value)
        while engine.state(handle).current?.unboxed(as: Int.self) != value || !state(handle).flags.contains(.live) { await Task.yield() }
    }

    private func opened(_ count: Int) async { while spring.count < count { await Task.yield() } }

    @Test func `R11 a stream is opened again without limit, and an element makes delays short and failures few again`() async throws {
        let handle = handle()
        let subscription = engine.subscribe(handle) { _ in }
        await opened(1)
        var count = 1
        func breaksOff(failures: UInt32, rests seconds: Int) async {
            spring.fail()
            while state(handle).failures != failures { await Task.yield() }
            await engine.settled()
            #expect(state(handle).flags.contains(.fetching) && !state(handle).flags.contains(.live))
            clock.advance(by: .seconds(seconds) - .nanoseconds(1))
            await engine.settled()
            #expect(spring.count == count)
            clock.advance(by: .nanoseconds(1))
            count += 1
            await opened(count)
        }
        for (failures, seconds) in [(1, 1), (2, 2), (3, 4), (4, 8), (5, 16)] {
            await breaksOff(failures: UInt32(failures), rests: seconds)
        }
        await element(1, handle)
        for (failures, seconds) in [(1, 1), (2, 2)] { await breaksOff(failures: UInt32(failures), rests: seconds) }
        #expect(engine.state(handle).current?.unboxed(as: Int.self) == 1)
        subscription.cancel()
    }

    @Test func `R11 a stream that a caller has opened is opened again too, unless the request sets a limit`() async throws {
        let handle = handle()
        let caller = Task { try await engine.fetch(handle) }
        for count in 1...5 {
            await opened(count)
            spring.fail()
            while clock.alarmCount == 0 { await Task.yield() }
            await engine.settled()
            clock.advance(by: .seconds(30))
        }
        await opened(6)
        spring.send(7)
        #expect(try await caller.value.unboxed(as: Int.self) == 7)
    }

    @Test func `R26 a stream fails with the error that it has thrown`() async throws {
        let handle = handle { $0.retry.limit = 0 }
        let subscription = engine.subscribe(handle) { _ in }
        await opened(1)
        await element(1, handle)
        spring.fail(TestError("broken"))
        while state(handle).error == nil { await Task.yield() }
        #expect(state(handle).error as? TestError == TestError("broken"))
        #expect(state(handle).failures == 1)
        subscription.cancel()
    }

    @Test func `R26 a stream asks for a permission once, although it has delivered elements since`() async throws {
        let asked = Lock(0)
        let handle = handle {
            $0.authorization = { _, _ in
                asked.withLock { $0 += 1 }
                return true
            }
        }
        let subscription = engine.subscribe(handle) { _ in }
        await opened(1)
        spring.fail(QueryError(.insufficientPermissions))
        await opened(2)
        await element(1, handle)
        spring.fail(QueryError(.insufficientPermissions))
        while state(handle).error == nil { await Task.yield() }
        #expect(asked.withLock { $0 } == 1 && spring.count == 2)
        subscription.cancel()
    }
}
