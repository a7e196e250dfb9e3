import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

private let table = QueryRegion(source: "diary", name: "entries")

/// A mutation that changes a table and invalidates a request.
private struct Edit: MutationRequest {
    var path: QueryPath { ["edit"] }

    func mutate(with id: Int, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        context.queryClient?.changed([table])
        return id
    }

    func invalidates(with id: Int, value: Int) -> [QueryPattern] { [.path(["number", id])] }
}

/// A request that is invalidated when the number it depends on changes.
private struct Double: QueryRequest {
    var path: QueryPath { "double" }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        try await 2 * (context.queryClient?.fetch(Number().ttl(.infinity)) ?? 0)
    }
}

struct OriginTests {
    private let bench = TestBench { call in
        if call.id == 1 { QueryReads.note([table]) }
        return call.number
    }

    /// The events sent during a closure, as "kind path origin".
    private func events(during body: (QueryClient) async throws -> Void) async rethrows -> [String] {
        let recorder = Recorder<QueryEvent>()
        let (done, continuation) = AsyncStream.makeStream(of: Void.self)
        struct Sink: QueryEventSink {
            let note: @Sendable (QueryEvent) -> Void
            func receive(_ event: QueryEvent) { note(event) }
        }
        let sink = bench.client.attach(
            Sink { event in
                if event.kind == .alertCleared || event.path == ["end"] { continuation.finish() } else { recorder.note(event) }
            }
        )
        try await body(bench.client)
        await bench.client.settled()
        bench.client.core.report(QueryEvent(kind: .hit, path: ["end"], cause: .manual, instant: .zero))
        for await _ in done {}
        sink.cancel()
        return recorder.all.map { event in
            event.kind == .changed
                ? "changed \(event.path) \(event.origin?.description ?? "")" : "\(event.kind) \(event.path) \(number(event))"
        }
    }

    private func number(_ event: QueryEvent) -> String { event.origin.map { "of #\($0.number)" } ?? "of none" }

    /// Observes number 1 and waits for its first value.
    private func observed() async -> QuerySubscription {
        let subscription = bench.client.store(for: Number()).record(Recorder())
        await bench.client.settled()
        return subscription
    }

    @Test func `R27 the runs that an invalidation causes have its origin, which is reported once`() async throws {
        let subscriptions = [1, 2].map { bench.client.store(for: Number($0)).record(Recorder()) }
        await bench.client.settled()
        let all = await events { $0.invalidate("number/*") }
        #expect(all.first == "changed  #1 invalidation number/*")
        #expect(
            all.dropFirst().sorted() == [
                "runStarted number/1 of #1", "runStarted number/2 of #1", "runSucceeded number/1 of #1", "runSucceeded number/2 of #1",
            ]
        )
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func `R27 a commit is the origin of the runs that read what it changed`() async throws {
        let subscription = await observed()
        let today = QueryRegion(source: "diary", name: "entries", partition: "today")
        let all = await events {
            $0.changed([today])
            $0.changed([table], cause: .otherProcess)
        }
        #expect(
            all.filter { $0.hasPrefix("changed") } == ["changed  #1 commit \(today)", "changed  #2 otherProcess diary/entries"]
        )
        #expect(all.contains("runStarted number/1 of #1"))
        #expect(bench.client.store(for: Number()).state.cause.origin?.regions == [table])
        subscription.cancel()
    }

    @Test func `R27 an origin lists at most 16 regions and counts all`() async throws {
        let subscription = await observed()
        let regions = (1...40).map { QueryRegion(source: "diary", name: "entries", row: "\($0)") }
        let all = await events { $0.changed(regions) }
        #expect(all.first == "changed  #1 commit \(regions[0]) \(regions[1]) and 38 more")
        let origin = try #require(bench.client.store(for: Number()).state.cause.origin)
        #expect(origin.regions == Array(regions.prefix(16)))
        #expect(origin.regionCount == 40)
        subscription.cancel()
    }

    @Test func `R27 what a mutation changes, and what its success invalidates, has the call in its origin`() async throws {
        let subscription = await observed()
        let all = try await events { _ = try await $0.mutate(Edit(), with: 1) }
        #expect(
            all.filter { !$0.contains("number") || $0.hasPrefix("changed") } == [
                "mutationStarted edit of #1", "runStarted edit of #1", "changed edit #2 commit diary/entries in edit call 1",
                "runSucceeded edit of #1", "mutationSucceeded edit of #1", "changed edit #3 invalidation number/1 in edit call 1",
            ]
        )
        #expect(all.contains("runStarted number/1 of #2"))
        #expect(all.contains("runStarted number/1 of #3"))
        subscription.cancel()
    }

    @Test func `R27 tags, refetches, resets, sessions and triggers are origins`() async throws {
        let subscription = bench.client.store(for: Number().tagged("a").polling(every: .seconds(60))).record(Recorder())
        await bench.client.settled()
        let all = await events { client in
            client.invalidate(tags: ["a", "b"])
            await client.settled()
            client.refetch("number/**")
            await client.settled()
            client.reset(["number", 1])
            await client.settled()
            client.store(for: Number()).invalidate()
            await client.settled()
            client.reset(session: "other")
            await client.settled()
            bench.clock.advance(by: .seconds(60))
        }
        #expect(
            all.filter { !$0.hasPrefix("runSucceeded") } == [
                "changed  #1 tags a b", "runStarted number/1 of #1", "changed  #2 refetch number/**", "runStarted number/1 of #2",
                "changed  #3 reset number/1", "runStarted number/1 of #3",
                "changed  #4 invalidation number/1", "runStarted number/1 of #4", "changed  #5 session", "runStarted number/1 of #5",
                "changed  #6 trigger every 60.0 seconds", "runStarted number/1 of #6",
            ]
        )
        subscription.cancel()
    }

    @Test func `R27 a write is an origin only if it overtakes a run, which another run follows`() async throws {
        let subscription = await observed()
        let gate = Gate()
        bench.backend.behave { call in
            if call.number == 2 { try await gate.pass() }
            return call.number
        }
        let all = await events { client in
            client.setValue(7, for: Number())
            client.store(for: Number()).refetch()
            await gate.arrived()
            client.setValue(8, for: Number())
            gate.open()
        }
        #expect(
            all == [
                "runStarted number/1 of none", "changed  #1 write number/1", "resultDropped number/1 of none", "runStarted number/1 of #1",
                "runSucceeded number/1 of #1",
            ]
        )
        subscription.cancel()
    }

    @Test func `R27 a request that depends on another runs with the origin of the other's change`() async throws {
        let subscription = bench.client.store(for: Double().ttl(.infinity).dependent(on: Number().ttl(.infinity))).subscribe(
            with: QueryEventHandler()
        )
        await bench.client.settled()
        let all = await events { $0.invalidate(["number", 1]) }
        #expect(all.contains("runStarted number/1 of #1"))
        #expect(all.contains("runStarted double of #1"))
        #expect(all.filter { $0.hasPrefix("changed") }.count == 1)
        subscription.cancel()
    }

    @Test func `R27 without a listener nothing has an origin`() async throws {
        let subscription = await observed()
        bench.client.invalidate("number/**")
        bench.client.changed([table])
        _ = try await bench.client.mutate(Edit(), with: 1)
        await bench.client.settled()
        #expect(bench.client.store(for: Number()).state.cause.origin == nil)
        // The first origin that a listener causes has the first number.
        #expect(await events { $0.invalidate("number/**") }.first == "changed  #1 invalidation number/**")
        subscription.cancel()
    }

    @Test func `R27 causes are equal whether or not they have an origin`() {
        let origin = QueryOrigin(number: 1, .invalidation, in: nil, .pattern("a"))
        #expect(QueryCause.invalidated("a").from(origin) == .invalidated("a"))
        #expect(QueryCause.invalidated("a").from(origin).hashValue == QueryCause.invalidated("a").hashValue)
        #expect(QueryCause.invalidated("a").from(origin).description == "invalidated(a)")
        #expect(QueryCause.trigger("t").from(origin).trigger == "t")
    }
}
