import Observation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

@MainActor
struct QueryMirrorTests {
    private let bench = TestBench()
    private var client: QueryClient { bench.client }
    private var store: QueryStore<Number.State> { client.store(for: Number().enabled(false)) }

    private func glance(_ mirror: QueryMirror<Number.State>) -> String { StateSummary(mirror.state).description }

    @Test func `a new mirror subscribes, shows the loading state at once, and then the result`() async {
        let gate = Gate()
        bench.backend.behave { _ in
            try await gate.pass()
            return 5
        }
        let mirror = QueryMirror(Number(), client: client)
        #expect(glance(mirror) == "loading")
        #expect(mirror.store.subscriberCount == 1)
        #expect(await change(of: { glance(mirror) }, after: { gate.open() }) == "5")
        #expect(mirror.value == 5)
        #expect(mirror.status.success == 5)
    }

    @Test func `a mirror's value stays the same until the main actor is free`() async {
        let store = store
        let mirror = QueryMirror(store)
        await withCheckedContinuation { continuation in
            withObservationTracking {
                _ = mirror.value
            } onChange: {
                continuation.resume()
            }
            store.setValue(1)
            store.setValue(2)
            #expect(mirror.value == nil)
        }
        #expect(mirror.value == 2)
    }

    @Test func `many changes in a row are one update of a mirror, and the last value is not lost`() async {
        let store = store
        let mirror = QueryMirror(store)
        let reads = Recorder<Int?>()
        watch { reads.note(mirror.value) }
        let value = await change(of: { mirror.value }, after: { for value in 1...100 { store.setValue(value) } })
        #expect(value == 100)
        // Observers are called once the mirror shows the new state.
        #expect(reads.all == [nil, 100])
    }

    @Test func `values written through the mirror are shown at once`() {
        let mirror = QueryMirror(store)
        mirror.setValue(3)
        #expect(mirror.value == 3)
        #expect(mirror.updateValue { $0 += 1 })
        #expect(mirror.value == 4)
        #expect(throws: TestError.self) { try mirror.updateValue { _ in throw TestError() } }
        #expect(store.value == 4)
    }

    @Test func `a mirror stays subscribed until it is deallocated`() {
        let store = store
        do {
            let mirror = QueryMirror(store)
            #expect(store.subscriberCount == 1)
            withExtendedLifetime(mirror) {}
        }
        #expect(store.subscriberCount == 0)
    }

    @Test func `a mirror made from a request keeps its client alive`() async throws {
        let mirror = QueryMirror(Number().enabled(false), client: QueryClient(configuration: .isolated))
        #expect(mirror.store.context.queryClient != nil)
        #expect(QueryClient.with(client) { QueryMirror(Number().enabled(false)) }.store == store)
    }

    @Test func `a mirror that switches to another request shows the previous value if the request asks for it`() async throws {
        _ = try await client.fetch(Number(1).keepingPrevious())
        let mirror = QueryMirror(Number(1).keepingPrevious().ttl(.infinity), client: client)
        let gate = Gate()
        bench.backend.behave { call in
            try await gate.pass()
            return 100 + call.id
        }
        let shown = await change(of: { glance(mirror) }, after: { mirror.show(Number(2).keepingPrevious()) })
        #expect(shown == "loading shows 1")
        #expect(client.store(for: Number(1)).subscriberCount == 0)
        #expect(await change(of: { glance(mirror) }, after: { gate.open() }) == "102")
        client.setValue(9, for: Number(1))
        #expect(await change(of: { mirror.value }, after: { client.setValue(8, for: Number(2)) }) == 8)
    }

    @Test func `showing the same store again changes nothing`() {
        let mirror = QueryMirror(store)
        mirror.show(store)
        mirror.show(Number().enabled(false))
        #expect(store.subscriberCount == 1)
    }

    @Test func `fetching through a mirror runs the request`() async throws {
        let mirror = QueryMirror(store)
        #expect(try await mirror.fetch() == 1)
        await client.settled()
        #expect(mirror.store.value == 1)
    }
}
