import Testing

@testable import QueryKit

/// One state of the machine against every event that can happen in it.
///
/// A row says: event, effects, the machine afterwards, and what changed in the record, separated by `|`. A machine is written as
/// its run (number, cause, `w`aiters, `n`ext waiters, `old` if invalidated, `over` if overwritten, and `then` why another follows),
/// `s`ubscribers and `p`rivate runs; an invalidation as its pattern, `/a`; the cause of a changed record after `by`.
struct MachineTable: CustomTestStringConvertible, Sendable {
    private let name: String
    private let history: [MachineEvent]
    private let rows: String

    init(_ name: String, after history: [MachineEvent], _ rows: String) {
        self.name = name
        self.history = history
        self.rows = rows
    }

    var testDescription: String { name }

    func check() {
        let situation = Situation(after: history)
        let expected = rows.split(separator: "\n").map(Self.normal)
        let actual = Self.events(in: situation.machine).map { Self.normal(Self.row(situation, $0)[...]) }
        for (expected, actual) in zip(expected, actual) { #expect(actual == expected) }
        #expect(actual.count == expected.count)
    }

    /// Normalizes spaces, so that columns may be aligned.
    private static func normal(_ row: Substring) -> String { row.split(separator: " ").joined(separator: " ") }

    private static func events(in machine: RunMachine) -> [MachineEvent] {
        var events: [MachineEvent] = [.fetch, .refresh, .subscribe, .look]
        if machine.run != nil, machine.purpose.aim != .everything { events += [.fetchNext, .fetchPrevious] }
        if machine.subscribers > 0 { events += [.unsubscribe(), .unsubscribe(.finish)] }
        if let run = machine.run {
            if run.waiters > 0 { events += [.leave(run.number), .leave(run.number, .finish)] }
            if run.nextWaiters > 0 { events.append(.leave(RunMachine.following)) }
        }
        for refetch in [QueryRefetch.active, .all, .none] { events.append(.invalidate(refetch)) }
        events += [.invalidate(.active, isEnabled: false), .invalidate(.all, isEnabled: false)]
        events += [.write(), .write(isEnabled: false), .writeFailure, .cancel, .reset(), .reset(refetches: true)]
        if let number = machine.run?.number {
            events += [.yield(number), .attemptFailed(number)]
            events += MachineEvent.Outcome.allCases.map { .end(number, $0) }
        }
        if let run = machine.run, run.isPaused { events.append(.goOn(run.number)) }
        if let run = machine.run, run.isLive { events.append(.stream(run.number)) }
        // No run has the number 0: it represents a run that no longer counts.
        events += [.yield(0), .attemptFailed(0), .end(0, .success), .beginPrivate]
        if machine.privateRuns > 0 {
            let number: Int32 = machine.run?.number == 1 ? 2 : 1
            events += MachineEvent.Outcome.allCases.map { .endPrivate(number, $0) }
        }
        return events
    }

    // MARK: Text

    private static func row(_ before: Situation, _ event: MachineEvent) -> String {
        var after = before
        let effects = after.send(event)
        return "\(event) | \(text(effects)) | \(text(after.machine)) | \(changes(from: before.record, to: after.record))"
    }

    private static func text(_ cause: QueryCause) -> String { cause.pattern.map { "/\($0)" } ?? cause.description }

    private static func text(_ effects: Answer) -> String {
        var parts: [String] = []
        if effects.isIgnored { parts.append("ignored") }
        if effects.value != .keep { parts.append("\(effects.value)") }
        if effects.rebases { parts.append("rebase") }
        if let number = effects.cancels { parts.append("cancel \(number)") }
        if let start = effects.starts { parts.append("start \(start.number) \(text(start.cause)) for \(start.origin)") }
        if let number = effects.joined { parts.append(number == RunMachine.following ? "join next" : "join \(number)") }
        if effects.mustFetchAgain { parts.append("ask again") }
        switch effects.settles {
        case .none: break
        case .waiters(let number): parts.append("settle \(number)")
        case .everyone: parts.append("settle all")
        }
        if let next = effects.next { parts.append("next \(text(next.cause)) for \(next.origin) w\(next.waiters)") }
        return parts.isEmpty ? "-" : parts.joined(separator: ", ")
    }

    private static func text(_ machine: RunMachine) -> String {
        var parts: [String] = []
        if let run = machine.run {
            parts.append("\(run.number) \(text(machine.purpose.cause))")
            if run.waiters != 0 { parts.append("w\(run.waiters)") }
            if run.nextWaiters != 0 { parts.append("n\(run.nextWaiters)") }
            if run.isPaused { parts.append("paused") }
            if run.isLive { parts.append("live") }
            if run.isOutdated { parts.append("old") }
            if run.isSuperseded { parts.append("over") }
            if let cause = machine.trailing { parts.append("then \(text(cause))") }
        }
        if machine.subscribers != 0 { parts.append("s\(machine.subscribers)") }
        if machine.privateRuns != 0 { parts.append("p\(machine.privateRuns)") }
        return parts.isEmpty ? "-" : parts.joined(separator: " ")
    }

    private static let flags: [(String, QueryRecord.Flags)] = [
        ("fetching", .fetching), ("paused", .paused), ("invalidated", .invalidated), ("placeholder", .placeholder),
        ("success", .succeeded), ("failure", .failed), ("value", .hasValue), ("partial", .partial),
        ("live", .live),
        ("next", .nextPage), ("previous", .previousPage),
    ]

    private static func changes(from before: QueryRecord, to after: QueryRecord) -> String {
        var parts = flags.compactMap { name, flag -> String? in
            if before.flags.contains(flag) == after.flags.contains(flag) { return nil }
            return (after.flags.contains(flag) ? "+" : "-") + name
        }
        if before.valueCount != after.valueCount { parts.append("values \(after.valueCount)") }
        if before.errorCount != after.errorCount { parts.append("errors \(after.errorCount)") }
        if before.failures != after.failures { parts.append("failures \(after.failures)") }
        // Defaults are omitted.
        if (after.valueCount > 0 ? Situation.time : .none) != after.valueTime { parts.append("value undated") }
        if (after.errorCount > 0 ? Situation.time : .none) != after.errorTime { parts.append("error undated") }
        if after.flags.contains(.failed) != (after.error != nil) { parts.append("error amiss") }
        if before.revision != after.revision { parts.append("revision \(after.revision)") }
        if before.cause != after.cause { parts.append("by \(text(after.cause))") }
        return parts.isEmpty ? "-" : parts.joined(separator: " ")
    }
}
