extension StoreCore {
    /// Lays a change over the value for as long as its owner says, and longer until the base holds it.
    ///
    /// A layer belongs to a session: where the store is in another one by now, nothing is laid over its value.
    func addLayer(of owner: LayerStack.Owner, in session: QueryContext?, _ change: @escaping LayerStack.Change) {
        func isSameSession(_ contents: borrowing StoreContents) -> Bool {
            guard let session else { return true }
            return contents.base.context.owner === session.owner && session.owner?.isEnded != true
        }
        changeLayers(if: isSameSession) { layers, _ in layers.add(change, of: owner) }
    }

    func removeLayers(of owner: LayerStack.Owner) { changeLayers { layers, _ in layers.remove(owner) } }

    /// What the mutation did can be seen by runs that begin from now on.
    func landLayers(of owner: LayerStack.Owner) { changeLayers { layers, run in layers.land(owner, after: run) } }

    /// The mutation is over, and has invalidated what it had to.
    func finishLayers(of owner: LayerStack.Owner) { changeLayers { layers, _ in layers.finish(owner) } }

    /// Layers that wait for a run to land become part of the base when none is under way.
    func foldLayers() {
        func fold(_ layers: inout LayerStack, _ lastRun: Int32) {
            var failures: [any Error] = []
            layers.fold(into: layers.folded(&failures))
        }
        changeLayers(if: { $0.machine.run == nil && $0.extras?.layers.waitsForLanding == true }, fold)
    }

    /// Changes the stack of layers and shows the outcome. Layers are applied with the lock open; another change in between repeats it.
    private func changeLayers(
        if condition: (borrowing StoreContents) -> Bool = { _ in true },
        _ change: (inout LayerStack, _ lastRun: Int32) -> Void
    ) {
        while true {
            let (before, number, lastRun) = contents.withLock { contents in
                (contents.layersOverBase, contents.valueNumber, contents.machine.lastBegunNumber)
            }
            var layers = before
            change(&layers, lastRun)
            var failures: [any Error] = []
            let shown = RunScope.outside { layers.base.map { layers.applied(to: $0, &failures) } }
            var input = StoreInput()
            if let shown {
                input = StoreInput(value: shown, byteCount: typing.byteCount(of: shown), equalsValue: numberOfEqualValue(shown))
                input.result = nil
                input.shown = shown
            }
            // What is replaced is released outside the lock: a layer may hold anything.
            let isDone = withExtendedLifetime(before) {
                self.change(input) { contents, input in
                    guard contents.layersVersion == before.version, contents.valueNumber == number else { return false }
                    guard condition(contents) else { return true }
                    contents.needExtras().layers = layers
                    // Without a value there is nothing to lie over, and nothing to tell.
                    guard shown != nil else {
                        contents.noteUse()
                        return true
                    }
                    var input = input
                    // Computed just now, for the new layers.
                    input.overlay = nil
                    contents.process(input) { _, record in
                        record.cause = .optimistic
                        return RunMachine.Effects(value: .relayer)
                    }
                    return true
                }
            }
            guard isDone else { continue }
            for failure in failures { report(.layerFailed, .optimistic, failure) }
            return
        }
    }
}

extension StoreContents {
    var layersVersion: UInt32 { extras?.layers.version ?? 0 }

    /// The layers, with the value that lies beneath them.
    fileprivate var layersOverBase: LayerStack {
        var layers = extras?.layers ?? LayerStack()
        if layers.isEmpty { layers.base = state.record.flags.contains(.hasValue) ? state.current : nil }
        return layers
    }
}
