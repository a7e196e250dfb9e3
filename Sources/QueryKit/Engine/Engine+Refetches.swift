extension Engine {
    /// Enters an event, and returns what follows from it.
    func refetching(_ event: (inout Ledger) -> Void) -> Refetches {
        let list = Refetches()
        enterNow { $0.collecting(list, event) }
        return list
    }

    /// Waits until the refetches of a list have ended, and returns those that failed. A run doesn't wait for what waits for itself.
    func finish(_ list: Refetches) async -> [Refetches.Failure] {
        let reader = own(Scope.current)
        let signal = Signal()
        _ = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                enter(calling: .task) { $0.wait(for: list, signal, by: reader, continuation) }
            }
        } onCancel: {
            enter(calling: .task) { $0.leave(list, signal) }
        }
        return enter { $0[list].failures }
    }
}
