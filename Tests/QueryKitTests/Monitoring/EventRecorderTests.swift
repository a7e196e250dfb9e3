import TestSupport
import Testing

@testable import QueryKit

struct EventRecorderTests {
    /// A request that notes when its path is asked for.
    private struct Traced: QueryRequest {
        let asked: Recorder<Int>

        static func == (left: Traced, right: Traced) -> Bool { true }
        func hash(into hasher: inout Hasher) {}

        var path: QueryPath {
            asked.note(1)
            return "traced"
        }

        func fetch(in context: QueryContext, with continuation: QueryContinuation<DeinitObserver>) async throws -> DeinitObserver {
            DeinitObserver()
        }
    }

    @Test func `R27 a recorder keeps the same events as a stream, in order, until they are taken`() async throws {
        let bench = TestBench()
        var stream = bench.client.events.makeAsyncIterator()
        let (recorder, subscription) = bench.client.record(limit: 100)
        let observer = bench.client.store(for: Number()).record(Recorder())
        await bench.client.settled()
        bench.backend.behave { _ in throw TestError() }
        bench.client.invalidate("number/*")
        await bench.client.settled()
        bench.clock.advance(by: .seconds(100))
        await bench.client.settled()
        observer.cancel()
        bench.client.remove(.all)
        let events = recorder.take()
        #expect(events.map(\.kind).starts(with: [.runStarted, .runSucceeded, .changed, .runStarted, .attemptFailed]))
        #expect(events.last?.kind == .storeRemoved)
        for event in events {
            let other = try #require(await stream.next())
            #expect(event.description == other.description)
            #expect((event.instant, event.store, event.path) == (other.instant, other.store, other.path))
        }
        #expect(recorder.take().isEmpty)
        _ = try? await bench.client.fetch(Number())
        #expect(recorder.take().map(\.kind) == [.runStarted, .runFailed])
        subscription.cancel()
        _ = try? await bench.client.fetch(Number())
        #expect(recorder.take().isEmpty)
    }

    @Test func `R27 events of a former session and of a deallocated client can still be taken, each with its path`() async throws {
        var bench: TestBench? = TestBench()
        let (recorder, subscription) = try #require(bench).client.record(limit: 100)
        _ = try await bench?.client.fetch(Number(1))
        bench?.client.reset(session: "next")
        await bench?.client.settled()
        _ = try await bench?.client.fetch(Number(2))
        weak let client = bench?.client
        bench = nil
        #expect(await reaches { client == nil })
        let runs = recorder.take().filter { $0.kind == .runSucceeded }
        #expect(runs.map(\.path) == [Number(1).path, Number(2).path])
        subscription.cancel()
        #expect(recorder.take().isEmpty)
    }

    @Test func `R27 events beyond the limit of a recorder are lost and counted`() async throws {
        let bench = TestBench()
        let (recorder, subscription) = bench.client.record(limit: 3)
        for _ in 0..<2 {
            for id in 1...2 { _ = try await bench.client.fetch(Number(id)) }
            #expect(recorder.take().map(\.description).suffix(1) != [])
        }
        #expect(bench.client.droppedEventCount == 2)
        #expect(bench.client.core.wantsEvents)
        subscription.cancel()
        #expect(!bench.client.core.wantsEvents)
        _ = try await bench.client.fetch(Number())
        #expect(bench.client.droppedEventCount == 2)
    }

    @Test func `R27 a path is asked for when events are taken, and no value is kept until then`() async throws {
        let client = QueryClient(configuration: .isolated)
        let asked = Recorder<Int>()
        let request = Traced(asked: asked)
        _ = try await client.fetch(request)
        let (recorder, subscription) = client.record(limit: 100)
        let before = asked.count
        weak let value = try await client.fetch(request)
        #expect(asked.count == before)
        client.clear()
        // The task of a run ends shortly after its callers were resumed.
        #expect(await soon { value == nil })
        #expect(recorder.take().prefix(2).map(\.path) == ["traced", "traced"])
        #expect(asked.count > before)
        subscription.cancel()
    }
}
