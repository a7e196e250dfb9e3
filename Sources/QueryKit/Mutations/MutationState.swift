public import Foundation

/// The state of a mutation: how its latest call went, and the calls before.
public struct MutationState<Arguments: Sendable, Value: Sendable>: QueryStateProtocol {
    public typealias QueryValue = Value

    public let initialValue: Value?
    public var current: Value?
    public var record = QueryRecord()

    /// Creates the state of a mutation that was never called.
    public init(initialValue: Value?) { self.initialValue = initialValue }

    /// What the latest successful call returned, or was written since; while the latest call is at work, what it has yielded.
    public var value: Value? { latestRun?.progress ?? current ?? initialValue }

    /// A mutation runs when it is called, and never by itself.
    public static var runsByItself: Bool { false }

    /// The calls, in their order: all that are on their way, and the 20 that ended last, or as many as `historyLength(_:)` says.
    public var history: [MutationRun<Arguments, Value>] { notes?.pruned ?? [] }

    /// How the latest call goes: `.loading` while it is on its way. A result that was written since counts instead of it, and a call that was
    /// cancelled leaves what was there before.
    public var status: QueryStatus<Value> {
        guard let latestRun else { return record.flags.isDisjoint(with: [.succeeded, .failed]) ? .idle : record.status(current) }
        return switch latestRun.status {
        case .succeeded(let value): .result(.success(value))
        case .failed(let error): .result(.failure(error))
        case .waiting, .running, .paused, .cancelled: .loading
        }
    }

    private var notes: MutationHistory<Arguments, Value>? { record.notes as? MutationHistory<Arguments, Value> }

    /// The call that the state speaks of; `nil` if what was written counts, or nothing happened.
    private var latestRun: MutationRun<Arguments, Value>? {
        notes?.runs.last { !$0.isCancelled }.flatMap { $0.isOverwritten ? nil : $0 }
    }
}

/// One call of a mutation.
public struct MutationRun<Arguments: Sendable, Value: Sendable>: Identifiable, Sendable {
    /// How far a call has come.
    public enum Status: Sendable {
        /// It waits for the calls of its scope before it.
        case waiting
        /// It is at work.
        case running
        /// It waits for the network.
        case paused
        case succeeded(Value)
        case failed(any Error)
        /// It was cancelled; what it had done by then is unknown.
        case cancelled
    }

    /// Tells calls apart, also across launches.
    public let id: UUID

    /// What the call is about.
    public let arguments: Arguments

    /// When it was made.
    public let submittedAt: Date

    /// How far it has come.
    public internal(set) var status: Status

    /// What it has yielded last; `nil` before that and once it is over.
    public internal(set) var progress: Value?

    /// How many of its attempts have failed so far, including those before it was made again.
    public internal(set) var failureCount = 0

    /// When its first attempt began; `nil` while it waits for its turn.
    public internal(set) var startedAt: Date?

    /// When it was over; `nil` while it is on its way.
    public internal(set) var endedAt: Date?

    /// How many attempts there have been, with the one that is under way.
    public var attemptCount: Int {
        switch status {
        case .running, .succeeded: failureCount + 1
        case .waiting, .paused, .failed, .cancelled: failureCount
        }
    }

    /// The run of the store, once there is one.
    var number: Int32?

    /// Whether a result was written by hand after it began.
    var isOverwritten = false

    /// Whether it is on its way.
    public var isPending: Bool {
        switch status {
        case .waiting, .running, .paused: true
        case .succeeded, .failed, .cancelled: false
        }
    }

    var isCancelled: Bool { if case .cancelled = status { true } else { false } }

    /// The same call, when it is made again.
    var repeated: MutationRun {
        var run = MutationRun(id: id, arguments: arguments, submittedAt: submittedAt, status: .waiting)
        (run.failureCount, run.startedAt) = (failureCount, startedAt)
        return run
    }
}

/// The calls of a mutation, as a state carries them along.
final class MutationHistory<Arguments: Sendable, Value: Sendable>: StateNotes {
    let runs: [MutationRun<Arguments, Value>]
    /// How many calls that ended are kept.
    private let limit: Int

    init(_ runs: [MutationRun<Arguments, Value>], limit: Int) {
        // Not at each change, because that would count the calls each time.
        self.runs = runs.count > 2 * limit ? Self.pruned(runs, limit) : runs
        self.limit = limit
    }

    /// The calls without the oldest of those that ended; those on their way stay, however many there are.
    var pruned: [MutationRun<Arguments, Value>] { Self.pruned(runs, limit) }

    /// The same history with other calls.
    func with(_ runs: [MutationRun<Arguments, Value>]) -> MutationHistory { MutationHistory(runs, limit: limit) }

    private static func pruned(_ runs: [MutationRun<Arguments, Value>], _ limit: Int) -> [MutationRun<Arguments, Value>] {
        guard runs.count > limit else { return runs }
        var surplus = runs.count { !$0.isPending } - limit
        return runs.filter { run in
            guard surplus > 0, !run.isPending else { return true }
            surplus -= 1
            return false
        }
    }

    var overwritten: any StateNotes {
        with(
            runs.map { run in
                // What has not begun yet will be newer than the write.
                guard run.number != nil || !run.isPending else { return run }
                var run = run
                run.isOverwritten = true
                return run
            }
        )
    }

    func pausing(_ number: Int32, _ isPaused: Bool) -> any StateNotes {
        with(
            runs.map { run in
                guard run.number == number, run.isPending else { return run }
                var run = run
                run.status = isPaused ? .paused : .running
                return run
            }
        )
    }
}
