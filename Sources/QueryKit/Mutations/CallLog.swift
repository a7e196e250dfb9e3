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

/// The calls of a mutation, in their order, as a state carries them along: a pure value. A change makes another one.
final class CallLog: StateNotes {
    /// A call that stands in several logs; copying a log copies references.
    private final class Entry: Sendable {
        let note: CallNote

        init(_ note: CallNote) { self.note = note }
    }

    private let entries: [Entry]
    /// How many calls that ended are kept.
    private let limit: Int
    /// Whether a call is on its way.
    let isPending: Bool

    static let empty = CallLog([], limit: 0)

    private init(_ entries: [Entry], limit: Int) {
        self.entries = entries
        self.limit = limit
        isPending = entries.contains { $0.note.isPending }
    }

    /// All calls on their way, and as many of those that ended as are kept.
    var calls: [CallNote] { entries.map(\.note) }

    /// The call that the state speaks of; `nil` if what was written counts, or nothing happened.
    var latest: CallNote? {
        guard let latest = entries.last(where: { !$0.note.isCancelled })?.note else { return nil }
        return latest.isOverwritten ? nil : latest
    }

    /// With a call that is made now. One that is made again is the latest, and stands in the log once.
    func adding(_ new: CallNote, keeping limit: Int, _ change: (inout CallNote) -> Void = { _ in }) -> CallLog {
        var entries = entries
        let former = place(of: new.id).map { entries.remove(at: $0).note }
        var note = former?.repeated ?? new
        change(&note)
        entries.append(Entry(note))
        return CallLog(Self.pruned(entries, limit), limit: limit)
    }

    /// With a change of one call, and whether that is the latest; `nil` without that call.
    func changing(_ id: UUID, _ change: (inout CallNote) -> Void) -> (log: CallLog, isLatest: Bool)? {
        guard let index = place(of: id) else { return nil }
        var note = entries[index].note
        change(&note)
        var entries = entries
        let isLatest = index == entries.count - 1
        entries[index] = Entry(note)
        return (CallLog(note.isPending ? entries : Self.pruned(entries, limit), limit: limit), isLatest)
    }

    /// Whether a call is on its way.
    func isPending(_ id: UUID) -> Bool { place(of: id).map { entries[$0].note.isPending } ?? false }

    private func place(of id: UUID) -> Int? { entries.lastIndex { $0.note.id == id } }

    /// The calls without the oldest of those that ended; those on their way stay, however many there are.
    private static func pruned(_ entries: [Entry], _ limit: Int) -> [Entry] {
        guard entries.count > limit else { return entries }
        var surplus = entries.count { !$0.note.isPending } - limit
        guard surplus > 0 else { return entries }
        return entries.filter { entry in
            guard surplus > 0, !entry.note.isPending else { return true }
            surplus -= 1
            return false
        }
    }

    // MARK: What happens to the store

    func pausing(_ number: Int32, _ isPaused: Bool) -> any StateNotes {
        replacing {
            $0.status = isPaused ? .paused : .running
        } where: {
            $0.number == number && $0.isPending
        }
    }

    var overwritten: any StateNotes {
        // What has not begun yet will be newer than the write.
        replacing {
            $0.isOverwritten = true
        } where: {
            $0.number != nil || !$0.isPending
        }
    }

    private func replacing(_ change: (inout CallNote) -> Void, where isMeant: (CallNote) -> Bool) -> CallLog {
        let entries = entries.map { entry in
            guard isMeant(entry.note) else { return entry }
            var note = entry.note
            change(&note)
            return Entry(note)
        }
        return CallLog(entries, limit: limit)
    }
}
