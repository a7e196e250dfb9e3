import QueryKit
import QueryKitTesting
import SwiftUI
import TestSupport
import Testing

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct StateQueryTests {
    private let bench = TestBench { call in call.id * 100 + call.number }
    private var client: QueryClient { bench.client }

    private func store(_ id: Int) -> QueryStore<Number.State> { client.store(for: Number(id)) }

    // MARK: Appearing

    @Test func `a view that appears fetches, and is redrawn with the result`() async {
        let gate = wait()
        let host = ViewHost(OneView().client(client))
        #expect(host.draw() == ["loading"])
        gate.open()
        #expect(await host.drawChange() == ["101"])
        #expect(bench.backend.fetched == [1])
        #expect(host.invalidationCount == 1)
    }

    @Test func `a view that appears with a fresh value shows it at once`() async throws {
        _ = try await client.fetch(Number(1))
        let host = ViewHost(NumberView(Number(1).ttl(.infinity)).client(client))
        #expect(host.draw() == ["101"])
        #expect(bench.backend.count == 1)
    }

    @Test func `drawing again without a change neither subscribes nor fetches again`() async {
        let host = ViewHost(NumberView(Number(1).placeholder(7)).client(client))
        let gate = wait()
        #expect(host.draw() == ["loading shows 7"])
        let revision = store(1).revision
        #expect(host.draw() == ["loading shows 7"])
        #expect(!host.isDirty)
        #expect(store(1).revision == revision)
        #expect(store(1).subscriberCount == 1)
        gate.open()
        #expect(await host.drawChange() == ["101"])
        #expect(bench.backend.count == 1)
    }

    @Test func `the initial value of a view is shown until the first result`() async {
        let gate = wait()
        let host = ViewHost(HeadStartView(request: Number(1)).client(client))
        #expect(host.draw() == ["50 loading"])
        gate.open()
        #expect(await host.drawChange() == ["101"])
    }

    @Test func `two views of one request share one fetch`() async {
        let gate = wait()
        let host = ViewHost(PairView(showsSecond: true).client(client))
        #expect(host.draw() == ["loading", "loading"])
        gate.open()
        #expect(await host.drawChange() == ["101", "101"])
        #expect(bench.backend.fetched == [1])
        #expect(store(1).subscriberCount == 2)
    }

    @Test func `a failure is shown, and the view is updated by the next run`() async {
        bench.backend.behave { _ in throw TestError() }
        let host = ViewHost(NumberView(Number(1).retry(limit: 0)).client(client))
        await host.draw(until: ["failed(broken) 1x"])
        bench.backend.behave { _ in 5 }
        store(1).invalidate()
        await host.draw(until: ["5"])
    }

    // MARK: Another request

    @Test func `with keepingPrevious a view that changes its request shows the old value until the new one is loaded`() async {
        let host = ViewHost(NumberView(Number(1).keepingPrevious()).client(client))
        await host.draw(until: ["101"])
        let gate = wait()
        host.replace(with: NumberView(Number(2).keepingPrevious()).client(client))
        #expect(host.draw() == ["loading shows 101"])
        #expect(store(1).subscriberCount == 0)
        #expect(store(2).subscriberCount == 1)
        gate.open()
        #expect(await host.drawChange() == ["202"])
        #expect(client.value(for: Number(1)) == 101)
    }

    @Test func `without keepingPrevious a new request begins without a value`() async {
        let host = ViewHost(NumberView(Number(1)).client(client))
        await host.draw(until: ["101"])
        let gate = wait()
        host.replace(with: NumberView(Number(2)).client(client))
        #expect(host.draw() == ["loading"])
        gate.open()
        #expect(await host.drawChange() == ["202"])
    }

    @Test func `later changes of the old request do not invalidate the view`() async {
        let host = ViewHost(NumberView(Number(1)).client(client))
        await host.draw(until: ["101"])
        host.replace(with: NumberView(Number(2)).client(client))
        await host.draw(until: ["202"])
        let count = host.invalidationCount
        store(1).setValue(9)
        store(2).setValue(8)
        #expect(await host.drawChange() == ["8"])
        #expect(host.invalidationCount == count + 1)
    }

    @Test func `a request that becomes enabled is fetched`() async {
        let host = ViewHost(NumberView(Number(1).enabled(false)).client(client))
        #expect(host.draw() == ["idle"])
        host.replace(with: NumberView(Number(1).enabled(true)).client(client))
        await host.draw(until: ["101"])
        #expect(store(1).subscriberCount == 1)
        host.replace(with: NumberView(Number(1).enabled(false)).client(client))
        #expect(host.draw() == ["101"])
        #expect(bench.backend.count == 1)
    }

    @Test func `another client in the environment switches the view to the store of that client`() async {
        let host = ViewHost(OneView().client(client))
        await host.draw(until: ["101"])
        let other = TestBench { _ in 7 }
        host.replace(with: OneView().client(other.client))
        await host.draw(until: ["7"])
        #expect(store(1).subscriberCount == 0)
    }

    @Test func `without a client in the environment the current client is used`() async {
        let gate = wait()
        let host = ViewHost(OneView())
        #expect(QueryClient.with(client) { host.draw() } == ["loading"])
        #expect(store(1).subscriberCount == 1)
        gate.open()
        host.unmount()
    }

    // MARK: Disappearing

    @Test func `a view that disappears unsubscribes, and a run without observers is cancelled`() async {
        let gate = wait()
        let host = ViewHost(OneView().client(client))
        _ = host.draw()
        await gate.arrived()
        host.unmount()
        #expect(store(1).subscriberCount == 0)
        await client.settled()
        #expect(StateSummary(store(1).state).description == "idle")
        #expect(client.runningCount() == 0)
    }

    @Test func `if one of two views disappears, the other one still receives the result`() async {
        let gate = wait()
        let host = ViewHost(PairView(showsSecond: true).client(client))
        _ = host.draw()
        await gate.arrived()
        host.replace(with: PairView(showsSecond: false).client(client))
        #expect(host.draw() == ["loading"])
        #expect(store(1).subscriberCount == 1)
        gate.open()
        #expect(await host.drawChange() == ["101"])
        #expect(bench.backend.count == 1)
    }

    // MARK: Where updates happen

    @Test func `changes from other threads reach the view on the main actor, combined`() async {
        let host = ViewHost(NumberView(Number(1).enabled(false)).client(client))
        #expect(host.draw() == ["idle"])
        let store = store(1)
        // The host traps if it is invalidated on any other thread.
        await Task.detached { for value in 1...1_000 { store.setValue(value) } }.value
        await host.draw(until: ["1000"])
        // No state is visible before the main actor is free.
        let count = host.invalidationCount
        store.setValue(1)
        store.setValue(2)
        store.setValue(3)
        #expect(host.draw() == ["1000"])
        #expect(await host.drawChange() == ["3"])
        #expect(host.invalidationCount == count + 1)
    }

    private func wait() -> Gate {
        let gate = Gate()
        bench.backend.behave { call in
            try await gate.pass()
            return call.id * 100 + call.number
        }
        return gate
    }
}
