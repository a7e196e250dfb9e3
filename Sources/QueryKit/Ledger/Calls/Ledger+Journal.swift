/// The journal of durable calls: what it is to write, one after the other.
extension Ledger {
    /// The order in which the journal is written: that in which calls were made, and each is removed after it was appended.
    struct JournalQueue: Sendable {
        enum Task: Sendable { case append, remove }

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
        }
    }

    /// The first task has ended, and the next one begins.
    mutating func finishWriting() {
        trash.add(journal.tasks.removeFirst().call)
        beginWriting()
        endWork()
    }
}
