/// What a kind of state of its own remembers beside value and record, such as the calls of a mutation. A change makes another object.
protocol StateNotes: AnyObject, Sendable {
    /// The notes when run `number` waits for the network, or goes on.
    func pausing(_ number: Int32, _ isPaused: Bool) -> any StateNotes

    /// Whether something that they tell of is still to come, so that they must not be lost.
    var isPending: Bool { get }

    /// The notes when a result was written by hand, which counts more than whatever began before.
    var overwritten: any StateNotes { get }
}
