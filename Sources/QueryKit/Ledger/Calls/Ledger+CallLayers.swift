/// The layers of calls, and when they go (R22).
extension Ledger {
    /// Returns the entries that must show the layers.
    mutating func lay(_ call: CallEntry) -> [Entry] {
        for (entry, apply) in call.layers {
            let layer = Layer(call, apply)
            self[entry].layers.append(layer)
            self[call].layers.append((entry, layer))
            updateUse(entry)
        }
        return withLayers(call.layers.map(\.entry))
    }

    private mutating func withLayers(_ entries: [Entry]) -> [Entry] {
        var known: Set<Entry> = []
        let entries = entries.filter { known.insert($0).inserted && isListed($0) }
        for entry in entries { holdRecord(entry) }
        for entry in entries { self[entry].record.cause = .optimistic }
        return entries
    }

    /// Returns the entries that must show that the layers are gone.
    mutating func dropLayers(_ call: CallEntry) -> [Entry] {
        let layers = self[call].layers
        self[call].layers = []
        for (entry, layer) in layers {
            self[entry].layers.removeAll { $0 === layer }
            trash.add(layer)
            updateUse(entry)
        }
        return withLayers(layers.map(\.entry))
    }

    mutating func foldAfterDropping(_ call: CallEntry) { for (entry, _) in call.layers { foldIfUnfetched(entry) } }

    /// The entries with layers of a call that its sources have reported no change of.
    func unchanged(by call: CallEntry) -> [Entry] {
        guard call.isSourceBacked else { return [] }
        let reported = self[call].changes.filter { $0.reported != nil }
        return self[call].layers.map(\.entry).filter { entry in
            let reads = reads(of: entry).regions
            return !reported.contains { change in reads.contains { change.regions.overlaps($0) } }
        }
    }

    /// An entry has lost a layer of a call that has succeeded.
    mutating func noteRemoval(of layer: Layer, from entry: Entry, of call: CallEntry) {
        self[call].layers.removeAll { $0.layer === layer }
        endIfLanded(call)
    }

    mutating func endIfLanded(_ call: CallEntry) {
        guard case .landing(let value) = self[call].state, self[call].layers.isEmpty else { return }
        self[call].state = .ended(.success(value))
        calls[call.number] = nil
        trash.add(call)
    }

    // MARK: Without another run

    /// If no run will replace the value, the lowest layers whose calls have succeeded become part of it.
    mutating func foldIfUnfetched(_ entry: Entry) {
        if self[entry].isInvalidated && self[entry].isObserved { return }
        dropLanded(entry)
    }

    /// A request that is disabled won't be fetched, so the layers of calls that have succeeded become part of its value. An open stream
    /// isn't fetched either; its next element replaces the value.
    mutating func dropLanded(_ entry: Entry) { if self[entry].run == nil || isLive(entry) { fold(entry) } }

    private mutating func fold(_ entry: Entry) {
        let landed = self[entry].layers.prefix { layer in layer.owner.map { isLanding($0) } ?? true }
        if landed.isEmpty { return }
        holdRecord(entry)
        if self[entry].base != nil { for layer in Array(landed) { self[entry].updates.append(Layer(nil, layer.apply)) } }
        removeLayers(entry, Array(landed))
        derive([entry])
    }

    private func isLanding(_ call: CallEntry) -> Bool { if case .landing = self[call].state { true } else { false } }
}
