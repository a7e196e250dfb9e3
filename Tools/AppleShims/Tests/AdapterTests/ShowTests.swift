import QueryKit
import QueryKitTesting
import SwiftUI
import TestSupport
import Testing

/// A screen that declares one number and shows another at the press of a button.
private struct NumberScreen: View {
    @State.Query var number: Number.State

    init(_ id: Int, isEnabled: Bool = true) { _number = State.Query(Number(id).ttl(.infinity).enabled(isEnabled)) }

    var body: some View {
        Text(StateSummary(number).description)
        Button("show 2") { $number.show(Number(2).ttl(.infinity)) }
        Button("show 1") { $number.show(Number(1).ttl(.infinity)) }
    }
}

/// The same with a default.
private struct DefaultedScreen: View {
    @State.Query(Number(1).ttl(.infinity), default: 0) var number

    var body: some View {
        Text("\(number)")
        Button("show 2") { $number.show(Number(2).ttl(.infinity)) }
    }
}

/// What a view draws after `$x.show(_:)`.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct ShowTests {
    /// The gate where the fetch of 2 waits.
    private let gate = Gate()
    private let bench: TestBench
    private var client: QueryClient { bench.client }

    init() {
        bench = TestBench { [gate] call in
            if call.id == 2 { try await gate.pass() }
            return call.id * 100 + call.number
        }
    }

    /// The number that is drawn, without the buttons.
    private func number(_ host: ViewHost<some View>) -> String? { host.draw().first }

    private func mount(_ host: ViewHost<some View>) async {
        _ = host.draw()
        await client.settled()
    }

    @Test func `a view draws the request that it shows, also after later redraws`() async {
        let host = ViewHost(NumberScreen(1).client(client))
        await mount(host)
        #expect(number(host) == "101")
        host.press("[show 2]")
        #expect(number(host) == "loading")
        gate.open()
        await client.settled()
        for _ in 0..<3 { #expect(number(host) == "202") }
        // A parent that is redrawn declares the same request again.
        host.replace(with: NumberScreen(1).client(client))
        #expect(number(host) == "202")
        client.setValue(9, for: Number(2))
        await client.settled()
        #expect(number(host) == "9")
        #expect(client.store(for: Number(1)).subscriberCount == 0)
        host.press("[show 1]")
        #expect(number(host) == "101")
    }

    @Test func `a view with a default draws the request that it shows`() async {
        let host = ViewHost(DefaultedScreen().client(client))
        await mount(host)
        #expect(number(host) == "101")
        host.press("[show 2]")
        #expect(number(host) == "0")
        gate.open()
        await client.settled()
        for _ in 0..<3 { #expect(number(host) == "202") }
    }

    @Test func `a view that declares another request or client draws that one`() async {
        gate.open()
        let host = ViewHost(NumberScreen(1).client(client))
        await mount(host)
        host.press("[show 2]")
        await client.settled()
        host.replace(with: NumberScreen(3).client(client))
        _ = host.draw()
        await client.settled()
        #expect(number(host) == "303")
        host.press("[show 2]")
        #expect(number(host) == "202")
        let other = TestBench { _ in 7 }
        host.replace(with: NumberScreen(3).client(other.client))
        _ = host.draw()
        await other.client.settled()
        #expect(number(host) == "7")
    }

    @Test func `a declared request that is shown with other settings keeps them until its declaration changes`() async {
        let host = ViewHost(NumberScreen(1, isEnabled: false).client(client))
        await mount(host)
        #expect(number(host) == "idle")
        host.press("[show 1]")
        _ = host.draw()
        await client.settled()
        #expect(number(host) == "101")
        client.invalidate(.all)
        await client.settled()
        #expect(number(host) == "102")
        host.replace(with: NumberScreen(1, isEnabled: true).client(client))
        _ = host.draw()
        host.replace(with: NumberScreen(1, isEnabled: false).client(client))
        _ = host.draw()
        client.invalidate(.all)
        await client.settled()
        #expect(number(host) == "102 invalidated")
    }
}
