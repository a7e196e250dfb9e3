import Observation
import SwiftUI
import Testing

/// A model without isolation, so that a test can change it on any thread.
// Invariant: the tests change it on one thread at a time.
@Observable
private final class Counter: @unchecked Sendable {
    var count = 0
}

private struct CounterView: View {
    let counter: Counter
    @State private var bonus = 10

    var body: some View { Text("\(counter.count + bonus)") }
}

/// Tests of the replacements themselves: a host that accepts everything would look like one that found no errors.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct ViewHostTests {
    @Test func `a view is redrawn when an object that it has read changes`() async {
        let counter = Counter()
        let host = ViewHost(CounterView(counter: counter))
        #expect(host.draw() == ["10"])
        #expect(!host.isDirty)
        counter.count = 1
        #expect(host.isDirty)
        #expect(await host.drawChange() == ["11"])
    }

    @Test func `a change off the main actor traps`() async {
        await #expect(processExitsWith: .failure) {
            await MainActor.run {
                let counter = Counter()
                _ = ViewHost(CounterView(counter: counter)).draw()
                return counter
            }.count = 1
        }
    }

    @Test func `the same change on the main actor does not trap`() async {
        await #expect(processExitsWith: .success) {
            await MainActor.run {
                let counter = Counter()
                _ = ViewHost(CounterView(counter: counter)).draw()
                counter.count = 1
            }
        }
    }
}
