import QueryKit
import QueryKitTesting
import SwiftUI
import TestSupport
import Testing

private struct Refusal: Error {}

/// A switch whose value is stored elsewhere.
private struct Switch: QueryRequest {
    var path: QueryPath { "switch" }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Bool>) async throws -> Bool {
        try await context.reading.pass()
        return false
    }
}

private struct SetSwitch: MutationRequest {
    var path: QueryPath { "switch/set" }

    func mutate(with isOn: Bool, in context: QueryContext, with continuation: QueryContinuation<Void>) async throws {
        try await context.writing.pass()
    }

    func optimistic(with isOn: Bool, in layers: inout QueryLayers) { layers.update(Switch(), default: true) { $0 = isOn } }
}

extension QueryDependencies {
    fileprivate var reading: QueryDependency<Gate> { .init(Gate()) }
    fileprivate var writing: QueryDependency<Gate> { .init(Gate()) }
}

private struct SwitchView: View {
    @State.Query(Switch(), default: true) var isOn
    @State.Mutation(SetSwitch()) var setSwitch
    let onDraw: @MainActor (QueryProjection<Bool>, SharedMutation<Bool, Void>) -> Void

    var body: some View {
        onDraw($isOn, setSwitch)
        var text: String = isOn ? "on" : "off"
        if $isOn.isLoading { text += " loading" }
        if setSwitch.isLoading { text += " saving" }
        if setSwitch.error != nil { text += " failed" }
        return Text(text)
    }
}

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct StateDefaultTests {
    private let client = QueryClient.test()

    @Test func `a view shows the default until the first result, and can be toggled before it`() async throws {
        var drawn: QueryProjection<Bool>?
        let host = ViewHost(SwitchView { projection, _ in drawn = projection }.client(client))
        #expect(host.draw() == ["on loading"])
        let projection = try #require(drawn)
        #expect(projection.store.value == nil)
        #expect(projection.state.value)
        projection.binding.wrappedValue = false
        #expect(!projection.binding.wrappedValue)
        #expect(client.value(for: Switch()) == false)
        client.context.reading.open()
        #expect(await host.drawChange() == ["off"])
    }

    @Test func `a binding writes through a mutation, and the default is shown again if it fails`() async throws {
        var drawn: (QueryProjection<Bool>, SharedMutation<Bool, Void>)?
        let host = ViewHost(SwitchView { drawn = ($0, $1) }.client(client))
        #expect(host.draw() == ["on loading"])
        let (projection, mutation) = try #require(drawn)
        projection.binding(via: SetSwitch()).wrappedValue = false
        #expect(!projection.binding.wrappedValue)
        #expect(mutation.isLoading)
        #expect(await host.drawChange() == ["off loading saving"])
        client.context.writing.fail(with: Refusal())
        await client.settled()
        #expect(host.draw() == ["on loading failed"])
        client.context.reading.open()
        await client.settled()
    }

    @Test func `a mutation in a view uses the client of the environment`() async throws {
        var drawn: SharedMutation<Bool, Void>?
        client.context.reading.open()
        client.context.writing.open()
        let host = ViewHost(SwitchView { drawn = $1 }.client(client))
        _ = host.draw()
        let mutation = try #require(drawn)
        #expect(mutation.client === client)
        try await mutation.mutate(with: false)
        #expect(mutation.attemptCount == 1)
        await client.settled()
    }
}
