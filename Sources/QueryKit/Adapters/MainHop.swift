/// Brings calls from any thread to the main actor: all that come before it gets there are one.
final class MainHop: Sendable {
    private let isPending = Lock(false)
    private let action: @MainActor @Sendable () -> Void

    init(_ action: @escaping @MainActor @Sendable () -> Void) { self.action = action }

    func request() {
        let isFirst = isPending.withLock { isPending in
            defer { isPending = true }
            return !isPending
        }
        guard isFirst else { return }
        // Nobody owns the task: it does one thing and ends. Detached, so that it holds none of the caller's task-local values, and not slower
        // than the screen that it is for.
        Task.detached(priority: .userInitiated) { @MainActor in
            // Before the action: a change that comes meanwhile is worth another call.
            self.isPending.withLock { $0 = false }
            self.action()
        }
    }
}
