/// What a kind of state of its own remembers beside value and record, such as the calls of a mutation. A change makes another object.
// Invariant: no state here, and each subclass has immutable Sendable properties.
class StateNotes: @unchecked Sendable {
    /// The notes when run `number` waits for the network, or goes on.
    func pausing(_ number: Int32, _ isPaused: Bool) -> StateNotes { self }

    /// What is still on its way, and stays when all else is forgotten.
    var pending: StateNotes? { nil }
}
