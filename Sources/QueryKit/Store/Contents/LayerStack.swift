import Foundation

/// Values that mutations lay over a store's own, in the order of their calls (R22): a pure value.
///
/// What shows is the *base*, which runs and writes bring, with each layer applied to it. A layer is *pending* while its mutation is on its
/// way. It goes with the first base that holds what it promised, whether the mutation is over by then or not: see ``landed(_:writer:)``.
struct LayerStack: Sendable {
    /// Which mutation a layer belongs to.
    typealias Owner = UUID

    /// What a layer makes of the value beneath it.
    typealias Change = @Sendable (AnyValue) throws -> AnyValue

    private struct Layer: Sendable {
        let owner: Owner
        let change: Change
        /// The value to begin with where there is none beneath.
        let initial: AnyValue?
        /// What its mutation changes in data sources, if it is a call that can tell.
        let effects: CallEffects?
        /// The last run that began too early to know what the mutation did; `nil` while the mutation is pending.
        var landsAfter: Int32?
        /// Whether the mutation is over, with all that it invalidates: if no run is under way then, none is going to land.
        var isOver = false
    }

    private var layers: [Layer] = []
    /// Raised by each change, so that what was computed for one state of the stack is not used for another.
    private(set) var version: UInt32 = 0
    /// The value beneath the lowest layer.
    var base: AnyValue?

    var isEmpty: Bool { layers.isEmpty }

    /// Whether a mutation is still on its way; its layers must not be lost with the store.
    var isPending: Bool { layers.contains { $0.landsAfter == nil } }

    /// Whether there are layers of a mutation that nothing has been heard of since they were laid.
    func waits(for owner: Owner) -> Bool { layers.contains { $0.owner == owner && $0.landsAfter == nil } }

    /// Whether the lowest layer is one of a mutation that is over, and only waits for a run to land.
    var waitsForLanding: Bool { layers.first?.isOver == true }

    // MARK: Changes

    mutating func add(_ change: @escaping Change, beginningWith initial: AnyValue? = nil, of owner: Owner, _ effects: CallEffects? = nil) {
        layers.append(Layer(owner: owner, change: change, initial: initial, effects: effects))
        version &+= 1
    }

    /// Some mutations failed or were ended: their layers go, and no others.
    mutating func remove(_ owners: Set<Owner>) {
        layers.removeAll { owners.contains($0.owner) }
        version &+= 1
    }

    /// Nothing is laid over the value any more, whatever becomes of the mutations.
    mutating func removeAll() {
        layers = []
        base = nil
        version &+= 1
    }

    /// What the mutation did can be seen by runs after `run`.
    mutating func land(_ owner: Owner, after run: Int32) {
        for index in layers.indices where layers[index].owner == owner && layers[index].landsAfter == nil {
            layers[index].landsAfter = run
        }
        version &+= 1
    }

    /// The mutation has succeeded, and has invalidated what it had to.
    mutating func finish(_ owner: Owner) {
        for index in layers.indices where layers[index].owner == owner && layers[index].landsAfter != nil { layers[index].isOver = true }
        version &+= 1
    }

    /// The stack once a run has brought a new base, or the mutation itself has written one.
    ///
    /// A layer goes with the base that holds what it promised: one of a run that began after its mutation, or that has read the commit of it.
    /// Where that can't be told, the answer is unsure: with or without the layer, the value might be wrong.
    func landed(_ reads: RunReads?, writer: Owner? = nil) -> (stack: LayerStack, isUnsure: Bool) {
        var stack = self
        var isUnsure = false
        stack.layers.removeAll { layer in
            if layer.owner == writer { return true }
            guard let reads else { return false }
            if let last = layer.landsAfter, reads.run > last { return true }
            let sight = layer.effects?.sight(in: reads) ?? .unseen
            if sight == .unsure { isUnsure = true }
            return sight == .seen
        }
        if stack.layers.count != layers.count { stack.version &+= 1 }
        return (stack, isUnsure)
    }

    /// Whether a run holds already, or perhaps, what one of the layers promises.
    func hasAnySeen(by reads: RunReads) -> Bool {
        layers.contains { layer in layer.effects.map { $0.sight(in: reads) != .unseen } ?? false }
    }

    /// Takes the lowest layers that wait for a landing into the base, because no run is going to land.
    mutating func fold(into base: AnyValue?) {
        let count = layers.prefix(while: \.isOver).count
        layers.removeFirst(count)
        self.base = base
        version &+= 1
    }

    // MARK: Values

    /// A value with all layers over it. One that throws is left out. Without a value only layers count that bring one to begin with, and those
    /// above them.
    func applied(to value: AnyValue?, _ failures: inout [any Error]) -> AnyValue? {
        Self.apply(layers[...], to: value, &failures)
    }

    /// The base with the layers that ``fold(into:)`` takes into it.
    func folded(_ failures: inout [any Error]) -> AnyValue? {
        base.flatMap { Self.apply(layers.prefix(while: \.isOver), to: $0, &failures) }
    }

    private static func apply(_ layers: ArraySlice<Layer>, to value: AnyValue?, _ failures: inout [any Error]) -> AnyValue? {
        layers.reduce(value) { value, layer in
            guard let below = value ?? layer.initial else { return nil }
            do {
                return try layer.change(below)
            } catch {
                failures.append(error)
                return value
            }
        }
    }
}
