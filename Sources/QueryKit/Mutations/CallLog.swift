import Foundation

/// What is known of one call, whatever its types: arguments and value are boxed, and ``MutationRun`` shows them.
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
    /// What it has yielded last.
    var progress: AnyValue?
    var failureCount = 0
    var startedAt: Date?
    var endedAt: Date?
    /// The run of the store, once there is one.
    var number: Int32?
    /// Whether a result was written by hand after it began.
    var isOverwritten = false
    /// Whether it was refused, and another call was made in its place.
    var isReplaced = false

    var isPending: Bool {
        switch status {
        case .waiting, .running, .paused: true
        case .succeeded, .failed, .cancelled: false
        }
    }

    var isCancelled: Bool { if case .cancelled = status { true } else { false } }

    /// The same call, when it is made again.
    var repeated: CallNote {
        var note = CallNote(id: id, arguments: arguments, submittedAt: submittedAt)
        (note.failureCount, note.startedAt) = (failureCount, startedAt)
        return note
    }

    mutating func begin(as number: Int32, at date: Date) {
        (status, self.number) = (.running, number)
        startedAt = startedAt ?? date
    }

    mutating func end(_ status: Status, at date: Date) {
        (self.status, progress, endedAt) = (status, nil, date)
    }
}

/// The calls of a mutation, as a state carries them along: a pure value. A change makes another one.
///
/// Those on their way are kept apart from those that ended: a call that begins copies none of the history, and one that ends copies it once.
final class CallLog: StateNotes {
    /// A call that stands in several logs; copying a log copies references.
    private final class Entry: Sendable {
        let id: UUID
        let note: CallNote
        /// Orders the calls by when they were made.
        let position: Int

        init(_ note: CallNote, at position: Int) { (id, self.note, self.position) = (note.id, note, position) }

        func with(_ change: (inout CallNote) -> Void) -> Entry {
            var note = note
            change(&note)
            return Entry(note, at: position)
        }
    }

    /// Both in the order in which the calls were made.
    private let ended: [Entry]
    private let pending: [Entry]
    /// How many calls that ended are kept.
    private let limit: Int

    static let empty = CallLog(ended: [], pending: [], limit: 0)

    private init(ended: [Entry], pending: [Entry], limit: Int) {
        (self.ended, self.pending, self.limit) = (ended, pending, limit)
    }

    /// Whether a call is on its way.
    var isPending: Bool { !pending.isEmpty }

    /// All calls on their way, and as many of those that ended as are kept, in the order in which they were made.
    var calls: [CallNote] { (ended + pending).sorted { $0.position < $1.position }.map(\.note) }

    /// The call that the state speaks of; `nil` if what was written counts, or nothing happened.
    var latest: CallNote? {
        let candidates = [pending.last, ended.last { !$0.note.isCancelled }]
        guard let latest = candidates.compactMap(\.self).max(by: { $0.position < $1.position }) else { return nil }
        return latest.note.isOverwritten ? nil : latest.note
    }

    private var lastPosition: Int { max(pending.last?.position ?? 0, ended.last?.position ?? 0) }

    /// With a call that is made now. One that is made again is the latest, and stands in the log once.
    func adding(_ new: CallNote, keeping limit: Int, _ change: (inout CallNote) -> Void = { _ in }) -> CallLog {
        let former = entry(new.id)
        var note = former?.note.repeated ?? new
        change(&note)
        let entry = Entry(note, at: lastPosition + 1)
        return CallLog(
            ended: Self.kept(ended, without: former, and: note.isPending ? nil : entry, limit),
            pending: Self.kept(pending, without: former, and: note.isPending ? entry : nil),
            limit: limit
        )
    }

    /// With a change of one call, and whether that is the latest; `nil` without that call.
    func changing(_ id: UUID, _ change: (inout CallNote) -> Void) -> (log: CallLog, isLatest: Bool)? {
        guard let former = entry(id) else { return nil }
        let entry = former.with(change)
        let isPending = entry.note.isPending
        let log = CallLog(
            ended: Self.kept(ended, without: former, and: isPending ? nil : entry, limit),
            pending: Self.kept(pending, without: former, and: isPending ? entry : nil),
            limit: limit
        )
        return (log, former.position == lastPosition)
    }

    /// Whether a call is on its way.
    func isPending(_ id: UUID) -> Bool { pending.contains { $0.id == id } }

    private func entry(_ id: UUID) -> Entry? { pending.last { $0.id == id } ?? ended.last { $0.id == id } }

    /// Calls in their order, without one and with another, and no more than so many: the oldest go.
    private static func kept(_ entries: [Entry], without former: Entry?, and new: Entry?, _ limit: Int = .max) -> [Entry] {
        let old = former.flatMap { former in entries.lastIndex { $0 === former } }
        let surplus = entries.count - (old == nil ? 0 : 1) + (new == nil ? 0 : 1) - limit
        if old == nil, new == nil, surplus <= 0 { return entries }
        var kept: [Entry] = []
        kept.reserveCapacity(entries.count + 1)
        kept += entries
        if let old { kept.remove(at: old) }
        if let new { kept.insert(new, at: (kept.lastIndex { $0.position < new.position } ?? -1) + 1) }
        if surplus > 0 { kept.removeFirst(surplus) }
        return kept
    }

    // MARK: What happens to the store

    func pausing(_ number: Int32, _ isPaused: Bool) -> any StateNotes {
        let pending = pending.map { entry in
            entry.note.number == number ? entry.with { $0.status = isPaused ? .paused : .running } : entry
        }
        return CallLog(ended: ended, pending: pending, limit: limit)
    }

    var overwritten: any StateNotes {
        // What has not begun yet will be newer than the write.
        let pending = pending.map { entry in entry.note.number == nil ? entry : entry.with { $0.isOverwritten = true } }
        let ended = ended.map { entry in entry.note.isOverwritten ? entry : entry.with { $0.isOverwritten = true } }
        return CallLog(ended: ended, pending: pending, limit: limit)
    }
}
