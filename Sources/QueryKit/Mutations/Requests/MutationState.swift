public import Foundation

/// The state of a mutation: the status of its latest call, and the calls before.
public struct MutationState<Arguments: Sendable, Value: Sendable>: MutationStateProtocol {
    public typealias QueryValue = Value

    public let initialValue: Value?
    public var current: Value?
    public var record = QueryRecord()

    /// Creates the state of a mutation that was never called.
    public init(initialValue: Value?) { self.initialValue = initialValue }

    /// The value that the latest successful call returned, or a value written since then. While the latest call is running and has yielded
    /// values, this is the latest of these values.
    public var value: Value? { log?.latest?.progress?.unboxed(as: Value.self) ?? current ?? initialValue }

    /// A mutation runs only when it is called.
    public static var runsByItself: Bool { false }

    /// The calls in order: all pending ones, and the latest 20 of the others, or as many as `historyLength(_:)` sets.
    public var history: [MutationRun<Arguments, Value>] { log?.calls.map { MutationRun($0) } ?? [] }

    /// The status of the latest call: `.loading` while it is pending. A result that was written later takes precedence. After a call was
    /// cancelled, the previous status applies again.
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

    /// How many attempts the latest call has made so far; 0 before the first call. ``QueryStateProtocol/failureCount`` counts the failed
    /// ones.
    public var attemptCount: Int { log?.latest.map { MutationRun<Arguments, Value>($0).attemptCount } ?? 0 }

    private var log: CallLog? { record.notes as? CallLog }
}

/// The state of a mutation, for code that is generic over it. ``MutationState`` is the only type that conforms.
public protocol MutationStateProtocol<Arguments, QueryValue>: QueryStateProtocol {
    /// The arguments of a call.
    associatedtype Arguments: Sendable
}

/// One call of a mutation.
public struct MutationRun<Arguments: Sendable, Value: Sendable>: Identifiable, Sendable {
    /// The status of a call.
    public enum Status: Sendable {
        /// It waits for its turn: for earlier calls of its scope, or for the journal.
        case waiting
        /// It is running.
        case running
        /// It waits for the network.
        case paused
        /// It has returned a value.
        case succeeded(Value)
        /// It has thrown an error and is not retried any more.
        case failed(any Error)
        /// It was cancelled; it is unknown how much of its work was done.
        case cancelled
    }

    /// Identifies the call, also across launches.
    public let id: UUID

    /// The arguments of the call.
    public let arguments: Arguments

    /// When the call was made.
    public let submittedAt: Date

    /// The status of the call.
    public let status: Status

    /// The latest value that it has yielded; `nil` before the first and after the call has ended.
    public let progress: Value?

    /// How many of its attempts have failed so far, including those before it was repeated.
    public let failureCount: Int

    /// When its first attempt began; `nil` while it waits for its turn.
    public let startedAt: Date?

    /// When it ended; `nil` while it is pending.
    public let endedAt: Date?

    /// How many attempts there have been, including the current one and those that were cancelled before they ended.
    public let attemptCount: Int

    /// Whether it has not ended yet.
    public var isPending: Bool {
        switch status {
        case .waiting, .running, .paused: true
        case .succeeded, .failed, .cancelled: false
        }
    }

    /// Whether it was refused and another call was made instead.
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
        attemptCount = note.attemptCount
        startedAt = note.startedAt
        endedAt = note.endedAt
        isReplaced = note.isReplaced
    }
}
