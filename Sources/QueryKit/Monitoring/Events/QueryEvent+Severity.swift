extension QueryEvent {
    /// How important an event is to readers of a log.
    enum Severity: Hashable, Sendable {
        /// A final failure or a loss.
        case failure
        /// Worth a look.
        case notice
        /// Routine.
        case detail
    }
}

extension QueryEvent.Kind {
    var severity: QueryEvent.Severity {
        switch self {
        case .runFailed, .layerFailed, .storageFailed, .entryDropped: .failure
        case .alertRaised, .alertCleared, .mutationRefused: .notice
        default: .detail
        }
    }
}
