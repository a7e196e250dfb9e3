import Foundation

@testable import QueryKit

/// What the states of mutations show of their calls.
extension LedgerLife {
    /// Two mutations make all calls.
    static let firstMutation = 1_000

    func shown(_ number: UInt64) -> CallEntry.Shown {
        let own = entry(Self.firstMutation + Int(number) % 2)
        // Few calls that have ended are kept.
        return CallEntry.Shown(entry: own, note: CallNote(id: UUID(), arguments: AnyValue(number), submittedAt: ledger.time.date), limit: 4)
    }

    var mutations: [Entry] { [0, 1].compactMap { listed(Self.firstMutation + $0) } }

    /// What the app does with calls that it has made.
    func useCalls() {
        guard !calls.isEmpty else { return }
        let call = calls[roll(calls.count)]
        switch roll(6) {
        case 0:
            note("wait for call \(call.number)")
            let caller = Caller(Settings())
            kept.append(caller)
            callers.append(caller)
            event { $0.wait(for: call, caller) }
        case 1:
            guard let working = workingCalls.first(where: { $0.call === call }) else { return }
            note("yield by call \(call.number)")
            event { $0.yield(call, attempt: working.attempt, AnyValue(Value())) }
        case 2:
            guard let own = mutations.first else { return }
            note("dismiss")
            event { $0.dismissError(own) }
        case 3:
            guard let own = mutations.last else { return }
            note("end the calls of a mutation")
            event { $0.endCalls(of: own) }
        case 4:
            let ended = calls.filter { ledger[$0].isKept } + calls.suffix(2)
            note("withdraw \(ended.map(\.number))")
            for call in ended where isWaiting(call) || ledger[call].isKept { withdrawn.insert(call.number) }
            event { $0.withdraw(ended) }
        default:
            guard let own = mutations.last else { return }
            note("write to a mutation")
            event { $0.write(own, .success(AnyValue(Value()))) }
        }
    }

    /// R21, R22: the log, the calls and their layers are seen at one moment.
    func checkCallLog() {
        for own in mutations {
            let log = (ledger[own].record.notes as? CallLog)?.calls ?? []
            let pending = Set(log.filter(\.isPending).map(\.id))
            if pending != Set(ledger[own].calls.map(\.id)) { problems.append("the log of a mutation shows other calls as pending") }
            if log.count(where: { !$0.isPending }) > 4 { problems.append("a log keeps too many calls") }
        }
        for call in calls.suffix(4) where performed[call.number] == nil && call.layers.allSatisfy({ ledger.isListed($0.entry) }) {
            guard let own = call.shown?.entry, ledger.isListed(own) else { continue }
            // It was resumed as another one.
            if calls.contains(where: { $0.id == call.id && $0.number > call.number }) { continue }
            guard let note = (ledger.state(own).record.notes as? CallLog)?.note(call.id) else { continue }
            // Those of the call that it resumes show the same.
            let numbers = calls.filter { $0.id == call.id }.map(\.number)
            let shown = Set(
                layered[call.number]!.compactMap { value($0)?.layers }.map { layers in numbers.contains { layers.contains($0) } }
            )
            if shown.contains(!note.isPending) {
                problems.append("call \(call.number) is \(note.status) and its layers are \(shown)")
            }
        }
    }

    /// At the end of a life no call is shown as under way.
    func checkMutations() {
        for own in mutations {
            let state = ledger.state(own).record
            if !state.flags.isDisjoint(with: [.fetching, .paused]) { problems.append("a mutation shows a call: \(state.flags)") }
            if (state.notes as? CallLog)?.isPending == true { problems.append("a call is shown as pending") }
        }
    }
}
