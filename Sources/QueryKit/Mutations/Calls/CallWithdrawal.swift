public import Foundation

extension QueryStore {
    /// Cancels one call and removes it from the journal, even if the call ended because its store was removed or its session ended.
    public func cancelMutation<Arguments, Result>(_ id: MutationRun<Arguments, Result>.ID)
    where State == MutationState<Arguments, Result> {
        guard let host = context.mutationHost else { return }
        let journal = core.request.unwrapped is any DurableMutationRequest ? host.journal : nil
        host.mutationQueues.withdraw(id, from: journal, countedBy: core.host.work) { [core] in core.report(.storageFailed, .manual, $0) }
    }
}

extension MutationQueues {
    /// Ends a call, and removes it from the journal once it has ended.
    func withdraw(
        _ id: UUID,
        from journal: (any MutationJournal)?,
        countedBy work: WorkCounter,
        report: @escaping @Sendable (any Error) -> Void
    ) {
        let end = beginWithdrawal(id)
        guard let journal else { return endWithdrawal(id) }
        // Wait for a turn in the queue and for the end of the call, because the call may write its entry until then. If the call is
        // repeated, its new entry is written after the removal.
        let withdrawal = UUID()
        let turn = enter(.journal, withdrawal, resume: {}, hold: { _ in })
        // The task has no owner: it does one thing and ends.
        let token = work.begin()
        Task.detached { [self] in
            try? await turn?.get()
            try? await end?.get()
            do {
                try await journal.remove(id)
            } catch {
                report(error)
            }
            endWithdrawal(id)
            leave(.journal, withdrawal)
            token.end()
        }
    }
}
