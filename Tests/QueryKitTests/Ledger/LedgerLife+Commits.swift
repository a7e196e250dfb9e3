import Foundation

@testable import QueryKit

/// Commits of calls: the source numbers them, and they can be read before it reports them.
extension LedgerLife {
    final class Commit {
        enum Stage { case begun, readable, ended, reported }

        let call: CallEntry
        let attempt: Int
        let region: Int
        let number: UInt64
        var stage = Stage.begun
        /// The version that it has made.
        var version: Int?

        init(_ call: CallEntry, _ attempt: Int, _ region: Int, _ number: UInt64) {
            (self.call, self.attempt, self.region, self.number) = (call, attempt, region, number)
        }
    }

    /// The source itself, as its runs know it.
    final class Database: Sendable {}

    /// The commit that a reader can't be sure of, if there is one.
    private var openCommit: Commit? { commits.first { $0.stage == .begun || $0.stage == .readable } }

    /// The commits that a reader sees now: all up to the first, and none after the last.
    var readable: ClosedRange<UInt64> { (openCommit == nil ? lastCommit : lastCommit - 1)...lastCommit }

    /// Begins a commit of a call, unless another one is open.
    func beginCommit(_ call: CallEntry, _ attempt: Int, _ region: Int) -> Bool {
        if openCommit != nil { return false }
        lastCommit += 1
        let commit = Commit(call, attempt, region, lastCommit)
        commits.append(commit)
        note("begin commit \(lastCommit) of call \(call.number) in \(region)")
        event { $0.begin(call, [self.region(region)], at: SourceCommit(commit.number, of: database)) }
        return true
    }

    func proceed(_ commit: Commit) {
        note("commit \(commit.number) goes on after it has \(commit.stage)")
        switch commit.stage {
        case .begun:
            if isFailing, roll(3) == 0 {
                event { $0.withdraw(commit.call, SourceCommit(commit.number, of: database)) }
                return end(commit, .failure(Failure(number: fresh())))
            }
            versions[commit.region] += 1
            for attempt in attempts where attempt.source == commit.region { attempt.hasElement = true }
            commit.version = versions[commit.region]
            commit.stage = .readable
        case .readable: commit.stage = .ended
        case .ended:
            reported[commit.region] = versions[commit.region]
            event { $0.changed([self.region(commit.region)], .regionChanged, of: commit.call) }
            commit.stage = .reported
        case .reported: end(commit, .success(AnyValue(Value()), invalidates: invalidated[commit.call.number] ?? []))
        }
    }

    private func end(_ commit: Commit, _ outcome: CallEntry.Outcome) {
        commits.removeAll { $0 === commit }
        if !isWorking(commit) { unanswered.insert(commit.call.number) }
        if isWorking(commit), case .success(_, let patterns) = outcome, !patterns.isEmpty {
            lastMark[layered[commit.call.number]![0]] = fresh()
        }
        event { $0.callEnded(commit.call, attempt: commit.attempt, outcome) }
    }

    /// Whether its call has not been ended from outside.
    func isWorking(_ commit: Commit) -> Bool {
        if case .working(commit.attempt) = ledger[commit.call].state { true } else { false }
    }

    /// R22: a layer is seen until the value includes what its call has done, and not any longer.
    func checkCommits() {
        for commit in commits where isWorking(commit) {
            for request in layered[commit.call.number]! where request < Self.stream {
                guard let entry = listed(request), commit.call.layers.contains(where: { $0.entry === entry }) else { continue }
                guard let base = ledger[entry].base?.unboxed(as: Value.self), let read = base.reads[commit.region] else { continue }
                if base.isChanged || base.isMixed || base.isPartial { continue }
                let isIncluded = commit.version.map { read >= $0 } ?? false
                let isLaid = ledger[entry].layers.contains { $0.owner === commit.call }
                // Of two results in a row that may include it, the second one is shown.
                if ledger[entry].repeatedRun == ledger[entry].lastShown { shownUnsure[request] = ledger[entry].lastShown }
                if isIncluded, isLaid, shownUnsure[request] != ledger[entry].lastShown {
                    problems.append("commit \(commit.number) is seen twice in request \(request)")
                }
                if !isIncluded, !isLaid { problems.append("commit \(commit.number) is not seen in request \(request)") }
            }
        }
    }
}
