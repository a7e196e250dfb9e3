import Foundation

/// The journal of a durable call, and the call's progress in it.
final class JournalProgress: Sendable {
    let journal: any MutationJournal
    /// The journal, if several clients can share it.
    let shared: (any SharedMutationJournal)?
    /// Raised when it is the call's turn to be written to the journal.
    let mayWrite = SharedFlag()
    /// Raised when the journal contains the call.
    let isWrittenDown = SharedFlag()
    /// Raised when the removal of the call from the journal begins.
    let isForgotten = SharedFlag()

    init(in journal: any MutationJournal) {
        self.journal = journal
        shared = journal as? any SharedMutationJournal
    }
}

/// The journal of a durable call.
extension Call {
    var shared: (any SharedMutationJournal)? { journalProgress?.shared }

    /// Writes the call to the journal. Calls are written in the order in which they were made.
    func writeDown(in turn: CallTurn?) async throws {
        guard entry == nil, let journalProgress else { return }
        if let turn { try await wait(for: turn) }
        if case .repeated = origin, try await isInJournal {
            journalProgress.isWrittenDown.raise()
            queues?.leave(.journal, id)
            return
        }
        if let entry = try mutation.journalEntry(id, arguments, session: context.session, date: context.clock.date) {
            if let shared = journalProgress.shared, let queues {
                try await shared.append(entry, leasedTo: queues.leases.lease(at: context.clock.date))
                holdLease()
            } else {
                try await journalProgress.journal.append(entry)
            }
        }
        journalProgress.isWrittenDown.raise()
        // A call whose write failed keeps its place in the queue until it ends, because `writeDownLate()` may still write it.
        queues?.leave(.journal, id)
    }

    /// Writes a call that ended as ``MutationQueues/End/kept`` before it was written to the journal, so that the user's input isn't lost.
    func writeDownLate() async {
        guard let journalProgress, !journalProgress.isWrittenDown.isRaised, entry == nil else { return }
        // In a new task, because the task of the call is cancelled.
        await Task {
            do {
                // The cancellation has ended the wait, but the call has kept its place in the queue.
                let turn = queues?.waitAgain(in: .journal, id).map { CallTurn(promise: $0, hasCome: journalProgress.mayWrite) }
                // A cancelled append may have written the entry nevertheless.
                if turn == nil, try await isInJournal { return }
                try await writeDown(in: turn)
            } catch {
                store.report(.storageFailed, .manual, error)
            }
        }.value
    }

    // MARK: Other clients

    /// Notes that the client now has the lease of the call, and extends it from now on.
    func holdLease() {
        if let shared { queues?.leases.hold(id, of: store, in: shared, on: context.clock) }
    }

    /// Returns the call to the journal, where any client may lease it.
    func returnLease() async {
        guard let shared, let queues else { return }
        queues.leases.drop(id)
        // In a new task, because the task of the call is cancelled.
        await Task { [id, store] in
            do {
                try await shared.release([id], by: queues.leases.holder)
            } catch {
                store.report(.storageFailed, .manual, error)
            }
        }.value
    }

    /// Waits until it is the turn of the call in a shared journal.
    ///
    /// Throws a `CancellationError` if the call is ended from outside, or lost to another client.
    func waitForOthers() async throws {
        guard let shared, let queues else { return }
        // The earlier calls in the journal when the client last looked for calls that must be resumed before this one.
        var known: [UUID] = []
        while true {
            try checkEnd()
            switch await turn(in: shared, queues) {
            case .now:
                return holdLease()
            case .lost:
                queues.endKept(id)
                throw CancellationError()
            case .blocked(let earlier):
                known = []
                // The other client's call may itself wait for one of these calls.
                if let turn = giveWay(to: earlier, queues) { try await wait(for: turn) } else { try await pause() }
            case .after(let earlier):
                // The earlier calls belong to this client or to no client. If a client that no longer exists has left them, they must be
                // resumed first.
                if let turn = giveWay(to: earlier, queues) {
                    try await wait(for: turn)
                } else if earlier == known {
                    return holdLease()
                } else {
                    known = earlier
                    guard await queues.leases.resumeFreeCalls() else { return holdLease() }
                }
            }
        }
    }

    /// Checks that no other client has taken the call; throws `CancellationError` if one has. Called before an attempt that follows a wait.
    func checkLease() async throws {
        guard let shared, let queues, await turn(in: shared, queues) == .lost else { return }
        queues.endKept(id)
        throw CancellationError()
    }

    /// The turn of the call. If the journal can't be read, the call continues, so it is made at least once.
    private func turn(in journal: any SharedMutationJournal, _ queues: MutationQueues) async -> MutationTurn {
        let date = context.clock.date
        do {
            return try await journal.turn(of: id, for: queues.leases.lease(at: date), at: date)
        } catch {
            store.report(.storageFailed, .manual, error)
            return .now
        }
    }

    private func giveWay(to earlier: [UUID], _ queues: MutationQueues) -> CallTurn? {
        guard let scope = mutation.scope else { return nil }
        let flag = SharedFlag()
        let resume = { @Sendable [token] in
            flag.raise()
            token.resume()
        }
        let turn = queues.giveWay(in: scope, id, to: earlier, handing: progress.withLock { $0.takePass() }, resume: resume) { [self] in
            hold($0)
        }
        return turn.map { CallTurn(promise: $0, hasCome: flag) }
    }

    /// Waits before the journal is read again.
    private func pause() async throws {
        let (promise, flag) = (Promise<Void>(), SharedFlag())
        let clock = context.clock
        let alarm = store.host.schedule(at: clock.now.advanced(by: JournalLeases.pause), on: clock) { [token] in
            flag.raise()
            token.resume()
            promise.resolve(.success(()))
        }
        defer { alarm.cancel() }
        try await wait(for: CallTurn(promise: promise, hasCome: flag))
    }

    // MARK: Ending

    /// Removes the call from the journal: it is over and need not be repeated.
    func forget() async {
        guard let journalProgress else { return }
        let journal = journalProgress.journal
        journalProgress.isForgotten.raise()
        // In a new task, because the task of a cancelled call could not remove it.
        await Task { [id, store] in
            do {
                try await journal.remove(id)
            } catch {
                store.report(.storageFailed, .manual, error)
            }
        }.value
    }

    private var isInJournal: Bool {
        get async throws { try await journalProgress?.journal.entries().contains { $0.id == id } ?? false }
    }
}
