import QueryKit
import TestSupport
import Testing

extension Compositions {
    /// Settings that a store takes over from an earlier equal request.
    struct KnownSettingsTests {
        @Test func `R30 a modifier around a request applies to that request only`() async throws {
            let client = TestBench { call in call.id }.client
            let inner = Number(1).ttl(.zero)
            #expect(try await client.fetch(inner.modifier(Doubled())) == 2)
            #expect(try await client.fetch(Number(1).ttl(.zero)) == 1)
            #expect(try await client.fetch(inner.modifier(Doubled())) == 2)
        }

        @Test func `R30 requests whose modifiers have different values use their own settings`() async throws {
            let bench = TestBench { call in call.number }
            #expect(try await bench.client.fetch(Number(1).ttl(.seconds(60))) == 1)
            #expect(try await bench.client.fetch(Number(1).ttl(.seconds(60))) == 1)
            bench.clock.advance(by: .seconds(30))
            #expect(try await bench.client.fetch(Number(1).ttl(.seconds(10))) == 2)
            bench.clock.advance(by: .seconds(30))
            #expect(try await bench.client.fetch(Number(1).ttl(.seconds(60)).keep(for: .seconds(600))) == 2)
            #expect(try await bench.client.fetch(Number(1).ttl(.seconds(10)).keep(for: .seconds(600))) == 3)
        }

        @Test func `R30 settings of an ended session are not reused`() async throws {
            let client = TestBench { call in call.id }.client
            _ = try await client.fetch(Number(1).ttl(.infinity))
            client.reset(session: "next")
            let store = client.store(for: Number(1).ttl(.infinity))
            #expect(store.context.session == "next")
            #expect(try await store.fetch() == 1)
        }

        @Test func `R30 onEvent of an observer continues in a new session, once per event`() async {
            let received = Recorder<String>()
            let request = Number().enabled(false).onEvent(
                QueryEventHandler(onResultReceived: { _, context in received.note(context.session ?? "none") })
            )
            let client = TestBench().client
            let handle = client.store(for: request)
            let subscriptions = [handle.record(Recorder()), client.store(for: request.ttl(.infinity)).record(Recorder())]
            client.setValue(1, for: Number())
            client.reset(session: "next")
            client.setValue(2, for: Number())
            #expect(received.all == ["none", "none", "next", "next"])
            for subscription in subscriptions { subscription.cancel() }
            withExtendedLifetime(handle) {}
        }
    }
}

private struct Doubled<Request: QueryRequest>: QueryModifier where Request.Value == Int {
    func fetch(
        in context: QueryContext,
        using request: Request,
        with continuation: QueryContinuation<Int>
    ) async throws -> Int {
        try await request.fetch(in: context, with: continuation) * 2
    }
}
