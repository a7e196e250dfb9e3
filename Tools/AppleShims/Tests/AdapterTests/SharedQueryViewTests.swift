import Observation
import QueryKit
import QueryKitTesting
import SwiftUI
import TestSupport
import Testing

/// A view model as in an app, and a view that doesn't depend on queries.
@MainActor @Observable final class NumberModel {
    @ObservationIgnored @SharedQuery(Number(1)) var number

    var text: String { $number.isLoading ? "…" : "\(number ?? 0)" }

    func turn(to id: Int) { $number.show(Number(id)) }
}

struct NumberModelView: View {
    let model: NumberModel

    var body: some View { Text(model.text) }
}

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct SharedQueryViewTests {
    private let bench = TestBench()

    @Test func `a view is redrawn when its view model's shared query changes`() async {
        let gates = [Gate(), Gate()]
        bench.backend.behave { call in
            try await gates[call.id - 1].pass()
            return call.id * 100 + call.number
        }
        let model = QueryClient.with(bench.client) { NumberModel() }
        let host = ViewHost(NumberModelView(model: model))
        #expect(bench.backend.count == 0)
        #expect(host.draw() == ["…"])
        gates[0].open()
        #expect(await host.drawChange() == ["101"])
        model.turn(to: 2)
        #expect(await host.drawChange() == ["…"])
        gates[1].open()
        #expect(await host.drawChange() == ["202"])
        #expect(bench.client.store(for: Number(1)).subscriberCount == 0)
    }
}
