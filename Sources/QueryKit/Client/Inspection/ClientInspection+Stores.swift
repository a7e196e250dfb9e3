/// The stores of a client.
extension ClientInspection {
    /// The ids and fingerprints of all stores, to find out which rows have changed. Takes some milliseconds for 10,000 stores, holds no
    /// lock for longer than microseconds, and calls no code of the app.
    ///
    /// The result of a condition, such as in `enabled(when:)`, is not part of the fingerprint.
    package func marks() -> [StoreMark] {
        guard let core else { return [] }
        return StoreWalk(core).map { StoreMark(id: $0.ticket.id, fingerprint: $0.fingerprint) }
    }

    /// The descriptions of some stores. Stores that no longer exist are left out.
    package func rows(_ ids: [Int]) -> [StoreRow] { ids.compactMap { store($0)?.row(showsValues: showsValues) } }

    /// Everything about one store; `nil` if it doesn't exist.
    ///
    /// - Parameters:
    ///   - includingValue: Whether to describe the value. If `false`, no description that the app defines is called.
    ///   - limit: The maximum number of characters of the value's text.
    package func details(_ id: Int, includingValue: Bool, limit: Int = 100_000) -> StoreDetails? {
        guard let core, let store = store(id) else { return nil }
        let links = links(of: store, in: core)
        let cacheObjects = Set(store.cacheObjects)
        let statements = core.statements(store.ticket)
        return StoreDetails(
            row: store.row(showsValues: showsValues),
            value: includingValue ? store.inspectedValue(limit: limit) : nil,
            fields: store.stateFields(showsValues: showsValues),
            settings: store.settingTexts,
            reads: Array(Set(store.reads.map(text))).sorted(),
            statements: statements.described,
            hasMoreStatements: statements.isIncomplete,
            tags: core.state.withLock { $0.tags.regions(of: store.ticket.slot) }.map(\.source).sorted(),
            dependencies: links.dependencies,
            dependents: links.dependents,
            layers: layers(over: store, in: core),
            caches: core.patterns.caches.filter { cacheObjects.contains($0.object) }.map(\.cache.name)
        )
    }

    private func text(_ value: some Redacted) -> String { value.text(showsValues: showsValues) }

    /// The stores that a store depends on, and those that depend on it. Searches all stores.
    private func links(of store: StoreCore, in core: ClientCore) -> (dependencies: [StoreDetails.Link], dependents: [StoreDetails.Link]) {
        let wanted = store.dependencies
        var known: [QueryIdentity: Int] = [:]
        var dependents: [StoreDetails.Link] = []
        let identity = store.identity
        for other in StoreWalk(core) where other !== store {
            for request in wanted where other.isIdentified(by: request.identity) { known[request.identity] = other.ticket.id }
            if other.linkedIdentities.contains(identity) {
                dependents.append(StoreDetails.Link(id: other.ticket.id, path: text(other.path)))
            }
        }
        let dependencies = wanted.map { StoreDetails.Link(id: known[$0.identity], path: text($0.path)) }
        return (Array(Set(dependencies)).sorted { $0.path < $1.path }, dependents.sorted { $0.path < $1.path })
    }

    private func layers(over store: StoreCore, in core: ClientCore) -> [StoreDetails.Layer] {
        let owners = store.layerOwners
        if owners.isEmpty { return [] }
        let pending = Dictionary(core.mutationQueues.pending.map { ($0.call.id, $0) }) { first, _ in first }
        return owners.map { owner, isPending in
            if let known = pending[owner] {
                let label = isPending ? "the mutation is under way" : "a result with its effect is on its way"
                return StoreDetails.Layer(mutation: text(known.call.path), call: known.number, label: label)
            }
            let ended = StoreWalk(core).first { ($0.notes as? CallLog)?.calls.contains { $0.id == owner } == true }
            return StoreDetails.Layer(mutation: (ended?.path).map(text), call: nil, label: "waits for a result with its effect")
        }
    }

    // MARK: What would change

    /// Parses a typed text as a pattern. If the text matches the displayed path of a store, each word becomes the path element that is
    /// displayed as that word, for example a number. Searches all stores.
    package func pattern(typed text: String) -> QueryPattern {
        let typed = QueryPattern(stringLiteral: text)
        guard let core, core.stores(matching: typed).isEmpty else { return typed }
        // What follows `**` may stand at any position, so it is taken as it was typed.
        let fixed = typed.elements.prefix { $0 != .rest }
        for store in StoreWalk(core) where typed.matches(QueryPath(stringLiteral: self.text(store.path))) {
            let elements = zip(fixed, store.path.elements).map { typed, own in typed == .any ? typed : .element(own) }
            return QueryPattern(elements + typed.elements.dropFirst(fixed.count))
        }
        return typed
    }

    /// The stores that `invalidate(pattern)` would mark as out of date, and what would happen to them. Changes nothing.
    package func matches(of pattern: QueryPattern) -> [Affected] {
        (core?.stores(matching: pattern) ?? []).compactMap { $0.affected(showsValues: showsValues) }.sorted { $0.path < $1.path }
    }

    /// Describes the mistake in the notation of a pattern; `nil` if there is none.
    package func mistake(in pattern: QueryPattern) -> String? {
        pattern.mistake(hasMatches: core?.stores(matching: pattern).isEmpty == false)?.message(pattern)
    }

    /// The stores that a change of a region would mark as out of date, and what would happen to them. Changes nothing.
    ///
    /// - Parameter text: The text of a region, as in ``StoreDetails/reads`` or ``regionTexts(limit:)``.
    package func readers(ofRegion text: String) -> [Affected] {
        guard let core else { return [] }
        let known = core.readRegions().filter { self.text($0) == text }
        let regions = known.isEmpty ? [QueryRegion(text: text)] : Array(known)
        let stores = core.state.withLock { state in
            Set(regions.flatMap { state.reads.slots(overlapping: $0.inAllColumns) }).compactMap { state.registry.store(at: $0) }
        }
        return stores.compactMap { $0.affected(showsValues: showsValues) }.sorted { $0.path < $1.path }
    }

    /// The texts of the regions that the values of stores were read from, and of the tables and sources that they belong to, sorted.
    package func regionTexts(limit: Int) -> [String] {
        guard let core else { return [] }
        var texts: Set<String> = []
        for region in core.readRegions() {
            texts.insert(QueryRegion(source: region.source).description)
            texts.insert(QueryRegion(source: region.source, name: region.name).description)
            texts.insert(text(region))
        }
        return Array(texts.sorted().prefix(limit))
    }
}

extension ClientCore {
    /// The regions that the values of all stores were read from.
    fileprivate func readRegions() -> Set<QueryRegion> {
        var regions: Set<QueryRegion> = []
        for store in StoreWalk(self) { regions.formUnion(store.reads) }
        return regions
    }
}

extension QueryRegion {
    /// The region with a text such as `diary/entries/2026-11-22` or `diary/food#7`.
    fileprivate init(text: String) {
        let parts = text.split(separator: "#", maxSplits: 1).map(String.init)
        let names = (parts.first ?? "").split(separator: "/", maxSplits: 2).map(String.init)
        self.init(
            source: names.first ?? "",
            name: names.count > 1 ? names[1] : nil,
            partition: names.count > 2 ? names[2] : nil,
            row: parts.count > 1 ? parts[1] : nil
        )
    }
}
