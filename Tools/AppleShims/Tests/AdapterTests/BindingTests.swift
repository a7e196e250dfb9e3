import QueryKit
import QueryKitTesting
import SwiftUI
import TestSupport
import Testing

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct BindingTests {
    private let gate = Gate()
    private let client: QueryClient

    init() {
        var context = QueryContext()
        context[ProfileRequest.GateKey.self] = gate
        client = QueryClient(context: context, configuration: .isolated)
    }

    private func host(_ onDraw: @escaping @MainActor (QueryMirror<ProfileRequest.State>) -> Void) -> ViewHost<some View> {
        ViewHost(ProfileView(onDraw: onDraw).client(client))
    }

    @Test func `a binding to a field writes only that field, and shows it at once`() async throws {
        var drawn: QueryMirror<ProfileRequest.State>?
        let host = host { drawn = $0 }
        #expect(host.draw() == ["nobody"])
        let mirror = try #require(drawn)
        let name = mirror.binding(\.name, or: "nobody")
        name.wrappedValue = "too early"
        #expect(client.value(for: ProfileRequest()) == nil)
        gate.open()
        #expect(await host.drawChange() == ["Ada"])
        // Other code writes another field, and the view hasn't been updated yet.
        client.updateValue(for: ProfileRequest()) { $0.city = "Paris" }
        name.wrappedValue = "Grace"
        #expect(name.wrappedValue == "Grace")
        #expect(client.value(for: ProfileRequest()) == Profile(name: "Grace", city: "Paris"))
        #expect(host.draw() == ["Grace"])
    }

    @Test func `a binding to the whole value exists once the value is loaded`() async throws {
        var drawn: QueryMirror<ProfileRequest.State>?
        let host = host { drawn = $0 }
        _ = host.draw()
        #expect(drawn?.binding == nil)
        gate.open()
        _ = await host.drawChange()
        let binding = try #require(drawn?.binding)
        binding.wrappedValue = Profile(name: "Grace", city: "New York")
        binding.city.wrappedValue = "Arlington"
        #expect(host.draw() == ["Grace"])
        #expect(client.value(for: ProfileRequest()) == Profile(name: "Grace", city: "Arlington"))
    }

    @Test func `the binding of an alert is true while a mutation has an error, and dismisses it`() async throws {
        let failing = InlineMutation<Int, Void>("save") { _, _ in throw QueryError(.timeout, "The server doesn't respond.") }
        let save = SharedMutation(failing, client: client)
        let isPresented = save.hasError
        #expect(!isPresented.wrappedValue)
        await #expect(throws: QueryError.self) { try await save.mutate(with: 1) }
        await client.settled()
        #expect(isPresented.wrappedValue)
        isPresented.wrappedValue = true
        #expect(save.error != nil)
        isPresented.wrappedValue = false
        #expect(save.error == nil)
        #expect(!isPresented.wrappedValue)
    }

    @Test func `a binding keeps its last value after a reset, and can still write`() async throws {
        let query = SharedQuery(ProfileRequest().enabled(false), client: client)
        client.setValue(Profile(name: "Ada", city: "London"), for: ProfileRequest())
        let binding = try #require(query.binding)
        query.store.reset()
        #expect(binding.wrappedValue.name == "Ada")
        binding.wrappedValue = Profile(name: "Grace", city: "London")
        #expect(query.value?.name == "Grace")
        let city = query.binding(\.city, or: "")
        city.wrappedValue = "Paris"
        #expect(query.value == Profile(name: "Grace", city: "Paris"))
        #expect(city.wrappedValue == "Paris")
    }

    @Test func `the projection fetches`() async throws {
        var drawn: QueryMirror<ProfileRequest.State>?
        let host = host { drawn = $0 }
        _ = host.draw()
        let mirror = try #require(drawn)
        gate.open()
        #expect(try await mirror.fetch().name == "Ada")
        #expect(mirror.store == client.store(for: ProfileRequest()))
        host.unmount()
    }
}
