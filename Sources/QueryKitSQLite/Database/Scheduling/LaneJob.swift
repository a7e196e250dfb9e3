import QueryKit

/// Work for a lane, and somebody who waits for it.
///
/// Whoever is cancelled while the work stands in line leaves at once. Work that has begun goes on, unless it looks at `isCancelled`.
/// Not generic: code that is asks the runtime for types at each step, which costs more than the steps. What the work brings goes into a ``Slot``.
final class LaneJob: Interruptible, Sendable {
    private struct State {
        /// Who waits, until they are told.
        var caller: CheckedContinuation<Void, any Error>?
        var isCancelled = false
    }

    private let state = Lock(State())
    /// The place in the source that reads; `nil` for other work.
    let site: ReadSite?
    private let work: @Sendable (Connection, LaneJob, ReadPace.Place) throws -> Void
    /// Takes the lane, for a job that keeps it.
    private let keeper: Slot<Lane>?

    init(_ site: ReadSite?, _ work: @escaping @Sendable (Connection, LaneJob, ReadPace.Place) throws -> Void) {
        self.site = site
        self.work = work
        keeper = nil
    }

    /// A job that does nothing but keep the lane.
    init(keepingLaneIn keeper: Slot<Lane>) {
        site = nil
        work = { _, _, _ in }
        self.keeper = keeper
    }

    /// How a job ended.
    enum End {
        /// It is over; how long it took, if that is known.
        case done(time: ReadTime?)
        /// It is over, and the lane stays with the one that wanted it.
        case kept
        /// It has to begin again on another lane.
        case moved(ReadMove)
    }

    /// Whether nobody wants the work any more.
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Takes who waits; false if they have left already.
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

    /// Does the work on the lane's thread.
    func run(on lane: Lane, at place: ReadPace.Place) -> End {
        guard let caller = state.withLock({ $0.caller.take() }) else { return .done(time: nil) }
        do {
            let connection = try lane.connected()
            try work(connection, self, place)
            let time = connection.readTime
            keeper?.put(lane)
            caller.resume()
            return keeper == nil ? .done(time: time) : .kept
        } catch let move as ReadMove {
            _ = wait(caller)
            return .moved(move)
        } catch {
            caller.resume(throwing: error)
            return .done(time: nil)
        }
    }

    /// Gives up before it began.
    func fail(_ error: any Error) { state.withLock { $0.caller.take() }?.resume(throwing: error) }
}

/// A place for what work on another thread brings.
// Invariant: written by the work, read by whoever waited for it when that is over; the continuation orders the two.
final class Slot<Value: Sendable>: @unchecked Sendable {
    private var value: Value?

    func put(_ value: Value) { self.value = value }

    func take() -> Value {
        guard let value else { preconditionFailure("The work of a lane ended without a result and without an error.") }
        return value
    }
}
