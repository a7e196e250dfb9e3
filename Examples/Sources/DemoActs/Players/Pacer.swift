/// Paces the acts of a live screen: a duration takes its time, unless the audience pauses or steps.
@MainActor
package final class Pacer {
    private enum Mode { case running, paused, stepping }

    private var mode = Mode.running
    private var waiting: CheckedContinuation<Void, Never>?
    private var deadline = ContinuousClock.now

    package init() {}

    package var isPaused: Bool { mode == .paused }

    package func pause() { mode = .paused }

    package func resume() { run(.running) }

    /// Lets time pass until the next call of ``finishStep()``.
    package func step() { run(.stepping) }

    /// Pauses if a step is under way. Call it when something has changed.
    package func finishStep() { if mode == .stepping { mode = .paused } }

    /// Waits for a duration of real time, and then until it isn't paused.
    package func pass(_ duration: Duration) async throws {
        let now = ContinuousClock.now
        // Work that took longer than its time isn't made up for.
        deadline = max(deadline.advanced(by: duration), now)
        try await Task.sleep(until: deadline, clock: .continuous)
        guard isPaused else { return }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled || !isPaused { continuation.resume() } else { waiting = continuation }
            }
        } onCancel: {
            Task { @MainActor in wake() }
        }
        try Task.checkCancellation()
        deadline = .now
    }

    private func run(_ next: Mode) {
        mode = next
        wake()
    }

    private func wake() {
        waiting?.resume()
        waiting = nil
    }
}
