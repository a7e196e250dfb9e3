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

@MainActor
@Observable
private final class Navigator {
    var path: [Int] = []
}

private struct StackView: View {
    let navigator: Navigator

    var body: some View {
        let path = navigator.path
        NavigationStack(path: Binding(get: { path }, set: { navigator.path = $0 })) {
            Text("root")
                .navigationTitle("Numbers")
                .navigationDestination(for: Int.self) { number in
                    TextField("Number", text: Binding(get: { "\(number)" }, set: { _ in }))
                }
        }
    }
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

    @Test func `a navigation stack shows its root, or the screen of the last element of its path`() {
        let navigator = Navigator()
        let host = ViewHost(StackView(navigator: navigator))
        #expect(host.draw() == ["root"])
        navigator.path = [1, 2]
        #expect(host.isDirty)
        #expect(host.draw() == ["Number \"2\""])
        navigator.path = []
        #expect(host.draw() == ["root"])
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
