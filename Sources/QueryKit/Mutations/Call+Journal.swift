/// The journal of a durable call.
extension Call {
    /// Calls are written down in the order in which they were made.
    func writeDown(in turn: Promise<Void>?) async throws {
        guard entry == nil, let journal else { return }
        if let turn { try await wait(for: turn, mayWrite) }
        if case .repeated = origin, try await isInJournal {
            isWrittenDown.raise()
            lines?.leave(.journal, id)
            return
        }
        if let entry = try mutation.journalEntry(id, arguments, session: context.session, date: context.clock.date) {
            try await journal.append(entry)
        }
        isWrittenDown.raise()
        // A call whose write failed keeps its place until it ends, because `writeDownLate()` may still write it.
        lines?.leave(.journal, id)
    }

    /// Writes a call into the journal that was left before it was written, so that the user's input is not lost.
    func writeDownLate() async {
        guard !isWrittenDown.isRaised, journal != nil, entry == nil else { return }
        // In a new task, because the task of the call is cancelled.
        await Task {
            do {
                // The cancellation ended the wait, but not the place in line.
                let turn = lines?.waitAgain(in: .journal, id)
                // An append that was cancelled may have written the entry all the same.
                if turn == nil, try await isInJournal { return }
                try await writeDown(in: turn)
            } catch {
                store.report(.journalFailed, .manual, error)
            }
        }.value
    }

    /// The call is over and need not be made again.
    func forget() async {
        guard let journal else { return }
        // In a task of its own: a call that was cancelled is forgotten all the same.
        await Task { [id, store] in
            do {
                try await journal.remove(id)
            } catch {
                store.report(.journalFailed, .manual, error)
            }
        }.value
    }

    private var isInJournal: Bool {
        get async throws { try await journal?.entries().contains { $0.id == id } ?? false }
    }
}
