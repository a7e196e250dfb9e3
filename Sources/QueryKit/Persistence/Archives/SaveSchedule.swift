/// Decides when an archive is saved. A pure value. Changes wait for a quiet period without further changes, and two saves never overlap.
struct SaveSchedule: Equatable, Sendable {
    enum Action: Equatable, Sendable {
        /// Call ``timerFired(at:)`` at this instant. Replaces an earlier timer.
        case wait(until: QueryInstant)
        /// Save, and then call ``saveEnded(isSaved:at:)``.
        case save
    }

    private enum Phase: Equatable {
        /// `isOwing`: the last save failed, and nothing has changed since.
        case idle(isOwing: Bool)
        case waiting(Changes)
        /// `changes` have occurred since the save began. `isUrgent`: a caller waits for them to be saved.
        case saving(changes: Changes?, isUrgent: Bool)
        case over
    }

    /// When the unsaved changes occurred.
    private struct Changes: Equatable {
        let first: QueryInstant
        var last: QueryInstant

        init(at now: QueryInstant) { (first, last) = (now, now) }
    }

    private let quiet: Duration
    /// The maximum time that a change waits if other changes keep coming.
    private let limit: Duration
    private var phase = Phase.idle(isOwing: false)
    /// How many saves have begun.
    private(set) var saveCount = 0

    init(quiet: Duration) {
        self.quiet = max(quiet, .zero)
        limit = self.quiet >= .seconds(Int64.max / 10) ? .infinity : self.quiet * 10
    }

    /// Notes a change of something that an archive contains.
    mutating func change(at now: QueryInstant) -> Action? {
        switch phase {
        case .idle:
            phase = .waiting(Changes(at: now))
            return .wait(until: now.advanced(by: quiet))
        case .waiting(var changes):
            // The timer is not moved, but set again when it fires, so that a change costs no alarm.
            changes.last = now
            phase = .waiting(changes)
        case .saving(var changes, let isUrgent):
            changes = changes ?? Changes(at: now)
            changes?.last = now
            phase = .saving(changes: changes, isUrgent: isUrgent)
        case .over: break
        }
        return nil
    }

    mutating func timerFired(at now: QueryInstant) -> Action? {
        guard case .waiting(let changes) = phase else { return nil }
        return follow(changes, at: now)
    }

    /// Requests that all changes are saved now. Returns the number of the save to wait for; `nil` if nothing has changed.
    mutating func saveNow() -> (action: Action?, save: Int?) {
        switch phase {
        case .idle(isOwing: false), .over: return (nil, nil)
        case .idle(isOwing: true), .waiting: return (begin(), saveCount)
        case .saving(nil, _): return (nil, saveCount)
        case .saving(let changes?, _):
            phase = .saving(changes: changes, isUrgent: true)
            return (nil, saveCount + 1)
        }
    }

    mutating func saveEnded(isSaved: Bool, at now: QueryInstant) -> Action? {
        guard case .saving(let changes, let isUrgent) = phase else { return nil }
        guard let changes else {
            phase = .idle(isOwing: !isSaved)
            return nil
        }
        return isUrgent ? begin() : follow(changes, at: now)
    }

    mutating func end() { phase = .over }

    private mutating func begin() -> Action {
        phase = .saving(changes: nil, isUrgent: false)
        saveCount += 1
        return .save
    }

    /// Saves if the changes have waited long enough, otherwise continues to wait.
    private mutating func follow(_ changes: Changes, at now: QueryInstant) -> Action {
        let due = min(changes.last.advanced(by: quiet), changes.first.advanced(by: limit))
        if due <= now { return begin() }
        phase = .waiting(changes)
        return .wait(until: due)
    }
}
