import Foundation

/// The layers (optimistic changes) over a store's value, in the order of the mutations' calls (R22). A pure value.
///
/// The visible value is the *base*, which runs and writes set, with each layer applied to it. A layer is *pending* while its mutation is
/// under way. It is removed with the first base that includes the mutation's effect, even before the mutation is over; see
/// ``landed(_:writer:)``.
struct LayerStack: Sendable {
    /// Identifies the mutation that a layer belongs to.
    typealias Owner = UUID

    /// Computes a value from the value beneath the layer.
    typealias Change = @Sendable (AnyValue) throws -> AnyValue

    private struct Layer: Sendable {
        let owner: Owner
        let change: Change
        /// The value that the change is applied to if there is none beneath.
        let initial: AnyValue?
        /// The changes that the mutation makes in data sources, if it records them.
        let effects: CallEffects?
        /// The last run that began too early to see the effect of the mutation; `nil` while the mutation is pending.
        var landsAfter: Int32?
        /// Whether the mutation is over and its invalidations are done. If no run is under way then, no run will bring a base that includes
        /// the effect.
        var isOver = false
    }

    private var layers: [Layer] = []
    /// Incremented by each change, so that values computed for one version of the stack aren't used for another.
    private(set) var version: UInt32 = 0
    /// The value beneath the lowest layer.
    var base: AnyValue?

    var isEmpty: Bool { layers.isEmpty }

    /// Whether a mutation is still under way. Its layers must not be lost by releasing the store.
    var isPending: Bool { layers.contains { $0.landsAfter == nil } }

    /// Whether there are layers of the mutation that are still pending.
    func waits(for owner: Owner) -> Bool { layers.contains { $0.owner == owner && $0.landsAfter == nil } }

    /// Whether the mutation of the lowest layer is over, so that the layer only waits for a run that brings a new base.
    var waitsForLanding: Bool { layers.first?.isOver == true }

    /// The mutations of the layers from the lowest to the highest, and whether they are under way.
    var owners: [(owner: Owner, isPending: Bool)] { layers.map { ($0.owner, $0.landsAfter == nil) } }

    // MARK: Changes

    mutating func add(_ change: @escaping Change, beginningWith initial: AnyValue? = nil, of owner: Owner, _ effects: CallEffects? = nil) {
        layers.append(Layer(owner: owner, change: change, initial: initial, effects: effects))
        version &+= 1
    }

    /// Removes the layers of mutations that have failed or were ended.
    mutating func remove(_ owners: Set<Owner>) {
        layers.removeAll { owners.contains($0.owner) }
        version &+= 1
    }

    /// Removes all layers and the base, regardless of how the mutations end.
    mutating func removeAll() {
        layers = []
        base = nil
        version &+= 1
    }

    /// Notes that runs after `run` see the effect of the mutation.
    mutating func land(_ owner: Owner, after run: Int32) {
        for index in layers.indices where layers[index].owner == owner && layers[index].landsAfter == nil {
            layers[index].landsAfter = run
        }
        version &+= 1
    }

    /// Notes that the mutation has succeeded and its invalidations are done.
    mutating func finish(_ owner: Owner) {
        for index in layers.indices where layers[index].owner == owner && layers[index].landsAfter != nil { layers[index].isOver = true }
        version &+= 1
    }

    /// The stack after a run has brought a new base, or after the mutation has written one.
    ///
    /// A layer is removed if the base includes the effect of its mutation: if the run began after the mutation took effect, or has read its
    /// commit. If that can't be determined, `isUnsure` is `true`: the value might be wrong with the layer as well as without it.
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

    /// Whether a run has seen, or may have seen, the effect of one of the layers' mutations.
    func hasAnySeen(by reads: RunReads) -> Bool {
        layers.contains { layer in layer.effects.map { $0.sight(in: reads) != .unseen } ?? false }
    }

    /// Removes the lowest layers as far as their mutations are over, and sets a base that includes their changes. Call this if no run will
    /// bring such a base.
    mutating func fold(into base: AnyValue?) {
        let count = layers.prefix(while: \.isOver).count
        layers.removeFirst(count)
        self.base = base
        version &+= 1
    }

    // MARK: Values

    /// Applies all layers to a value, except those that throw. If there is no value, the layers below the first one with an initial value
    /// are skipped.
    func applied(to value: AnyValue?, _ failures: inout [any Error]) -> AnyValue? {
        Self.apply(layers[...], to: value, &failures)
    }

    /// The base with those layers applied that ``fold(into:)`` removes.
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
