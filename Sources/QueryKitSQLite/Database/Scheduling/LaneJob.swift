import QueryKit

/// Work for a lane, with the caller that waits for it.
///
/// If the caller is cancelled while the job is queued, it resumes immediately. A running job continues unless it checks `isCancelled`. The
/// type is not generic: generic code looks up types at run time in each step, which costs more than the steps. The result is passed in a
/// ``ResultBox``.
final class LaneJob: Interruptible, Sendable {
    private struct State {
        /// The waiting caller, until it is resumed.
        var caller: CheckedContinuation<Void, any Error>?
        var isCancelled = false
    }

    private let state = Lock(State())
    /// The source location of a read; `nil` for other work.
    let site: ReadSite?
    private let work: @Sendable (Connection, LaneJob, ReadPlacement.Executor) throws -> Void
    /// Receives the lane, for a job that acquires it.
    private let laneBox: ResultBox<Lane>?

    init(_ site: ReadSite?, _ work: @escaping @Sendable (Connection, LaneJob, ReadPlacement.Executor) throws -> Void) {
        self.site = site
        self.work = work
        laneBox = nil
    }

    /// Creates a job that only acquires the lane.
    init(acquiringLaneInto laneBox: ResultBox<Lane>) {
        site = nil
        work = { _, _, _ in }
        self.laneBox = laneBox
    }

    /// The result of running a job.
    enum End {
        /// The job is over, with its duration if known.
        case done(time: ReadTime?)
        /// The job is over, and its caller has acquired the lane.
        case laneAcquired
        /// The job must start again on another lane.
        case moved(ReadMove)
    }

    /// Whether the caller has been cancelled.
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Sets the waiting caller; returns false if it has been cancelled already.
    func wait(_ caller: CheckedContinuation<Void, any Error>) -> Bool {
        let isWaiting = state.withLock { state in
            guard !state.isCancelled else { return false }
            state.caller = caller
            return true
        }
        if !isWaiting { caller.resume(throwing: CancellationError()) }
        return isWaiting
    }

    func cancel() {
        let caller = state.withLock { state in
            state.isCancelled = true
            return state.caller.take()
        }
        caller?.resume(throwing: CancellationError())
    }

    /// Performs the work on the lane's thread.
    func run(on lane: Lane, as executor: ReadPlacement.Executor) -> End {
        guard let caller = state.withLock({ $0.caller.take() }) else { return .done(time: nil) }
        do {
            let connection = try lane.connected()
            try work(connection, self, executor)
            let time = connection.readTime
            laneBox?.put(lane)
            caller.resume()
            return laneBox == nil ? .done(time: time) : .laneAcquired
        } catch let move as ReadMove {
            _ = wait(caller)
            return .moved(move)
        } catch {
            caller.resume(throwing: error)
            return .done(time: nil)
        }
    }

    /// Fails the job before it has started.
    func fail(_ error: any Error) { state.withLock { $0.caller.take() }?.resume(throwing: error) }
}

/// Passes a result from another thread to its caller.
// Invariant: written by the work, and read by the waiting caller afterwards; the continuation orders the two.
final class ResultBox<Value: Sendable>: @unchecked Sendable {
    private var value: Value?
    /// Whether the code that makes the value was called.
    private(set) var hasBegun = false

    func put(_ value: Value) { self.value = value }

    func put(resultOf work: () throws -> Value) rethrows {
        hasBegun = true
        value = try work()
    }

    func take() -> Value {
        guard let value else { preconditionFailure("The job of a lane ended with neither a result nor an error.") }
        return value
    }
}
