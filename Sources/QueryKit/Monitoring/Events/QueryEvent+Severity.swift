extension QueryEvent {
    /// How much an event matters to those who read a log afterwards.
    enum Severity: Hashable, Sendable {
        /// Something went wrong for good, or was lost.
        case failure
        /// Something to look at.
        case notice
        /// What happens all the time.
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
