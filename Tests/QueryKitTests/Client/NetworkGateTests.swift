import TestSupport
import Testing

@testable import QueryKit

/// In which order the return of the network resumes waiting runs and fires triggers.
struct NetworkGateTests {
    /// An observer that calls its handler within `set`, even when called from a handler.
    private final class DirectObserver: NetworkObserver {
        private let state = Lock<(isOnline: Bool, handler: (@Sendable (Bool) -> Void)?)>((false, nil))

        var isOnline: Bool { state.withLock { $0.isOnline } }

        func set(isOnline: Bool) {
            let handler = state.withLock { state in
                state.isOnline = isOnline
                return state.handler
            }
            handler?(isOnline)
        }

        func observe(_ handler: @escaping @Sendable (Bool) -> Void) -> QuerySubscription {
            state.withLock { $0.handler = handler }
            return QuerySubscription {}
        }
    }

    private let observer = DirectObserver()
    private let seen = Recorder<String>()

    private func gate() -> NetworkGate { NetworkGate(observer, schedule: { _, _ in }) }

    @Test func `R12 on reconnect triggers fire before paused runs continue`() {
        let gate = gate()
        let run = gate.wait(isMutation: false) { [seen] in seen.note("run") }
        let trigger = gate.whenReconnected { [seen] in seen.note("trigger") }
        observer.set(isOnline: true)
        #expect(seen.all == ["trigger", "run"])
        for subscription in [run, trigger] { subscription.cancel() }
    }

    @Test func `R24 on reconnect mutations continue before triggers and runs`() {
        let gate = gate()
        let run = gate.wait(isMutation: false) { [seen] in seen.note("run") }
        let mutation = gate.wait(isMutation: true) { [seen] in seen.note("mutation") }
        let trigger = gate.whenReconnected { [seen] in seen.note("trigger") }
        observer.set(isOnline: true)
        #expect(seen.take() == ["mutation"])
        mutation.cancel()
        #expect(seen.all == ["trigger", "run"])
        for subscription in [run, trigger] { subscription.cancel() }
    }

    @Test func `R12 runs stay paused if the network disappears while triggers fire`() {
        let gate = gate()
        let run = gate.wait(isMutation: false) { [seen] in seen.note("run") }
        let trigger = gate.whenReconnected { [seen, observer] in
            seen.note("trigger")
            if seen.count == 1 { observer.set(isOnline: false) }
        }
        observer.set(isOnline: true)
        #expect(seen.take() == ["trigger"])
        #expect(gate.waiting.runs == 1)
        seen.note("offline")
        observer.set(isOnline: true)
        #expect(seen.all == ["offline", "trigger", "run"])
        for subscription in [run, trigger] { subscription.cancel() }
    }

    @Test func `R12 if the network disappears and returns while triggers fire, they fire again before runs continue`() {
        let gate = gate()
        let run = gate.wait(isMutation: false) { [seen] in seen.note("run") }
        let trigger = gate.whenReconnected { [seen, observer] in
            seen.note("trigger")
            guard seen.count == 1 else { return }
            observer.set(isOnline: false)
            observer.set(isOnline: true)
        }
        observer.set(isOnline: true)
        #expect(seen.all == ["trigger", "trigger", "run"])
        for subscription in [run, trigger] { subscription.cancel() }
    }
}
