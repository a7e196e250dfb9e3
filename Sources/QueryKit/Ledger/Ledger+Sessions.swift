/// Sessions: what belongs to a former one doesn't count any more.
extension Ledger {
    /// Whether an event of a request counts: its entry is listed, and its settings belong to the present session.
    func isPresent(_ entry: Entry, _ settings: Settings) -> Bool { isListed(entry) && settings.session == epoch }

    /// Lists an entry that was never listed, unless another one with the same hash was listed since it was made.
    mutating func insertUnused(_ entry: Entry) -> Bool { self[entry].lastUse == 0 && insert(entry) }

    /// Keeps settings for equal requests with the same modifiers.
    mutating func keep(_ settings: Settings, _ entry: Entry) {
        guard isPresent(entry, settings) else { return }
        trash.add(self[entry].known)
        self[entry].known = settings
    }
}
