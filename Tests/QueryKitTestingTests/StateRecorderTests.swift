import QueryKit
import QueryKitTesting
import Testing

struct StateRecorderTests {
    private let gate = Gate()

    @Test func `a recorder returns each state in order, beginning with the current one`() async {
        let recorder = StateRecorder(makeClient(gate).store(for: Notes()))
        #expect(await recorder.next()?.isFetching == false)
        #expect(await recorder.next()?.isLoading == true)
        gate.open()
        let result = await recorder.next()
        #expect(result?.value == ["Milk"])
        #expect(result?.isFetching == false)
        #expect(recorder.states.map(\.isLoading) == [false, true, false])
    }

    @Test func `a recorder misses no state of a writer that is faster than its reader`() async {
        let store = makeClient(gate).store(for: Notes().enabled(false))
        let recorder = StateRecorder(store)
        for number in 1...100 { store.setValue(["\(number)"]) }
        #expect(await recorder.next()?.value == nil)
        for number in 1...100 { #expect(await recorder.next()?.value == ["\(number)"]) }
        #expect(recorder.states.count == 101)
    }

    @Test func `a recorder waits for the first state with a condition and continues after it`() async {
        let store = makeClient(gate).store(for: Notes())
        let recorder = StateRecorder(store)
        let value = Task { await recorder.first { $0.value != nil } }
        await gate.arrived()
        gate.open()
        #expect(await value.value?.value == ["Milk"])
        store.setValue(["Bread"])
        #expect(await recorder.next()?.value == ["Bread"])
    }

    @Test func `a cancelled recorder has no next state and keeps the earlier ones`() async {
        let store = makeClient(gate).store(for: Notes().enabled(false))
        let recorder = StateRecorder(store)
        _ = await recorder.next()
        let next = Task { await recorder.next() }
        recorder.cancel()
        #expect(await next.value == nil)
        store.setValue(["Bread"])
        #expect(recorder.states.count == 1)
        #expect(store.subscriberCount == 0)
    }

    @Test func `a cancelled reader gets nothing, and others continue to read`() async {
        let store = makeClient(gate).store(for: Notes().enabled(false))
        let recorder = StateRecorder(store)
        _ = await recorder.next()
        let cancelled = Task { await recorder.next() }
        cancelled.cancel()
        #expect(await cancelled.value == nil)
        store.setValue(["Bread"])
        #expect(await recorder.next()?.value == ["Bread"])
    }

    @Test func `a deallocated recorder no longer observes`() {
        let store = makeClient(gate).store(for: Notes().enabled(false))
        var recorder: StateRecorder? = StateRecorder(store)
        #expect(store.subscriberCount == 1)
        #expect(recorder?.states.count == 1)
        recorder = nil
        #expect(store.subscriberCount == 0)
    }
}
