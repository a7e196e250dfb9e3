import Foundation
import QueryKit
import TestSupport
import Testing

struct SinkTests {
    /// A sink that forwards what it receives, and waits first if it has a door.
    private final class Relay: QueryEventSink {
        private let lines: AsyncStream<String>.Continuation
        private let door: DispatchSemaphore?

        init(lines: AsyncStream<String>.Continuation, door: DispatchSemaphore? = nil) {
            self.lines = lines
            self.door = door
        }

        func receive(_ event: QueryEvent) {
            lines.yield(event.description)
            door?.wait()
        }

        /// No longer called from here on.
        deinit { lines.finish() }
    }

    @Test func `R27 a sink receives the events in order until it is detached`() async throws {
        let bench = TestBench()
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        var subscription: QuerySubscription? = bench.client.attach(Relay(lines: continuation))
        for _ in 0..<2 { _ = try await bench.client.fetch(Number().ttl(.infinity)) }
        var lines = stream.makeAsyncIterator()
        #expect(await lines.next() == "miss number/1 (manual)")
        #expect(await lines.next() == "runStarted number/1 (manual) #1")
        #expect(await lines.next() == "runSucceeded number/1 (manual) #1 0 ns")
        #expect(await lines.next() == "hit number/1 (manual)")
        subscription?.cancel()
        _ = try await bench.client.fetch(Number().ttl(.infinity))
        subscription = nil
        #expect(await lines.next() == nil)
        #expect(bench.client.droppedEventCount == 0)
    }

    @Test func `R27 a blocked sink does not block the client, and the events it misses are counted`() async throws {
        let bench = TestBench()
        let door = DispatchSemaphore(value: 0)
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        let subscription = bench.client.attach(Relay(lines: continuation, door: door))
        bench.client.setValue(0, for: Number())
        let request = Number().ttl(.infinity)
        _ = try await bench.client.fetch(request)
        var lines = stream.makeAsyncIterator()
        #expect(await lines.next() == "hit number/1 (manual)")
        // The sink holds the first event and does not return; a thousand more fit, five don't.
        for _ in 0..<1_005 { #expect(try await bench.client.fetch(request) == 0) }
        #expect(bench.client.droppedEventCount == 5)
        #expect(bench.client.metrics.droppedEventCount == 5)
        for _ in 0..<1_001 { door.signal() }
        for _ in 0..<1_000 { #expect(await lines.next() == "hit number/1 (manual)") }
        subscription.cancel()
        door.signal()
    }

    @Test func `R27 a detached sink receives no events that were still queued`() async throws {
        let bench = TestBench()
        let door = DispatchSemaphore(value: 0)
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        var subscription: QuerySubscription? = bench.client.attach(Relay(lines: continuation, door: door))
        bench.client.setValue(0, for: Number())
        for _ in 0..<3 { _ = try await bench.client.fetch(Number().ttl(.infinity)) }
        var lines = stream.makeAsyncIterator()
        #expect(await lines.next() != nil)
        #expect(subscription != nil)
        subscription = nil
        door.signal()
        #expect(await lines.next() == nil)
        #expect(bench.client.droppedEventCount == 0)
    }

    @Test func `R27 a sink receives the queued events after its client was deallocated`() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        var bench: TestBench? = TestBench()
        let subscription = try #require(bench).client.attach(Relay(lines: continuation))
        _ = try await bench?.client.fetch(Number().ttl(.infinity))
        bench = nil
        var lines = stream.makeAsyncIterator()
        for start in ["miss", "runStarted", "runSucceeded"] { #expect(await lines.next()?.hasPrefix(start) == true) }
        subscription.cancel()
    }

    @Test func `R27 printed lines omit error messages unless they are included explicitly`() async throws {
        let bench = TestBench { _ in throw TestError("secret") }
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        let discreet = bench.client.attach(PrintEventSink { continuation.yield($0) })
        _ = try? await bench.client.store(for: Number()).fetch()
        var lines = stream.makeAsyncIterator()
        _ = await lines.next()
        #expect(await lines.next() == "runFailed number/1 (manual) #1 0 ns TestError")
        discreet.cancel()
        let open = bench.client.attach(PrintEventSink(includesErrors: true) { continuation.yield($0) })
        _ = try? await bench.client.store(for: Number()).fetch()
        #expect(await lines.next() == "runStarted number/1 (manual) #2")
        #expect(await lines.next() == "runFailed number/1 (manual) #2 0 ns TestError: secret")
        open.cancel()
    }
}
