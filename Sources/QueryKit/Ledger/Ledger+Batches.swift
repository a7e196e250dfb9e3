/// Batches: several changes as one. What they change is shown in one step (R29).
extension Ledger {
    /// One of the changes that a batch combines.
    enum Change: Sendable {
        case result(Entry, Result<AnyValue, any Error>)
        case update(Entry, Layer)
        case invalidation(Subject, QueryCause, QueryRefetch, Refetches)
        case call(CallEntry)
    }

    /// Enters changes in their order: a value that was written after an invalidation stays fresh. Each entry publishes once.
    mutating func enter(_ batch: [Change]) {
        heldBack = []
        var changed: [Entry] = []
        var calls: [CallEntry] = []
        for event in batch {
            switch event {
            case .result(let entry, let result):
                enter(entry, result)
                self[entry].result = result
                changed.append(entry)
            case .update(let entry, let update): if enter(entry, update) { changed.append(entry) }
            case .invalidation(let subject, let cause, let refetch, let list):
                let entries = entries(of: subject)
                change = change.next
                for entry in entries { note(change, entry, cause, refetch) }
                // Part of the change, so that it is shown with the written values.
                changed += entries
                collecting(list) { $0.follow(entries, cause, refetch) }
            case .call(let call):
                // It may have been withdrawn in the meantime.
                guard self[call].state.result == nil else { continue }
                changed += enter(call)
                calls.append(call)
            }
        }
        var known: Set<Entry> = []
        let entries = (changed + (heldBack ?? [])).filter { known.insert($0).inserted }
        trash.add(heldBack ?? [])
        heldBack = nil
        for call in calls { start(call) }
        derive(entries)
        for entry in entries { foldIfUnfetched(entry) }
    }
}
