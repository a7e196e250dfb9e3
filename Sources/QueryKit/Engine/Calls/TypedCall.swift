import Foundation

/// The code of one call: the mutation with its arguments, and what its settings say about failures.
final class TypedCall: CallCode {
    let mutation: any AnyMutation
    let arguments: AnyValue
    let settings: Settings
    /// The context of the call, which has its id and its arguments.
    let context: QueryContext
    /// `nil` if the call ends with the process.
    let journal: Journal?

    struct Journal: Sendable {
        let id: UUID
        let journal: any MutationJournal
        /// The journal, if several clients can share it.
        let shared: (any SharedMutationJournal)?
        let holder: LeaseHolder
        /// Whether the journal may have the call already, because another one was made with its id.
        let isRepeated: Bool
    }

    init(_ mutation: any AnyMutation, _ arguments: AnyValue, _ settings: Settings, _ context: QueryContext, _ journal: Journal?) {
        (self.mutation, self.arguments, self.settings, self.context) = (mutation, arguments, settings, context)
        self.journal = journal
    }

    // MARK: Attempts

    func perform(_ call: CallEntry, attempt: Int, in engine: Engine) async -> CallEntry.Outcome {
        guard let request = settings.app?.request, let typing = call.shown?.entry.typing else { return .failure(CancellationError()) }
        // What the request refuses now, it refuses again.
        do { if attempt == 1 { try request.validate(in: context) } } catch { return .failure(error) }
        do {
            try Task.checkCancellation()
            let value = try await typing.value(of: request, in: context, CallTaker(engine, call, attempt))
            let patterns = mutation.invalidates(with: arguments, value: value).map { engine.elements.unique($0) }
            return .success(value, invalidates: patterns)
        } catch {
            // A cancelled attempt may throw another error.
            if error is CancellationError || Task.isCancelled { return .failure(CancellationError()) }
            return .failure(error, await verdict(on: error, call, engine))
        }
    }

    func expire(_ call: CallEntry, in engine: Engine) async -> CallEntry.Outcome {
        let error = QueryError.timeout(after: context.settings.timeout ?? .zero, at: call.shown?.entry.path)
        return .failure(error, await verdict(on: error, call, engine))
    }

    /// What follows a failed attempt. Unless the request sets a limit, it isn't retried (R21).
    private func verdict(on error: any Error, _ call: CallEntry, _ engine: Engine) async -> CallEntry.Verdict {
        let failure = Run.Trials.Failure(error, in: context, defaultLimit: 0)
        func again(_ number: Int) -> CallEntry.Verdict { .retry(after: Nanoseconds(context.retry.backoff.delay(afterFailures: number))) }
        switch engine.enter({ $0[call].trials }).next(after: failure) {
        case .end: return .refused
        case .retry(let number): return again(number)
        case .whenOnline(let number): return .whenOnline(or: number.map(again) ?? .refused)
        case .ask(.repair): return await context.repair?(error, context) == true ? .repeats(.repair) : .refused
        case .ask(.authorization): return await context.authorization?(error, context) == true ? .repeats(.authorization) : .refused
        }
    }

    // MARK: Journal

    func append() async throws {
        guard let journal else { return }
        if journal.isRepeated, try await journal.journal.entries().contains(where: { $0.id == journal.id }) { return }
        let date = context.clock.date
        guard let entry = try mutation.journalEntry(journal.id, arguments, session: context.session, date: date) else { return }
        if let shared = journal.shared {
            try await shared.append(entry, leasedTo: journal.holder.lease(at: date))
        } else {
            try await journal.journal.append(entry)
        }
    }

    func remove() async { if let journal { try? await journal.journal.remove(journal.id) } }

    /// If the journal can't tell, the call is made, so that it is made at least once.
    func turn() async -> MutationTurn {
        guard let journal, let shared = journal.shared else { return .now }
        let date = context.clock.date
        return (try? await shared.turn(of: journal.id, for: journal.holder.lease(at: date), at: date)) ?? .now
    }

    func release() async { if let journal { try? await journal.shared?.release([journal.id], by: journal.holder.id) } }
}

/// Receives the values that an attempt of a call yields.
private final class CallTaker: YieldTaker {
    private let engine: Engine
    private let call: CallEntry
    private let attempt: Int

    init(_ engine: Engine, _ call: CallEntry, _ attempt: Int) { (self.engine, self.call, self.attempt) = (engine, call, attempt) }

    func take(_ value: AnyValue, _ kind: YieldKind) { engine.enterNow { $0.yield(call, attempt: attempt, value) } }
}
