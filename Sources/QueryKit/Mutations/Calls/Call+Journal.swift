import Foundation

/// Where a durable call is written down, and how far that has come.
final class JournalPlace: Sendable {
    let journal: any MutationJournal
    /// The journal, if other clients share it.
    let shared: (any SharedMutationJournal)?
    /// Raised when it is the turn of the call to be written down.
    let mayWrite = SharedFlag()
    /// Raised when the journal holds the call.
    let isWrittenDown = SharedFlag()
    /// Raised when the journal is asked to forget the call.
    let isForgotten = SharedFlag()

    init(in journal: any MutationJournal) {
        self.journal = journal
        shared = journal as? any SharedMutationJournal
    }
}

/// The journal of a durable call.
extension Call {
    var shared: (any SharedMutationJournal)? { place?.shared }

    /// Calls are written down in the order in which they were made.
    func writeDown(in turn: CallTurn?) async throws {
        guard entry == nil, let place else { return }
        if let turn { try await wait(for: turn) }
        if case .repeated = origin, try await isInJournal {
            place.isWrittenDown.raise()
            lines?.leave(.journal, id)
            return
        }
        if let entry = try mutation.journalEntry(id, arguments, session: context.session, date: context.clock.date) {
            if let shared = place.shared, let lines {
                try await shared.append(entry, leasedTo: lines.leases.lease(at: context.clock.date))
                holdLease()
            } else {
                try await place.journal.append(entry)
            }
        }
        place.isWrittenDown.raise()
        // A call whose write failed keeps its place until it ends, because `writeDownLate()` may still write it.
        lines?.leave(.journal, id)
    }

    /// Writes a call into the journal that was left before it was written, so that the user's input is not lost.
    func writeDownLate() async {
        guard let place, !place.isWrittenDown.isRaised, entry == nil else { return }
        // In a new task, because the task of the call is cancelled.
        await Task {
            do {
                // The cancellation ended the wait, but not the place in line.
                let turn = lines?.waitAgain(in: .journal, id).map { CallTurn(promise: $0, hasCome: place.mayWrite) }
                // An append that was cancelled may have written the entry all the same.
                if turn == nil, try await isInJournal { return }
                try await writeDown(in: turn)
            } catch {
                store.report(.storageFailed, .manual, error)
            }
        }.value
    }

    // MARK: Other clients

    /// The client has the lease of the call by now, and extends it.
    func holdLease() {
        if let shared { lines?.leases.hold(id, of: store, in: shared, on: context.clock) }
    }

    /// Returns the call to the journal, where any client may take it.
    func returnLease() async {
        guard let shared, let lines else { return }
        lines.leases.drop(id)
        // In a new task, because the task of the call is cancelled.
        await Task { [id, store] in
            do {
                try await shared.release([id], by: lines.leases.holder)
            } catch {
                store.report(.storageFailed, .manual, error)
            }
        }.value
    }

    /// Waits until it is the turn of the call in a journal that other clients share.
    ///
    /// Throws `CancellationError` if the call is ended, or lost to another client.
    func waitForOthers() async throws {
        guard let shared, let lines else { return }
        // The calls before this one when the client last looked for calls that it has to resume first.
        var known: [UUID] = []
        while true {
            try checkEnd()
            switch await turn(in: shared, lines) {
            case .now:
                return holdLease()
            case .lost:
                lines.leave(id)
                throw CancellationError()
            case .blocked(let earlier):
                known = []
                // The other client's call may wait for one of these in turn.
                if let turn = giveWay(to: earlier, lines) { try await wait(for: turn) } else { try await pause() }
            case .after(let earlier):
                // They are the client's own, or were left by a client that is gone and are to be resumed first.
                if let turn = giveWay(to: earlier, lines) {
                    try await wait(for: turn)
                } else if earlier == known {
                    return holdLease()
                } else {
                    known = earlier
                    guard await lines.leases.resumeFreeCalls() else { return holdLease() }
                }
            }
        }
    }

    /// Checks before an attempt that follows a wait that no other client has taken the call.
    func checkLease() async throws {
        guard let shared, let lines, await turn(in: shared, lines) == .lost else { return }
        lines.leave(id)
        throw CancellationError()
    }

    /// A journal that can't be read holds up no call: it is made at least once.
    private func turn(in journal: any SharedMutationJournal, _ lines: MutationLines) async -> MutationTurn {
        let date = context.clock.date
        do {
            return try await journal.turn(of: id, for: lines.leases.lease(at: date), at: date)
        } catch {
            store.report(.storageFailed, .manual, error)
            return .now
        }
    }

    private func giveWay(to earlier: [UUID], _ lines: MutationLines) -> CallTurn? {
        guard let scope = mutation.scope else { return nil }
        let flag = SharedFlag()
        let wake = { @Sendable [token] in
            flag.raise()
            token.wake()
        }
        let turn = lines.giveWay(in: scope, id, to: earlier, handing: progress.withLock { $0.takePass() }, wake: wake) { [self] in
            hold($0)
        }
        return turn.map { CallTurn(promise: $0, hasCome: flag) }
    }

    /// Waits before it asks the journal again.
    private func pause() async throws {
        let (promise, flag) = (Promise<Void>(), SharedFlag())
        let clock = context.clock
        let alarm = store.host.schedule(at: clock.now.advanced(by: JournalLeases.pause), on: clock) { [token] in
            flag.raise()
            token.wake()
            promise.resolve(.success(()))
        }
        defer { alarm.cancel() }
        try await wait(for: CallTurn(promise: promise, hasCome: flag))
    }

    // MARK: The end

    /// The call is over and need not be made again.
    func forget() async {
        guard let place else { return }
        let journal = place.journal
        place.isForgotten.raise()
        // In a task of its own: a call that was cancelled is forgotten all the same.
        await Task { [id, store] in
            do {
                try await journal.remove(id)
            } catch {
                store.report(.storageFailed, .manual, error)
            }
        }.value
    }

    private var isInJournal: Bool {
        get async throws { try await place?.journal.entries().contains { $0.id == id } ?? false }
    }
}
