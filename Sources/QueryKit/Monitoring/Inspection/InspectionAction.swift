/// An action of an inspector on a client.
package enum InspectionAction: Sendable {
    /// The stores that an action affects.
    package enum Target: Sendable {
        case pattern(QueryPattern)
        /// The store with an id; see ``StoreMark/id``.
        case store(Int)
    }

    case invalidate(Target)
    case refetch(Target)
    case reset(Target)
    case remove(Target)
    case cancel(Target)
    /// Makes a store look as if it were in another state, until a run, a write or a reset.
    case simulate(Simulation, store: Int)
    /// Ends the simulation of a store.
    case restore(store: Int)
    /// Simulates that a network is available or that it is not; `nil` ends the simulation.
    case setNetwork(available: Bool?)
    /// Advances the client's clock, if it is a ``ManualClock``.
    case advanceClock(by: Duration)
}

/// A state that an inspector can simulate for a store. The store keeps its real value and metadata.
package enum Simulation: String, CaseIterable, Sendable {
    /// The first result is being fetched.
    case loading
    /// The latest run has failed with an ``InspectorFailure``.
    case failure
    /// The value is out of date. It isn't refetched before the next subscription or trigger.
    case stale
}
