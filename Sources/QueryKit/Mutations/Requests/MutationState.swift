public import Foundation

/// The state of a mutation: how its latest call went, and the calls before.
public struct MutationState<Arguments: Sendable, Value: Sendable>: MutationStateProtocol {
    public typealias QueryValue = Value

    public let initialValue: Value?
    public var current: Value?
    public var record = QueryRecord()

    /// Creates the state of a mutation that was never called.
    public init(initialValue: Value?) { self.initialValue = initialValue }

    /// What the latest successful call returned, or was written since; while the latest call is at work, what it has yielded.
    public var value: Value? { log?.latest?.progress?.unboxed(as: Value.self) ?? current ?? initialValue }

    /// A mutation runs when it is called, and never by itself.
    public static var runsByItself: Bool { false }

    /// The calls, in their order: all that are on their way, and the 20 that ended last, or as many as `historyLength(_:)` says.
    public var history: [MutationRun<Arguments, Value>] { log?.calls.map { MutationRun($0) } ?? [] }

    /// How the latest call goes: `.loading` while it is on its way. A result that was written since counts instead of it, and a call that was
    /// cancelled leaves what was there before.
    public var status: QueryStatus<Value> {
        guard let latest = log?.latest else {
            return record.flags.isDisjoint(with: [.succeeded, .failed]) ? .idle : record.status(current)
        }
        return switch latest.status {
        case .succeeded(let value): .result(.success(value.unboxed(as: Value.self)))
        case .failed(let error): .result(.failure(error))
        case .waiting, .running, .paused, .cancelled: .loading
        }
    }

    /// How many attempts the latest call has made so far; 0 before the first call. See ``QueryStateProtocol/failureCount`` for those that failed.
    public var attemptCount: Int { log?.latest.map { MutationRun<Arguments, Value>($0).attemptCount } ?? 0 }

    private var log: CallLog? { record.notes as? CallLog }
}

/// The state of a mutation, for code that is generic over it. ``MutationState`` is the only one.
public protocol MutationStateProtocol<Arguments, QueryValue>: QueryStateProtocol {
    /// What a call is about.
    associatedtype Arguments: Sendable
}

/// One call of a mutation.
public struct MutationRun<Arguments: Sendable, Value: Sendable>: Identifiable, Sendable {
    /// How far a call has come.
    public enum Status: Sendable {
        /// It waits for its turn: for the calls of its scope before it, or for the journal.
        case waiting
        /// It is at work.
        case running
        /// It waits for the network.
        case paused
        /// It has returned a value.
        case succeeded(Value)
        /// It has thrown an error, and is not retried any more.
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
    public let status: Status

    /// What it has yielded last; `nil` before that and once it is over.
    public let progress: Value?

    /// How many of its attempts have failed so far, including those before it was made again.
    public let failureCount: Int

    /// When its first attempt began; `nil` while it waits for its turn.
    public let startedAt: Date?

    /// When it was over; `nil` while it is on its way.
    public let endedAt: Date?

    /// How many attempts there have been, with the one that is under way and those that were cancelled midway.
    public var attemptCount: Int {
        switch status {
        case .running, .succeeded: failureCount + interruptionCount + 1
        case .waiting, .paused, .failed, .cancelled: failureCount + interruptionCount
        }
    }

    private let interruptionCount: Int

    /// Whether it is on its way.
    public var isPending: Bool {
        switch status {
        case .waiting, .running, .paused: true
        case .succeeded, .failed, .cancelled: false
        }
    }

    /// Whether it was refused, and another call was made in its place.
    let isReplaced: Bool

    var isCancelled: Bool { if case .cancelled = status { true } else { false } }

    init(_ note: CallNote) {
        id = note.id
        // Invariant: the store of a mutation notes arguments and values of the mutation's types.
        arguments = note.arguments.unboxed(as: Arguments.self)
        submittedAt = note.submittedAt
        status =
            switch note.status {
            case .waiting: .waiting
            case .running: .running
            case .paused: .paused
            case .succeeded(let value): .succeeded(value.unboxed(as: Value.self))
            case .failed(let error): .failed(error)
            case .cancelled: .cancelled
            }
        progress = note.progress?.unboxed(as: Value.self)
        failureCount = note.failureCount
        interruptionCount = note.interruptionCount
        startedAt = note.startedAt
        endedAt = note.endedAt
        isReplaced = note.isReplaced
    }
}
