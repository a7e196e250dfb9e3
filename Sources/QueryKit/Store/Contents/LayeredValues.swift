/// What values look like with the layers of a store over them: computed with the lock open, because layers are foreign code, and used only if
/// the layers are still the same.
final class LayeredValues: Sendable {
    /// The layers that it was computed with.
    let version: UInt32
    let rollback: ObjectIdentifier?
    /// Whether the run was known as outdated.
    let isOutdated: Bool
    /// The layers that stay when the value that came with the event has landed.
    let staying: LayerStack
    /// Whether that value may or may not hold what a layer promises.
    let isUnsure: Bool
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
        /// The run that brings a value.
        let reader: StoreRun?
        let asOf: ChangeNumber
        let isOutdated: Bool
    }

    init(_ basis: Basis, for input: StoreInput) {
        let layers = basis.layers
        version = layers.version
        rollback = basis.rollback.map { ObjectIdentifier($0) }
        isOutdated = basis.isOutdated
        var thrown: [any Error] = []
        if case .success(let value) = input.result {
            let reads = basis.reader?.reads(asOf: basis.asOf, isOutdated: basis.isOutdated)
            if !input.isFinal, input.run == nil {
                // An intermediate value may be taken back, and then its layers would be missing.
                isUnsure = reads.map(layers.hasAnySeen) ?? false
                staying = layers
            } else {
                // What a run for some pages brings says nothing of the others.
                let isPart = basis.reader.map { $0.start.aim != .everything } == true && layers.base != nil
                (staying, isUnsure) = layers.landed(isPart ? nil : input.run.map { reads ?? RunReads(run: $0) }, writer: input.writer)
            }
            accepted = staying.applied(to: value, &thrown)
        } else {
            (staying, isUnsure) = (layers, false)
            accepted = nil
        }
        restored = basis.rollback.flatMap { layers.applied(to: $0.current, &thrown) }
        failures = thrown
    }
}
