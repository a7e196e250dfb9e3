extension StoreCore {
    /// Adds a layer to the value. It is removed when its mutation fails, or when the base includes the mutation's effect.
    ///
    /// A layer belongs to a session: if the store is in another session by now, no layer is added.
    func addLayer(
        of owner: LayerStack.Owner,
        in session: QueryContext?,
        _ effects: CallEffects? = nil,
        leaving followUps: LayerFollowUps? = nil,
        beginningWith initial: AnyValue? = nil,
        _ change: @escaping LayerStack.Change
    ) {
        func isSameSession(_ contents: borrowing StoreContents) -> Bool {
            guard let session else { return true }
            return contents.base.context.owner === session.owner && session.owner?.isEnded != true
        }
        changeLayers(if: isSameSession, leaving: followUps) { layers, _ in layers.add(change, beginningWith: initial, of: owner, effects) }
    }

    func removeLayers(of owners: Set<LayerStack.Owner>, leaving followUps: LayerFollowUps? = nil) {
        changeLayers(leaving: followUps) { layers, _ in layers.remove(owners) }
    }

    /// Notes that runs that begin from now on see the effect of the mutation.
    ///
    /// - Returns: Whether the layers were still pending, which means that no change of the mutation has landed them before.
    @discardableResult
    func landLayers(of owner: LayerStack.Owner, leaving followUps: LayerFollowUps? = nil) -> Bool {
        var werePending = false
        changeLayers(leaving: followUps) { layers, run in
            werePending = layers.waits(for: owner)
            layers.land(owner, after: run)
        }
        return werePending
    }

    /// Notes that the mutation is over and its invalidations are done.
    func finishLayers(of owner: LayerStack.Owner, leaving followUps: LayerFollowUps? = nil) {
        changeLayers(leaving: followUps) { layers, _ in layers.finish(owner) }
    }

    /// If no run is under way except an open stream, makes the lowest layers whose mutations are over part of the base.
    func foldLayers() {
        func fold(_ layers: inout LayerStack, _ lastRun: Int32) {
            var failures: [any Error] = []
            layers.fold(into: layers.folded(&failures))
        }
        changeLayers(if: { $0.foldsLayers }, rebases: true, fold)
    }

    /// Changes the stack of layers and shows the result. Layers are applied without the lock; if another change happens in between, they
    /// are applied again.
    ///
    /// - Parameter rebases: Whether a run that is given up later restores the new state, instead of the state from before this change.
    private func changeLayers(
        if condition: (borrowing StoreContents) -> Bool = { _ in true },
        rebases: Bool = false,
        leaving followUps: LayerFollowUps? = nil,
        _ change: (inout LayerStack, _ lastRun: Int32) -> Void
    ) {
        ChangeBatch.current(of: host)?.hold(self, isWritten: false)
        while true {
            let (before, number, lastRun) = contents.withLock { contents in
                (contents.layersOverBase, contents.valueNumber, contents.machine.lastBegunNumber)
            }
            var layers = before
            change(&layers, lastRun)
            var failures: [any Error] = []
            let shown = RunScope.outside { layers.applied(to: layers.base, &failures) }
            var input = StoreInput()
            if let shown {
                input = StoreInput(value: shown, byteCount: typing.byteCount(of: shown), compare(shown))
                input.result = nil
                input.shown = shown
            }
            // Release the replaced layers outside the lock, because a layer may hold arbitrary objects.
            let (isDone, actions) = withExtendedLifetime(before) {
                decide(input) { contents, input in
                    guard contents.layersVersion == before.version, contents.valueNumber == number else { return false }
                    guard condition(contents) else { return true }
                    contents.needRare().layers = layers
                    // If there is no value to show, nothing has changed. The exception: a layer that was removed now had an initial value,
                    // which was shown.
                    guard shown != nil || contents.state.record.flags.contains(.optimistic) else {
                        contents.noteUse()
                        return true
                    }
                    var input = input
                    // Don't apply the layers again: `shown` was computed with the new ones.
                    input.layered = nil
                    let rebases = rebases && contents.run != nil
                    contents.process(input) { _, record in
                        record.cause = .optimistic
                        return RunMachine.Effects(value: .relayer, rebases: rebases)
                    }
                    return true
                }
            }
            guard isDone else {
                perform(actions)
                continue
            }
            let followUp = LayerFollowUps.FollowUp(store: self, actions: actions, failures: failures)
            if let followUps { followUps.add(followUp) } else { followUp.carryOut() }
            return
        }
    }
}

/// The actions after the layers of several stores have changed as one change (R29), carried out when all stores have their new state.
final class LayerFollowUps: Sendable {
    struct FollowUp: Sendable {
        let store: StoreCore
        let actions: StoreActions
        let failures: [any Error]

        func carryOut() {
            store.perform(actions)
            for failure in failures { store.report(.layerFailed, .optimistic, failure) }
        }
    }

    private let list = Lock<[FollowUp]>([])

    private init() {}

    /// Changes the layers of several stores of a client, and then carries out the actions.
    static func carryOut<Result>(for host: any StoreHost, _ change: (LayerFollowUps) -> Result) -> Result {
        let followUps = LayerFollowUps()
        let result = host.jointly { change(followUps) }
        for followUp in followUps.list.withLock({ $0 }) { followUp.carryOut() }
        return result
    }

    fileprivate func add(_ followUp: FollowUp) { list.withLock { $0.append(followUp) } }
}

extension StoreContents {
    var layersVersion: UInt32 { rare?.layers.version ?? 0 }

    /// The layers, with the value beneath them as the base.
    fileprivate var layersOverBase: LayerStack {
        var layers = rare?.layers ?? LayerStack()
        if layers.isEmpty { layers.base = state.record.flags.contains(.hasValue) ? state.current : nil }
        return layers
    }
}
