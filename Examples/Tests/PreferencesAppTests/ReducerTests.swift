import QueryKit
import QueryKitTesting
import Testing

@testable import PreferencesApp

private struct DiskFull: Error {}

@MainActor @Suite(.timeLimit(.minutes(5))) struct ReducerTests {
    private let store = HeldPreferences()
    private let client: QueryClient
    private let model: PreferencesModel
    private var state: PreferencesFeature.State { model.state }

    init() {
        var context = QueryContext()
        context.preferences = store
        client = QueryClient.test(context: context)
        model = PreferencesModel(client: client)
    }

    @Test func `a toggle before the first load is shown at once, and the load does not undo it`() async {
        #expect(!state.amoled)
        let saving = model.send(.amoledToggled)
        #expect(state.amoled && state.$amoled.status.isLoading)
        store.reading.open()
        await client.settled()
        #expect(state.amoled && state.$amoled.isOptimistic)
        store.writing.open()
        await saving?.value
        await client.settled()
        #expect(state.amoled && !state.$amoled.isOptimistic)
    }

    @Test func `a failed write is rolled back, and the state contains the error`() async {
        store.reading.open()
        let saving = model.send(.accentChosen(.green))
        #expect(state.accent == .green)
        store.writing.fail(with: DiskFull())
        await saving?.value
        await client.settled()
        #expect(state.accent == .blue && state.failure == "Not saved: DiskFull()")
    }

    @Test func `two properties of one preference show their own defaults until it has a value`() async {
        let dark = SharedQuery(Preference(.amoled), default: true, client: client)
        let light = SharedQuery(Preference(.amoled), default: false, client: client)
        #expect((dark.wrappedValue, light.wrappedValue) == (true, false))
        store.reading.open()
        await client.settled()
        #expect((dark.wrappedValue, light.wrappedValue) == (false, false))
    }

    @Test func `if several toggles wait for a write, only the newest is written after it`() async {
        store.reading.open()
        var saving = [model.send(.amoledToggled)]
        await store.writing.holds()
        for _ in 1...3 { saving.append(model.send(.amoledToggled)) }
        #expect(!state.amoled)
        store.writing.open()
        for task in saving { await task?.value }
        #expect(await store.written == ["true", "false"])
        #expect(state.failure == nil)
    }

    @Test func `a size outside the range is clamped`() async {
        model.send(.textSizeChanged(99))
        #expect(state.textSize == 32)
        store.reading.open()
        store.writing.open()
        await client.settled()
        #expect(state.textSize == 32)
    }

    @Test func `saving a token without a secret store fails, and the message says what to set`() async {
        await model.send(.tokenEntered("s3cr3t"))?.value
        #expect(state.failure?.contains("Set context.preferences and context.secrets") == true)
    }

    @Test func `a state stays equal to its copy while values change`() async {
        let before = state
        #expect(PreferencesScreen(state: before).lines == ["amoled    off", "accent    blue", "textSize  14", "token     none"])
        model.send(.amoledToggled)
        #expect(PreferencesScreen(state: state).lines.first == "amoled    on (saving)")
        #expect(state == before && state.hashValue == before.hashValue)
        store.reading.open()
        store.writing.open()
        await client.settled()
    }
}
