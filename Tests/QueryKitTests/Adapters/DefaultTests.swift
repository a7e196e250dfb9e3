import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// A setting stored outside the client, as an app would write it.
private struct Setting: QueryRequest {
    let name: String

    var path: QueryPath { ["settings", name] }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Bool>) async throws -> Bool {
        try await context.switches.value(of: name)
    }
}

private struct SetSetting: MutationRequest {
    let name: String

    var path: QueryPath { ["settings", "set", name] }

    func mutate(with isOn: Bool, in context: QueryContext, with continuation: QueryContinuation<Void>) async throws {
        try await context.switches.set(name, isOn)
    }

    func optimistic(with isOn: Bool, in layers: inout QueryLayers) {
        layers.update(Setting(name: name), default: false) { $0 = isOn }
    }

    func invalidates(with isOn: Bool, value: Void) -> [QueryPattern] { [.path(["settings", name])] }
}

private final class Settings: Sendable {
    struct Missing: Error {}

    let reading = Gate()
    let writing = Gate()
    let values = Lock<[String: Bool]>([:])
    let written = Recorder<Bool>()

    func value(of name: String) async throws -> Bool {
        try await reading.pass()
        guard let value = values.withLock({ $0[name] }) else { throw Missing() }
        return value
    }

    func set(_ name: String, _ isOn: Bool) async throws {
        try await writing.pass()
        values.withLock { $0[name] = isOn }
        written.note(isOn)
    }
}

extension QueryDependencies {
    fileprivate var switches: QueryDependency<Settings> { .init(Settings()) }
}

@MainActor
struct DefaultTests {
    private let client = QueryClient.test()
    private var settings: Settings { client.context.switches }
    private var store: QueryStore<Setting.State> { client.store(for: Setting(name: "amoled")) }

    private func query(default value: Bool) -> SharedQuery<DefaultedState<Setting.State>> {
        SharedQuery(Setting(name: "amoled"), default: value, client: client)
    }

    @Test func `a property with a default is not optional, and the store's value stays nil`() async {
        let query = query(default: true)
        let value: Bool = query.wrappedValue
        #expect(value)
        #expect(query.status.isLoading)
        #expect(query.state.value)
        #expect(store.value == nil)
        #expect(client.value(for: Setting(name: "amoled")) == nil)
        settings.values.withLock { $0["amoled"] = false }
        settings.reading.open()
        await client.settled()
        #expect(!query.wrappedValue)
        #expect(query.status.success == false)
    }

    @Test func `two properties with different defaults on one store each show their own default`() async {
        let (first, second) = (query(default: true), query(default: false))
        #expect((first.wrappedValue, second.wrappedValue) == (true, false))
        #expect(first.store == second.store)
        first.setValue(false)
        #expect((first.wrappedValue, second.wrappedValue) == (false, false))
        await client.settled()
    }

    @Test func `toggling before the first load shows the new value at once, and the loaded value stays beneath the layer`() async throws {
        let query = query(default: false)
        _ = query.wrappedValue
        settings.values.withLock { $0["amoled"] = false }
        let call = try query.setValue(true, via: SetSetting(name: "amoled"))
        #expect(query.wrappedValue)
        #expect(query.isOptimistic)
        #expect(query.status.isLoading)
        #expect(client.value(for: Setting(name: "amoled")) == nil)
        settings.reading.openOnce()
        await client.settled()
        #expect(query.wrappedValue)
        #expect(store.state.current == true)
        settings.reading.open()
        settings.writing.open()
        try await call.value
        await client.settled()
        #expect(query.wrappedValue)
        #expect(!query.isOptimistic)
        #expect(settings.values.withLock { $0["amoled"] } == true)
    }

    @Test func `after a failed change before the first load, each of two properties shows its own default again`() async throws {
        let (first, second) = (query(default: true), query(default: false))
        _ = (first.wrappedValue, second.wrappedValue)
        let call = try first.setValue(false, via: SetSetting(name: "amoled"))
        #expect((first.wrappedValue, second.wrappedValue) == (false, false))
        #expect(first.isOptimistic && second.isOptimistic)
        settings.writing.fail(with: Settings.Missing())
        await #expect(throws: Settings.Missing.self) { try await call.value }
        #expect(store.value == nil)
        settings.reading.fail(with: Settings.Missing())
        await client.settled()
        #expect((first.wrappedValue, second.wrappedValue) == (true, false))
        #expect(!first.isOptimistic)
    }

    @Test func `without a network, changes of a control show at once, and only the first and the newest are written later`() async throws {
        let network = ManualNetworkObserver(isOnline: false)
        var context = QueryContext()
        context.switches = settings
        context.networkObserver = network
        context.networkMode = .online
        let offline = QueryClient.test(context: context)
        let query = SharedQuery(Setting(name: "amoled"), default: false, client: offline)
        settings.reading.open()
        settings.writing.open()
        try query.setValue(true, via: SetSetting(name: "amoled"))
        await offline.settled()
        for isOn in [false, true, false] { try query.setValue(isOn, via: SetSetting(name: "amoled")) }
        #expect(!query.wrappedValue && query.isOptimistic)
        await offline.settled()
        #expect(settings.written.all == [])
        network.set(isOnline: true)
        await offline.settled()
        #expect(settings.written.all == [true, false])
        #expect(!query.wrappedValue && !query.isOptimistic)
    }

    @Test func `after a failed mutation the property shows its default and the store has no value`() async throws {
        let query = query(default: false)
        let recorder = StateRecorder(store)
        settings.reading.fail(with: Settings.Missing())
        settings.writing.fail(with: Settings.Missing())
        await client.settled()
        await #expect(throws: Settings.Missing.self) { try await query.mutate(SetSetting(name: "amoled"), with: true) }
        await client.settled()
        #expect(!query.wrappedValue)
        #expect(store.value == nil)
        #expect(!store.isOptimistic)
        #expect(recorder.states.contains { $0.value == true && $0.isOptimistic })
        #expect(recorder.states.last?.value == nil)
    }

    @Test func `a layer over a store without a value survives the cancellation of the run and ends with its call`() async throws {
        let recorder = StateRecorder(store)
        await settings.reading.holds()
        let call = try client.submit(SetSetting(name: "amoled"), with: true)
        #expect(store.value == true)
        store.cancel()
        await client.settled()
        // The run has been cancelled, but the layer is still there.
        #expect(store.value == true)
        #expect(store.status.isIdle)
        call.cancel()
        await client.settled()
        #expect(store.value == nil)
        #expect(store.status.isIdle)
        withExtendedLifetime(recorder) {}
    }

    @Test func `without a base value, a second layer builds on the first, and each is removed when its own call fails`() async throws {
        client.context.switches.reading.fail(with: Settings.Missing())
        let sum = InlineQuery<[Int]>("sum")
        func add(_ gate: Gate) -> InlineMutation<Int, Void> {
            InlineMutation("add") { _, _ in try await gate.pass() }
                .optimistic { number, layers in layers.update(sum, default: [0]) { $0.append(number) } }
        }
        let gates = [Gate(), Gate()]
        let first = try client.submit(add(gates[0]), with: 1)
        let second = try client.submit(add(gates[1]), with: 2)
        #expect(client.store(for: sum).value == [0, 1, 2])
        gates[0].fail(with: Settings.Missing())
        _ = try? await first.value
        #expect(client.store(for: sum).value == [0, 2])
        client.setValue([5], for: sum)
        #expect(client.store(for: sum).value == [5, 2])
        gates[1].fail(with: Settings.Missing())
        _ = try? await second.value
        #expect(client.store(for: sum).value == [5])
    }

    @Test func `a successful optimistic call leaves no value if no run follows`() async throws {
        settings.writing.open()
        let sum = InlineQuery<Int>("sum")
        let mutation = InlineMutation<Int, Void>("add") { _, _ in }
            .optimistic { number, layers in layers.update(sum, default: 0) { $0 += number } }
        try await client.mutate(mutation, with: 1)
        await client.settled()
        #expect(client.store(for: sum).value == nil)
        #expect(!client.store(for: sum).isOptimistic)
    }

    @Test func `a property's description is short and reading it does not fetch`() async {
        let query = query(default: true)
        #expect("\(query)" == "not read yet")
        #expect(client.storeCount == 0)
        query.setValue(false)
        #expect("\(query)" == "settings/amoled (loaded)")
        #expect(String(reflecting: [query]).contains("settings/amoled"))
        #expect(store.subscriberCount == 0)
    }

    @Test func `a property that shows another request keeps its default`() async {
        var query = query(default: true)
        query.setValue(false)
        #expect(!query.wrappedValue)
        query.show(Setting(name: "other"))
        #expect(query.wrappedValue)
        settings.reading.open()
        await client.settled()
    }

    @Test func `a mirror shows its default until the store has a value`() async {
        let mirror = QueryMirror(Setting(name: "amoled"), default: true, client: client)
        let value: Bool = mirror.value
        #expect(value)
        #expect(mirror.status.isLoading)
        mirror.setValue(false)
        #expect(!mirror.value)
        mirror.show(Setting(name: "other"))
        #expect(mirror.value)
        settings.reading.open()
        await client.settled()
    }

    // MARK: Writing by a mutation

    @Test func `of several changes made during a call, only the newest waits and the others are cancelled`() async throws {
        settings.reading.fail(with: Settings.Missing())
        let query = query(default: false)
        var calls = [try query.setValue(true, via: SetSetting(name: "amoled"))]
        await settings.writing.holds()
        for isOn in [false, true, false] { calls.append(try query.setValue(isOn, via: SetSetting(name: "amoled"))) }
        #expect(!query.wrappedValue)
        await client.settled()
        #expect(settings.writing.arrivals == 1)
        settings.writing.open()
        try await calls[0].value
        try await calls[3].value
        for call in calls[1...2] { await #expect(throws: CancellationError.self) { try await call.value } }
        #expect(settings.written.all == [true, false])
        await client.settled()
    }

    @Test func `the shown value never flips back while newer changes replace the waiting one`() async throws {
        settings.values.withLock { $0["amoled"] = false }
        settings.reading.open()
        let query = query(default: false)
        let recorder = StateRecorder(store)
        await client.settled()
        for _ in 0..<5 { try query.setValue(true, via: SetSetting(name: "amoled")) }
        settings.writing.open()
        await client.settled()
        let shown = recorder.states.compactMap(\.value)
        #expect(!shown.drop { !$0 }.contains(false))
        #expect(shown.last == true)
    }

    @Test func `a refused mutation is reported as an event`() async throws {
        let refusals = Recorder<QueryEvent.Kind>()
        let events = client.events
        client.writeNewest(5, via: InlineMutation<Int, Void>("nothing"))
        for await event in events {
            refusals.note(event.kind)
            break
        }
        #expect(refusals.all == [.mutationRefused])
    }
}
