import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

struct InlineMutationTests {
    private let client = QueryClient.test()
    private let server = Lock(["Oslo"])

    private var trips: InlineQuery<[String]> { InlineQuery("trips/all") { [server] _ in server.withLock(\.self) } }

    private func add(at gate: Gate? = nil) -> InlineMutation<String, Int> {
        InlineMutation("trips/add") { [server] name, _ in
            try await gate?.pass()
            return server.withLock { trips in
                trips.append(name)
                return trips.count
            }
        }
    }

    @Test func `a call runs the closure with its arguments, and its history is kept by path and types`() async throws {
        #expect(try await client.mutate(add(), with: "Lisbon") == 2)
        #expect(server.withLock(\.self) == ["Oslo", "Lisbon"])
        let address = client.store(for: InlineMutation<String, Int>("trips/add"))
        #expect(address.state.history.map(\.arguments) == ["Lisbon"])
        #expect(address.value == 2)
        #expect(client.store(for: InlineMutation<Int, Int>("trips/add")).state.history.isEmpty)
    }

    @Test func `an inline mutation shows its layers at once and refetches what it invalidates`() async throws {
        let gate = Gate()
        let recorder = StateRecorder(client.store(for: trips))
        await client.settled()
        let mutation = add(at: gate)
            .optimistic { name, layers in layers.update(InlineQuery<[String]>("trips/all")) { if !$0.contains(name) { $0.append(name) } } }
            .invalidates("trips/*")
        let call = try client.submit(mutation, with: "Lisbon")
        #expect(client.store(for: trips).value == ["Oslo", "Lisbon"])
        #expect(client.store(for: trips).isOptimistic)
        gate.open()
        #expect(try await call.value == 2)
        await client.settled()
        #expect(client.store(for: trips).value == ["Oslo", "Lisbon"])
        #expect(!client.store(for: trips).isOptimistic)
        #expect(recorder.states.allSatisfy { $0.value == nil || $0.value == ["Oslo"] || $0.value == ["Oslo", "Lisbon"] })
    }

    @Test func `a failed inline mutation removes its layers`() async throws {
        client.setValue(["Oslo"], for: InlineQuery<[String]>("trips/all"))
        let mutation = InlineMutation<String, Int>("trips/add") { _, _ in throw Refusal() }
            .optimistic { name, layers in layers.update(InlineQuery<[String]>("trips/all")) { $0.append(name) } }
        await #expect(throws: Refusal.self) { try await client.mutate(mutation, with: "Lisbon") }
        #expect(client.value(for: InlineQuery<[String]>("trips/all")) == ["Oslo"])
    }

    @Test func `several patterns and layers of an inline mutation are combined`() async throws {
        client.setValue(0, for: InlineQuery<Int>("a"))
        client.setValue(0, for: InlineQuery<Int>("b"))
        let mutation = InlineMutation<Int, Void>("add") { _, _ in }
            .optimistic { number, layers in layers.update(InlineQuery<Int>("a")) { $0 += number } }
            .optimistic { number, layers in layers.update(InlineQuery<Int>("a")) { $0 *= 10 } }
            .invalidates("a")
            .invalidates { _, _ in ["b"] }
        let call = try client.submit(mutation, with: 3)
        #expect(client.store(for: InlineQuery<Int>("a")).value == 30)
        try await call.value
        #expect(client.store(for: InlineQuery<Int>("a")).isInvalidated)
        #expect(client.store(for: InlineQuery<Int>("b")).isInvalidated)
    }

    @Test func `a call without a closure has the layers, patterns and scope of the closure that it runs`() async throws {
        let gate = Gate()
        client.setValue(["Oslo"], for: trips)
        client.setValue(0, for: InlineQuery<Int>("own"))
        let full = client.store(
            for: add(at: gate)
                .optimistic { name, layers in layers.update(InlineQuery<[String]>("trips/all")) { $0.append(name) } }
                .invalidates("trips/*")
                .scope("trips")
        )
        let observer = full.subscribe(with: QueryEventHandler())
        let address = InlineMutation<String, Int>("trips/add").invalidates("own")
        let calls = [try client.submit(address, with: "Lisbon"), try client.submit(address, with: "Rome")]
        #expect(client.value(for: trips) == ["Oslo", "Lisbon", "Rome"])
        await gate.arrived()
        #expect(gate.arrivals == 1, "the second call waits for its turn in the scope")
        gate.open()
        for call in calls { _ = try await call.value }
        await client.settled()
        #expect(client.store(for: trips).isInvalidated && client.store(for: InlineQuery<Int>("own")).isInvalidated)
        #expect(server.withLock(\.self) == ["Oslo", "Lisbon", "Rome"])
        observer.cancel()
    }

    @Test func `a call without a closure keeps the one that it runs, until it is over`() async throws {
        let gate = Gate()
        let observer = client.store(for: add(at: gate).scope("trips")).subscribe(with: QueryEventHandler())
        let address = InlineMutation<String, Int>("trips/add")
        let calls = [try client.submit(address, with: "Lisbon"), try client.submit(address, with: "Rome")]
        await gate.arrived()
        observer.cancel()
        gate.open()
        for call in calls { _ = try await call.value }
        #expect(server.withLock(\.self) == ["Oslo", "Lisbon", "Rome"])
    }

    @Test func `calls of one scope run in order, each with its own closure`() async throws {
        let gate = Gate()
        let order = Recorder<String>()
        func step(_ name: String) -> InlineMutation<Void, Void> {
            InlineMutation("step", name) { _, _ in
                try await gate.pass()
                order.note(name)
            }.scope("line")
        }
        let calls = try ["a", "b", "c"].map { try client.submit(step($0), with: ()) }
        await gate.holds()
        await client.settled()
        #expect(gate.heldCount == 1)
        gate.open()
        for call in calls { try await call.value }
        #expect(order.all == ["a", "b", "c"])
    }

    @Test func `a call without a closure is refused`() async throws {
        let error = await #expect(throws: QueryError.self) { try await client.mutate(InlineMutation<Int, Int>("nothing"), with: 1) }
        #expect(error?.message == "The mutation nothing has no closure. Write InlineMutation(path) { arguments, context in … }.")
    }

    @Test func `an inline mutation finds its dependencies in the context and can be retried`() async throws {
        let failures = Lock(2)
        let mutation = InlineMutation<Int, Int>("number") { number, _ in
            try failures.withLock { left in
                guard left == 0 else {
                    left -= 1
                    throw Refusal()
                }
            }
            return number
        }
        #expect(try await client.mutate(mutation.retry(limit: 2, backoff: .constant(.zero)), with: 5) == 5)
    }
}

private struct Refusal: Error {}
