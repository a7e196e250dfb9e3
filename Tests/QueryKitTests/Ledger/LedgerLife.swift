import Foundation
import TestSupport

@testable import QueryKit

/// A random life of one ledger. An engine without threads carries out the effects, in an order that the numbers of the life choose: tasks,
/// answers of foreign code, deliveries, caches and timers may be late.
final class LedgerLife {
    var ledger = Ledger()
    var entries: [Int: Entry] = [:]
    var numbers: ArraySlice<Int>
    var problems: [String] = []
    var seconds: Int64 = 0
    /// The requests that the app uses. Few, so that much happens to each of them.
    var cast: [Int] = []
    /// The versions of the regions of the source.
    var versions: [Int]
    /// Those that the source has reported.
    var reported: [Int]
    var nextNumber = 0

    // What is under way.
    var attempts: [Attempt] = []
    /// Failed attempts whose run waits for what the app says.
    var failures: [Failed] = []
    var questions: [Question] = []
    var deliveries: [Entry] = []
    var mainTurns = 0
    var follows = 0
    var trims = 0
    /// Whether a run has waited for another one, which then needs no place under some limits.
    var hasNested = false
    /// Entries whose observers wait for the settings of a session.
    var exchanges: [Exchange] = []
    var workingCalls: [(call: CallEntry, attempt: Int)] = []
    var appends: [CallEntry] = []
    var removals: [CallEntry] = []
    var releases: [CallEntry] = []
    /// Calls that ask the journal, and those for which calls that no client holds are looked for.
    var turns: [(call: CallEntry, attempt: Int)] = []
    var looks: [(call: CallEntry?, attempt: Int)] = []
    var lookups: [Lookup] = []
    /// Changes that are entered, and whose runs and states are still due.
    var halves: [Ledger.Entered] = []
    /// Commits of calls, in order; and the number of the latest one.
    var commits: [Commit] = []
    var lastCommit: UInt64 = 1
    /// Calls that were made, and ended from outside before their answer.
    var unanswered: Set<UInt64> = []
    let database = Database()
    /// Runs whose results are shown although they may include what layers over them show.
    var shownUnsure: [Int: Int32] = [:]
    var timer = QueryInstant.never
    var settledCount = 0
    /// Lists of refetches that are open, and those who await one.
    var lists: [Refetches] = []
    var signals: [(list: Refetches, signal: Signal)] = []
    var stepCount = 0

    // What the app has.
    var observers: [(request: Int, observer: Observer, seen: Seen)] = []
    var callers: [Caller] = []
    var answers: [ObjectIdentifier: Int] = [:]
    var kept: [AnyObject] = []
    /// Those whose sources are watched.
    var triggers: [ActiveTriggers] = []
    var trials: [ObjectIdentifier: Trial] = [:]
    /// The request of a caller, and the versions that were reported when it came.
    var asked: [ObjectIdentifier: (request: Int, versions: [Int])] = [:]
    var isEnabled = true
    var isFailing = false
    var lastWrite: [Int: Int] = [:]
    var lastUpdate: [Int: Int] = [:]
    /// The latest moment at which a write, a reset or the end of a session has replaced what a cache may have kept.
    var lastReplacement: [Int: Int] = [:]
    var lastMark: [Int: Int] = [:]
    /// Observed requests that may stay stale until something asks for them: after failures, by hand, or by a condition.
    var mayBeStale: Set<Int> = []
    /// Observed requests that are running and wait for a change to be followed.
    var running: Set<Entry> = []
    /// The requests of each batch, which are seen together.
    var batches: [(write: Int, requests: [Int])] = []
    /// Whether both requests of the round have shown the same version, and only changes of the source have happened since.
    var isRoundAgreed = false

    // Calls of mutations.
    var calls: [CallEntry] = []
    var layered: [UInt64: [Int]] = [:]
    var invalidated: [UInt64: [QueryPattern]] = [:]
    var journal: Set<UInt64> = []
    var performed: [UInt64: Int] = [:]
    var requeued: Set<UInt64> = []
    /// The calls that were withdrawn before they had ended.
    var withdrawn: Set<UInt64> = []

    /// Whether steps are written down: only the life that is shown needs it.
    private let keepsLog: Bool
    private(set) var log: [String] = []

    init(_ numbers: [Int], keepsLog: Bool = false) {
        self.numbers = numbers[...]
        self.keepsLog = keepsLog
        versions = Array(repeating: 1, count: Self.regionCount)
        reported = versions
        ledger.limits.retention = Nanoseconds(.seconds(60))
        if roll(4) == 0 { ledger.limits.part = 1 }
        limit()
        ledger.defaults.coversReconnect = roll(2) == 0
        for _ in 0..<3 { cast += Self.groups[roll(Self.groups.count)] }
        advance(0)
    }

    func live() {
        while !numbers.isEmpty, problems.isEmpty {
            if roll(3) == 0 { act() } else { _ = proceed(roll(97)) }
            check()
        }
        if problems.isEmpty { end() }
    }

    /// The next choice; the last ones are 0.
    func roll(_ count: Int) -> Int { numbers.popFirst().map { $0 % count } ?? 0 }

    /// One of the requests that the app uses.
    func pick() -> Int { cast[roll(cast.count)] }

    /// A number that is larger than all before it, for values and moments.
    func fresh() -> Int {
        nextNumber += 1
        return nextNumber
    }

    func note(_ step: @autoclosure () -> String) { if keepsLog { log.append(step()) } }

    func advance(_ amount: Int64) {
        seconds += amount
        let instant = QueryInstant.zero.advanced(by: .seconds(seconds))
        ledger.time = QueryTimestamp(instant: instant, date: Date(timeIntervalSinceReferenceDate: Double(seconds)))
    }
}
