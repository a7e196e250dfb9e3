/// Values with the layers of a store applied. They are computed without the lock, because layers are foreign code, and used only if the
/// layers are still the same afterwards.
final class LayeredValues: Sendable {
    /// The version of the layers that the values were computed with.
    let version: UInt32
    let rollback: ObjectIdentifier?
    /// Whether the run was known to be outdated.
    let isOutdated: Bool
    /// The layers that remain when the value of the event has become the base.
    let staying: LayerStack
    /// Whether it is unknown if that value includes the effect of a layer's mutation.
    let isUnsure: Bool
    /// The value of the event with the remaining layers applied.
    let accepted: AnyValue?
    /// The value that is restored if the run is cancelled, with all layers applied.
    let restored: AnyValue?
    /// The errors that layers have thrown.
    let failures: [any Error]

    /// The input of the computation.
    struct Basis: Sendable {
        let layers: LayerStack
        let rollback: StateBox?
        /// The run that delivers the value.
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
                // An intermediate value may be rolled back, and removed layers would be missing then.
                isUnsure = reads.map(layers.hasAnySeen) ?? false
                staying = layers
            } else {
                // The result of a run for some pages shows nothing about the other pages.
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
