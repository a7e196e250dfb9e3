import Foundation

/// The journal of durable calls: what it is to write, one after the other, and which of its calls are made again.
extension Ledger {
    /// The order in which the journal is written: that in which calls were made, and each is removed after it was appended.
    struct JournalQueue: Sendable {
        enum Task: Sendable { case append, remove, release }

        /// The first one is under way.
        var tasks: [(task: Task, call: CallEntry)] = []
    }

    mutating func write(_ task: JournalQueue.Task, _ call: CallEntry) {
        beginWork()
        journal.tasks.append((task, call))
        if journal.tasks.count == 1 { beginWriting() }
    }

    private mutating func beginWriting() {
        guard let (task, call) = journal.tasks.first else { return }
        switch task {
        case .append: effects.append(.append(call))
        case .remove: effects.append(.remove(call))
        case .release: effects.append(.release(call))
        }
    }

    /// The first task has ended, and the next one begins.
    mutating func finishWriting() {
        trash.add(journal.tasks.removeFirst().call)
        beginWriting()
        endWork()
    }

    // MARK: Resuming

    /// While the journal is read and its calls are made again, new calls of scopes wait, because earlier ones may come (R24).
    struct Resumption: Sendable {
        /// The calls that were under way, have left the journal, or were resumed since it began. What the journal has read of them is old.
        var known: Set<UUID>
    }

    mutating func beginResumption() {
        let leaving = journal.tasks.filter { if case .remove = $0.task { true } else { false } }.map(\.call.id)
        resumption = Resumption(known: Set(calls.values.map(\.id)).union(leaving))
    }

    /// Calls that stay in the journal, although it doesn't have them yet.
    func unwritten() -> [CallEntry] {
        journal.tasks.filter { if case .append = $0.task { self[$0.call].isKept } else { false } }.map(\.call)
    }

    /// Waits until the journal has a call.
    mutating func wait(for call: CallEntry, _ signal: Signal) {
        let isDue = journal.tasks.contains { if case .append = $0.task { $0.call === call } else { false } }
        if isDue { self[call].writers.append(signal) } else { end(signal) }
    }

    func mayResume(_ id: UUID) -> Bool { resumption?.known.contains(id) == false }

    /// Makes a call of the journal again, unless it is known. Then it is under way or over.
    mutating func resume(_ call: CallEntry, _ id: UUID) -> Bool {
        guard mayResume(id) else { return false }
        forgetKept(id)
        submit(call)
        return true
    }

    mutating func endResumption() {
        resumption = nil
        for scope in scopes.keys.sorted() { advance(scope: scope) }
    }
}
