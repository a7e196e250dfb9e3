/// What a special kind of state stores besides value and record, such as the calls of a mutation. A change creates another object.
protocol StateNotes: AnyObject, Sendable {
    /// The notes after run `number` has begun to wait for the network, or has continued.
    func pausing(_ number: Int32, _ isPaused: Bool) -> any StateNotes

    /// Whether something is still pending, such as a call, so that the notes must not be discarded.
    var isPending: Bool { get }

    /// The notes after the app has written a result, which takes precedence over anything that began before.
    var overwritten: any StateNotes { get }
}
