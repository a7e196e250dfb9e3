/// What a client tells its monitor, and asks of it; and the mistakes that it notices.
extension ClientCore {
    var wantsEvents: Bool { monitor.isHeard }

    func report(_ event: QueryEvent) { monitor.feed.send(event) }

    func examineAlerts(_ tally: Int, _ cause: QueryCause) {
        monitor.examine(tally, byteCount: byteCount, cause, on: clock)
    }

    /// Judges all counts now, on request.
    func examineAlerts() -> [QueryAlert] {
        monitor.examine(nil, byteCount: byteCount, .manual, on: clock)
        return monitor.alerts
    }

    func reportRemoval(of store: StoreCore, _ cause: QueryCause, _ reason: QueryEvent.Reason) {
        guard wantsEvents else { return }
        report(QueryEvent(kind: .storeRemoved, path: store.path, cause: cause, instant: clock.now, reason: reason))
    }

    // MARK: Mistakes

    /// Reports a mistake, once for each subject. Call it without a lock.
    func report(
        _ kind: QueryMistake.Kind,
        about subject: String,
        at path: QueryPath? = nil,
        _ message: @autoclosure () -> String
    ) {
        mistakes?.report(kind, about: subject, at: path, message())
    }
}
