import QueryKit
import QueryKitTesting

/// A screen of the app that is open: an observer of one request.
@MainActor
package final class ShownScreen {
    let name: String
    private(set) var content = StageContent("–")
    private let unreadStates: () -> [StageContent]
    private let cancel: () -> Void
    private(set) var isOpen = true

    /// Opens the screen. A recorder misses no state, even if states follow each other quickly.
    init<State: QueryStateProtocol>(_ name: String, _ store: QueryStore<State>, as describe: @escaping (State) -> StageContent) {
        self.name = name
        let recorder = StateRecorder(store)
        var readCount = 0
        unreadStates = {
            let states = recorder.states.dropFirst(readCount)
            readCount += states.count
            return states.map(describe)
        }
        cancel = { recorder.cancel() }
    }

    /// Closes the screen, which is then no longer an observer.
    package func close() {
        isOpen = false
        cancel()
    }

    /// The contents shown since the last call, without repetitions.
    func newContents() -> [StageContent] {
        unreadStates().filter { next in
            defer { content = next }
            return next != content
        }
    }
}
