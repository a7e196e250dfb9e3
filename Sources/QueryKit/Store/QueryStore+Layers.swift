extension QueryStore {
    /// Adds a layer that changes the visible value; see ``StoreCore/addLayer(of:in:_:leaving:_:)``.
    func addLayer(
        of owner: LayerStack.Owner,
        in session: QueryContext? = nil,
        _ effects: CallEffects? = nil,
        leaving followUps: LayerFollowUps? = nil,
        default initial: Value? = nil,
        _ change: @escaping @Sendable (inout Value) throws -> Void
    ) {
        core.addLayer(of: owner, in: session, effects, leaving: followUps, beginningWith: initial.map { AnyValue($0) }) { value in
            var value = value.unboxed(as: Value.self)
            try change(&value)
            return AnyValue(value)
        }
    }
}
