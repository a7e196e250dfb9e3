/// What values look like with the layers of a store over them: computed with the lock open, because layers are foreign code, and used only if
/// the layers are still the same.
final class LayeredValues: Sendable {
    /// The layers that it was computed with.
    let version: UInt32
    let rollback: ObjectIdentifier?
    /// The value that came with the event, beneath the layers that stay when it has landed.
    let accepted: AnyValue?
    /// The value that a cancelled run goes back to.
    let restored: AnyValue?
    /// What layers threw.
    let failures: [any Error]

    /// What they are computed from.
    struct Basis: Sendable {
        let layers: LayerStack
        let rollback: StateBox?
    }

    init(_ basis: Basis, for input: StoreInput) {
        let layers = basis.layers
        version = layers.version
        rollback = basis.rollback.map { ObjectIdentifier($0) }
        var thrown: [any Error] = []
        if case .success(let value) = input.result {
            let staying = layers.landed(run: input.run, writer: input.writer)
            accepted = staying.applied(to: value, &thrown)
        } else {
            accepted = nil
        }
        if let value = basis.rollback?.current {
            restored = layers.applied(to: value, &thrown)
        } else {
            restored = nil
        }
        failures = thrown
    }
}
