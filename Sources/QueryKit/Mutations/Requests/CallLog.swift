import Foundation

/// The notes about one call, without generic types: arguments and value are boxed. ``MutationRun`` is their typed form.
struct CallNote: Sendable {
    enum Status: Sendable {
        case waiting, running, paused
        case succeeded(AnyValue)
        case failed(any Error)
        case cancelled
    }

    let id: UUID
    let arguments: AnyValue
    let submittedAt: Date
    var status = Status.waiting
    /// The latest value that it has yielded.
    var progress: AnyValue?
    var failureCount = 0
    /// How many attempts were cancelled before they ended.
    var interruptionCount = 0
    var startedAt: Date?
    var endedAt: Date?
    /// The number of the call's run in its store, once it has begun.
    var number: Int32?
    /// Whether a result was written manually after the call began.
    var isOverwritten = false
    /// Whether the call was refused and another call was made instead.
    var isReplaced = false
    /// Whether the call has failed, and its error was dismissed.
    var isDismissed = false

    var isPending: Bool {
        switch status {
        case .waiting, .running, .paused: true
        case .succeeded, .failed, .cancelled: false
        }
    }

    /// How many attempts there have been, including the current one and those that were cancelled before they ended.
    var attemptCount: Int {
        switch status {
        case .running, .succeeded: failureCount + interruptionCount + 1
        case .waiting, .paused, .failed, .cancelled: failureCount + interruptionCount
        }
    }

    var isCancelled: Bool { if case .cancelled = status { true } else { false } }

    var isFailed: Bool { if case .failed = status { true } else { false } }

    /// The note for the same call when it is repeated.
    var repeated: CallNote {
        var note = CallNote(id: id, arguments: arguments, submittedAt: submittedAt)
        (note.failureCount, note.interruptionCount, note.startedAt) = (failureCount, interruptionCount, startedAt)
        return note
    }

    mutating func begin(as number: Int32, at date: Date) {
        (status, self.number) = (.running, number)
        startedAt = startedAt ?? date
    }

    mutating func end(_ status: Status, at date: Date) {
        if case (.running, .cancelled) = (self.status, status) { interruptionCount += 1 }
        (self.status, progress, endedAt) = (status, nil, date)
    }
}

/// The calls of a mutation, which its state carries along. Immutable: a change creates another log.
///
/// Pending calls are separate from ended ones, so that a call that begins or ends copies little of the history.
final class CallLog: StateNotes {
    /// A call that several logs can share. Copying a log copies only references.
    fileprivate final class LoggedCall: Sendable {
        let id: UUID
        let note: CallNote
        /// Orders the calls by when they were made.
        let position: Int

        init(_ note: CallNote, at position: Int) { (id, self.note, self.position) = (note.id, note, position) }

        func with(_ change: (inout CallNote) -> Void) -> LoggedCall {
            var note = note
            change(&note)
            return LoggedCall(note, at: position)
        }
    }

    private let ended: CallHistory
    /// In the order in which they were made.
    private let pending: [LoggedCall]

    static let empty = CallLog(CallHistory(limit: 0), [])

    private init(_ ended: CallHistory, _ pending: [LoggedCall]) { (self.ended, self.pending) = (ended, pending) }

    /// Whether there is a pending call.
    var isPending: Bool { !pending.isEmpty }

    /// All pending calls, and as many ended ones as are kept, in the order in which they were made.
    var calls: [CallNote] { (ended.calls + pending).sorted { $0.position < $1.position }.map(\.note) }

    /// The call whose status the state shows; `nil` if a written value counts instead, or if there was no call.
    var latest: CallNote? {
        let candidates = [pending.last, ended.calls.last { !$0.note.isCancelled && !$0.note.isDismissed }]
        guard let latest = candidates.compactMap(\.self).max(by: { $0.position < $1.position }) else { return nil }
        return latest.note.isOverwritten ? nil : latest.note
    }

    private var lastPosition: Int { max(pending.last?.position ?? 0, ended.lastPosition) }

    /// Returns the log with a new call. A repeated call moves to the end and appears only once.
    func adding(_ new: CallNote, keeping limit: Int, _ change: (inout CallNote) -> Void = { _ in }) -> CallLog {
        let former = call(new.id)
        var note = former?.note.repeated ?? new
        change(&note)
        return replacing(former, with: LoggedCall(note, at: lastPosition + 1), limit)
    }

    /// Returns the log with one call changed, and whether that is the latest call; `nil` if the log doesn't contain the call.
    func changing(_ id: UUID, _ change: (inout CallNote) -> Void) -> (log: CallLog, isLatest: Bool)? {
        guard let former = call(id) else { return nil }
        return (replacing(former, with: former.with(change), ended.limit), former.position == lastPosition)
    }

    private func replacing(_ former: LoggedCall?, with new: LoggedCall, _ limit: Int) -> CallLog {
        var (ended, pending) = (ended, pending)
        ended.keep(limit)
        if let former, former.note.isPending {
            pending.removeAll { $0 === former }
        } else if let former {
            ended.remove(former)
        }
        if !new.note.isPending {
            ended.insert(new)
        } else {
            pending.insert(new, at: (pending.lastIndex { $0.position < new.position } ?? -1) + 1)
        }
        return CallLog(ended, pending)
    }

    func note(_ id: UUID) -> CallNote? { call(id)?.note }

    func isLatest(_ id: UUID) -> Bool { call(id)?.position == lastPosition }

    /// The log without the calls that have ended.
    var pendingOnly: CallLog? { pending.isEmpty ? nil : CallLog(CallHistory(limit: ended.limit), pending) }

    /// Whether a call is pending.
    func isPending(_ id: UUID) -> Bool { pending.contains { $0.id == id } }

    /// Whether a call is pending with this run number.
    func isPending(_ id: UUID, as number: Int32) -> Bool { pending.contains { $0.id == id && $0.note.number == number } }

    private func call(_ id: UUID) -> LoggedCall? { pending.last { $0.id == id } ?? ended.call(id) }

    /// The log after the errors of its failed calls were dismissed.
    var dismissed: CallLog {
        CallLog(ended.map { call in call.note.isFailed ? call.with { $0.isDismissed = true } : call }, pending)
    }

    // MARK: Changes of the store

    func pausing(_ number: Int32, _ isPaused: Bool) -> any StateNotes {
        let pending = pending.map { call in
            call.note.number == number ? call.with { $0.status = isPaused ? .paused : .running } : call
        }
        return CallLog(ended, pending)
    }

    var overwritten: any StateNotes {
        // A call that has not begun yet will be newer than the write.
        let pending = pending.map { call in call.note.number == nil ? call : call.with { $0.isOverwritten = true } }
        return CallLog(ended.map { call in call.note.isOverwritten ? call : call.with { $0.isOverwritten = true } }, pending)
    }
}

/// The ended calls of a mutation, in the order in which they were made.
///
/// Two lists instead of one, so that the end of a call copies only the short one.
private struct CallHistory {
    private var older: [CallLog.LoggedCall] = []
    private var recent: [CallLog.LoggedCall] = []
    /// The maximum number of calls to keep.
    private(set) var limit: Int

    init(limit: Int) { self.limit = limit }

    mutating func keep(_ limit: Int) {
        if limit == self.limit { return }
        self.limit = limit
        (older, recent) = (calls, [])
    }

    /// The calls that are kept.
    var calls: [CallLog.LoggedCall] {
        var calls = older
        calls.append(contentsOf: recent)
        calls.removeFirst(max(calls.count - limit, 0))
        return calls
    }

    var lastPosition: Int { recent.last?.position ?? older.last?.position ?? 0 }

    func call(_ id: UUID) -> CallLog.LoggedCall? {
        recent.last { $0.id == id } ?? older.suffix(limit - recent.count).last { $0.id == id }
    }

    func map(_ change: (CallLog.LoggedCall) -> CallLog.LoggedCall) -> CallHistory {
        var new = self
        (new.older, new.recent) = (calls.map(change), [])
        return new
    }

    mutating func insert(_ new: CallLog.LoggedCall) {
        if new.position > lastPosition, recent.count < min(limit / 2, 8) {
            recent.append(new)
        } else {
            older.append(contentsOf: recent)
            recent = []
            older.insert(new, at: (older.lastIndex { $0.position < new.position } ?? -1) + 1)
            older.removeFirst(max(older.count - limit, 0))
        }
    }

    mutating func remove(_ call: CallLog.LoggedCall) {
        // Remove from the kept calls only, so that no older call reappears in its place.
        (older, recent) = (calls.filter { $0 !== call }, [])
    }
}
