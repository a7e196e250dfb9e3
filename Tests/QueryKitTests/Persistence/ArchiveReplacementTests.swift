import Foundation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

struct ArchiveReplacementTests {
    private var request: some QueryRequest<Int, QueryState<Int?, Int>> { Number(1).ttl(.seconds(3_600)).archived() }

    /// An archive with a value written the given number of seconds after ``Launch/day``.
    private func archive(_ value: Int, at seconds: Int, session: String? = nil) async throws -> QueryClientArchive {
        let launch = Launch(.seconds(seconds), session: session)
        launch.client.setValue(value, for: request)
        return try await launch.client.dehydrate()
    }

    private func second(_ seconds: Int) -> Date { Launch.day.addingTimeInterval(TimeInterval(seconds)) }

    @Test(arguments: [(9, 5), (10, 5), (11, 50)])
    func `R28 an archived value replaces a store's value only if it is strictly newer`(seconds: Int, shown: Int) async throws {
        let next = Launch(.seconds(10))
        next.client.setValue(5, for: request)
        next.clock.advance(by: .seconds(20))
        await next.client.hydrate(from: try await archive(50, at: seconds), replacing: .olderValues)
        let store = next.client.store(for: request)
        #expect(store.value == shown)
        #expect(store.valueUpdatedAt == second(max(seconds, 10)))
        #expect(!store.isStale)
        #expect(store.state.cause == (shown == 5 ? .written : .restored))
    }

    @Test func `R28 stores keep their results by default`() async throws {
        let next = Launch()
        next.client.setValue(5, for: request)
        next.clock.advance(by: .seconds(20))
        await next.client.hydrate(from: try await archive(50, at: 11))
        try await next.client.hydrate(from: try await archive(50, at: 11).data())
        #expect(next.client.value(for: request) == 5)
        try await next.client.hydrate(from: try await archive(50, at: 11).data(), replacing: .olderValues)
        #expect(next.client.value(for: request) == 50)
    }

    @Test func `R28 R13 a value from the future does not count as newer, because its age is unknown`() async throws {
        let next = Launch()
        next.client.setValue(5, for: request)
        next.clock.advance(by: .seconds(20))
        await next.client.hydrate(from: try await archive(50, at: 21), replacing: .olderValues)
        #expect(next.client.value(for: request) == 5)
        // Another launch may have restored it. Then any value of known age is newer.
        let third = Launch()
        await third.client.hydrate(from: try await archive(50, at: 21))
        let store = third.client.store(for: request)
        #expect(store.value == 50 && store.isStale)
        await third.client.hydrate(from: try await archive(7, at: -1), replacing: .olderValues)
        #expect(store.value == 7 && !store.isStale)
    }

    @Test(arguments: [(9, 5), (19, 50)])
    func `R28 R13 if the wall clock was set back, ages decide which value is newer`(seconds: Int, shown: Int) async throws {
        let next = Launch(.seconds(100))
        next.client.setValue(5, for: request)
        // From now on the clock shows ten seconds more than have passed since the write.
        next.clock.advance(by: .seconds(3))
        next.clock.setDate(second(13))
        next.clock.advance(by: .seconds(17))
        await next.client.hydrate(from: try await archive(50, at: seconds), replacing: .olderValues)
        #expect(next.client.value(for: request) == shown)
    }

    @Test func `R28 R5 an equal archived value is not published, but updates the store's date`() async throws {
        let next = Launch()
        let store = next.client.store(for: request)
        store.setValue(5)
        next.clock.advance(by: .seconds(20))
        let received = Recorder<String>()
        let subscription = store.record(received)
        await next.client.hydrate(from: try await archive(5, at: 11), replacing: .olderValues)
        await next.client.hydrate(from: try await archive(50, at: 12), replacing: .olderValues)
        await next.client.hydrate(from: try await archive(50, at: 13), replacing: .olderValues)
        #expect(received.all == ["5", "50"])
        #expect(store.valueUpdatedAt == second(13))
        subscription.cancel()
    }

    @Test func `R28 a run under way replaces the archived value with its result, and a cancelled one keeps it`() async throws {
        for isCancelled in [false, true] {
            let gate = Gate()
            let next = Launch { _ in
                try await gate.pass()
                return 99
            }
            let store = next.client.store(for: request)
            store.setValue(5)
            next.clock.advance(by: .seconds(20))
            let task = store.fetchTask().start()
            await gate.arrived()
            await next.client.hydrate(from: try await archive(50, at: 11), replacing: .olderValues)
            #expect(StateSummary(store.state).description == "50 fetching")
            if isCancelled { store.cancel() } else { gate.open() }
            _ = try? await task.value
            await next.client.settled()
            #expect(StateSummary(store.state).description == (isCancelled ? "50" : "99"))
            #expect(store.valueUpdatedAt == second(isCancelled ? 11 : 20))
        }
    }

    @Test(arguments: [(5, "50"), (15, "failed(broken) had 50 1x")])
    func `R28 R2 a failure stays visible unless the archived value is newer`(seconds: Int, shown: String) async throws {
        let next = Launch(.seconds(1)) { _ in throw TestError() }
        let store = next.client.store(for: request)
        store.setValue(5)
        next.clock.advance(by: .seconds(seconds))
        await #expect(throws: TestError.self) { try await store.fetch() }
        next.clock.advance(by: .seconds(20))
        await next.client.hydrate(from: try await archive(50, at: 11), replacing: .olderValues)
        #expect(StateSummary(store.state).description == shown)
        #expect(store.errorUpdateCount == 1)
        #expect((store.failureReason == nil) == (shown == "50"))
    }

    @Test func `R28 a store that has only failed takes an archived value of any age`() async throws {
        let next = Launch(.seconds(20))
        let store = next.client.store(for: request)
        store.setResult(to: .failure(TestError()))
        await next.client.hydrate(from: try await archive(50, at: 11), replacing: .olderValues)
        #expect(StateSummary(store.state).description == "failed(broken) had 50")
    }

    @Test func `R28 R29 an invalidated archived value replaces only an invalidated one`() async throws {
        for isInvalidated in [false, true] {
            let former = Launch(.seconds(11))
            former.client.setValue(50, for: request)
            former.client.invalidate(.all)
            let next = Launch()
            let store = next.client.store(for: request)
            store.setValue(5)
            next.clock.advance(by: .seconds(20))
            if isInvalidated { next.client.invalidate(.all) }
            await next.client.hydrate(from: try await former.client.dehydrate(), replacing: .olderValues)
            #expect(StateSummary(store.state).description == (isInvalidated ? "50 invalidated" : "5"))
        }
    }

    @Test func `R28 R29 a value read after an invalidation is newer than every archived value`() async throws {
        let next = Launch { _ in 6 }
        next.client.setValue(5, for: request)
        next.client.invalidate("number/*")
        try await next.fetch(request)
        next.clock.advance(by: .seconds(20))
        await next.client.hydrate(from: try await archive(50, at: 11), replacing: .olderValues)
        #expect(next.client.value(for: request) == 6)
    }

    @Test func `R28 an archived value does not replace the value of an open stream, even if that is older`() async throws {
        let (values, source) = AsyncStream.makeStream(of: Int.self)
        let stream = Ticks(source: values).archived()
        let former = Launch(.seconds(11))
        former.client.setValue(50, for: stream)
        let next = Launch()
        let store = next.client.store(for: stream)
        let received = Recorder<String>()
        let subscription = store.record(received)
        source.yield(1)
        await reaches { store.value == 1 }
        next.clock.advance(by: .seconds(20))
        await next.client.hydrate(from: try await former.client.dehydrate(), replacing: .olderValues)
        #expect(store.value == 1)
        subscription.cancel()
        source.finish()
    }

    @Test func `R28 R22 a mutation's layer is applied to the replaced value`() async throws {
        let gate = Gate()
        let next = Launch()
        let store = next.client.store(for: request)
        store.setValue(5)
        next.clock.advance(by: .seconds(20))
        let call = try next.client.store(for: Raise(gate: gate)).submit(100)
        #expect(store.value == 105)
        await next.client.hydrate(from: try await archive(50, at: 11), replacing: .olderValues)
        #expect(store.value == 150)
        await gate.arrived()
        gate.fail(with: TestError())
        _ = try? await call.value
        await next.client.settled()
        #expect(store.value == 50)
    }

    @Test func `R28 only values that are newer are decoded`() async throws {
        let decoded = Recorder<Int>()
        let counted = counted(decoded)
        let former = Launch(.seconds(11))
        former.client.setValue(50, for: counted)
        let archive = try await former.client.dehydrate()
        for (seconds, count) in [(11, 0), (10, 1)] {
            let next = Launch(.seconds(seconds))
            next.client.setValue(5, for: counted)
            next.clock.advance(by: .seconds(20))
            await next.client.hydrate(from: archive, replacing: .olderValues)
            #expect(decoded.take().count == count)
        }
    }

    @Test func `R28 R16 R17 R19 writes, invalidations, removals and new sessions during decoding take effect`() async throws {
        let earlier = { @Sendable (clock: ManualClock) in QueryTimestamp(date: Launch.day.addingTimeInterval(1), clock: clock) }
        for (change, shown): (@Sendable (QueryClient, ManualClock) -> Void, String) in [
            ({ _, _ in }, "50"),
            ({ client, _ in client.setValue(7, for: Number(1)) }, "7"),
            ({ client, _ in client.invalidate("number/*") }, "50 invalidated"),
            ({ client, _ in client.store(for: Number(1)).invalidate() }, "50 invalidated"),
            ({ client, _ in client.remove("number/*") }, "idle"),
            ({ client, _ in client.clear() }, "idle"),
            ({ client, _ in client.reset(session: "b") }, "idle"),
            // Another value, which is older too.
            ({ client, clock in client.store(for: Number(1)).core.write(.success(AnyValue(8)), at: earlier(clock)) }, "50"),
        ] {
            let next = Launch()
            let interruption = Lock<(@Sendable () -> Void)?>(nil)
            let request = interrupted(by: interruption)
            let store = next.client.store(for: request)
            store.setValue(5)
            next.clock.advance(by: .seconds(20))
            interruption.withLock { $0 = { [client = next.client, clock = next.clock] in change(client, clock) } }
            let former = Launch(.seconds(11))
            former.client.setValue(50, for: request)
            await next.client.hydrate(from: try await former.client.dehydrate(), replacing: .olderValues)
            #expect(interruption.withLock { $0 == nil })
            #expect(StateSummary(store.state).description == shown)
        }
    }

    @Test func `R28 a value of another session is kept for it, even if the store has an older value`() async throws {
        let next = Launch(session: "b")
        next.client.setValue(5, for: request)
        next.clock.advance(by: .seconds(20))
        await next.client.hydrate(from: try await archive(50, at: 11, session: "a"), replacing: .olderValues)
        #expect(next.client.store(for: request).value == 5)
        next.client.reset(session: "a")
        #expect(next.client.store(for: request).value == 50)
    }

    // MARK: Requests

    private func counted(_ decoded: Recorder<Int>) -> some QueryRequest<Int, QueryState<Int?, Int>> {
        Number(1).setting { $0.settings.persistence = Self.coding { decoded.note(1) } }
    }

    private func interrupted(by action: Lock<(@Sendable () -> Void)?>) -> some QueryRequest<Int, QueryState<Int?, Int>> {
        let coding = Self.coding {
            let due = action.withLock { action in
                defer { action = nil }
                return action
            }
            due?()
        }
        return Number(1).setting { $0.settings.persistence = coding }
    }

    private static func coding(_ happens: @escaping @Sendable () -> Void) -> QueryPersistence {
        QueryPersistence(
            version: 1,
            encode: { try ValueCoding.encode($0.unboxed(as: Int.self)) },
            decode: {
                happens()
                return AnyValue(try ValueCoding.decode(Int.self, from: $0))
            }
        )
    }
}

private struct Ticks: StreamRequest {
    static let storedName = "Ticks"

    let source: AsyncStream<Int>

    var path: QueryPath { ["ticks"] }

    static func == (left: Ticks, right: Ticks) -> Bool { true }

    func hash(into hasher: inout Hasher) {}

    @concurrent
    func stream(in context: QueryContext) async throws -> AsyncStream<Int> { source }
}

private struct Raise: MutationRequest {
    let gate: Gate

    static func == (left: Raise, right: Raise) -> Bool { true }

    func hash(into hasher: inout Hasher) {}

    func mutate(with amount: Int, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        try await gate.pass()
        return amount
    }

    func optimistic(with amount: Int, in layers: inout QueryLayers) { layers.update(Number(1)) { $0 += amount } }
}
