import Foundation
import QueryKit

/// Holds the fetches of a fake until the test lets them continue.
///
/// The fake awaits ``pass()``. The test waits with ``arrived(_:)`` until the fetch has arrived, checks what the app shows, and opens the
/// gate.
///
/// ```swift
/// struct HeldNotes: NoteRepository {
///     let gate: Gate
///
///     func notes() async throws -> [String] {
///         try await gate.pass()
///         return ["Milk"]
///     }
/// }
/// ```
///
/// A gate is initially closed. A fetch or a mutation that the gate holds doesn't count as working, just as one that sleeps on a
/// `ManualClock` doesn't. Only the test can let it continue, so `settled()` returns once everything else is done. After you have opened the
/// gate, `settled()` waits for the fetch again.
public final class Gate: Sendable {
    /// What the gate does with arriving fetches.
    private enum Rule {
        case hold, pass
        case fail(any Error)

        var answer: Answer? {
            switch self {
            case .hold: nil
            case .pass: .success(())
            case .fail(let error): .failure(error)
            }
        }
    }

    fileprivate typealias Answer = Result<Void, any Error>

    private struct State {
        var rule = Rule.hold
        var arrivals = 0
        /// Answers for the next arrivals, one for each.
        var prepared: [Answer] = []
        var held: [Visit] = []
        var watchers: [Watcher] = []

        /// Removes and returns the watchers whose wait is over.
        mutating func readyWatchers() -> [Watcher] {
            let (arrivals, held) = (arrivals, held.count)
            let ready = watchers.filter { $0.isReady(arrivals, held) }
            if !ready.isEmpty { watchers.removeAll { $0.isReady(arrivals, held) } }
            return ready
        }
    }

    private struct Watcher: Sendable {
        let isReady: @Sendable (_ arrivals: Int, _ held: Int) -> Bool
        let signal: AsyncStream<Void>.Continuation
    }

    private let state = Lock(State())
    private let ignoresCancellation: Bool

    /// Creates a closed gate.
    ///
    /// - Parameter ignoresCancellation: Whether the gate keeps holding a fetch that was cancelled, to test a repository that doesn't react
    ///   to cancellation. Default: `false`, and ``pass()`` throws a `CancellationError` as soon as its task is cancelled.
    public init(ignoresCancellation: Bool = false) { self.ignoresCancellation = ignoresCancellation }

    // MARK: For the fake

    /// Waits until the test opens the gate. Returns immediately if the gate is open.
    ///
    /// Throws the error of ``fail(with:)`` or ``failOnce(with:)``, or a `CancellationError` if the task is cancelled first.
    public func pass() async throws {
        let visit = Visit()
        if ignoresCancellation {
            // Waits in an unstructured task, because such a task is not cancelled together with this one.
            return try await Task { try await enter(visit) }.value
        }
        // A cancelled fetch leaves at once, and not only when its task continues: a test may count the held fetches before.
        try await withTaskCancellationHandler {
            try await enter(visit)
        } onCancel: {
            remove(visit)
        }
    }

    private func enter(_ visit: Visit) async throws {
        let (answer, watchers) = state.withLock { state -> (Answer?, [Watcher]) in
            state.arrivals += 1
            let answer = state.prepared.isEmpty ? state.rule.answer : state.prepared.removeFirst()
            if answer == nil { state.held.append(visit) }
            return (answer, state.readyWatchers())
        }
        for watcher in watchers { watcher.signal.finish() }
        if let answer { return try answer.get() }
        defer { remove(visit) }
        try await visit.wait()
    }

    private func remove(_ visit: Visit) { state.withLock { $0.held.removeAll { $0 === visit } } }

    // MARK: For the test

    /// How many fetches have arrived so far, including those that have passed.
    public var arrivals: Int { state.withLock { $0.arrivals } }

    /// How many fetches the gate holds now.
    public var heldCount: Int { state.withLock { $0.held.count } }

    /// Whether all fetches, from the next one on, pass or fail immediately.
    var isOpen: Bool { state.withLock { if case .hold = $0.rule { false } else { true } } }

    /// Waits until `count` fetches have arrived since the gate was created. Returns early if the waiting task is cancelled.
    public func arrived(_ count: Int = 1) async { await wait { arrivals, _ in arrivals >= count } }

    /// Waits until the gate holds at least `count` fetches. Returns early if the waiting task is cancelled.
    public func holds(atLeast count: Int = 1) async { await wait { _, held in held >= count } }

    /// Opens the gate: the held fetches continue, and later ones pass immediately.
    public func open() { answer(.success(()), from: .pass) }

    /// Lets one fetch pass: the one held longest, or the next to arrive if the gate holds none.
    public func openOnce() { answerOnce(.success(())) }

    /// Lets the fetches that the gate holds now continue. Later ones are held again.
    public func letThrough() { answer(.success(()), from: .hold) }

    /// Makes the held fetches fail, and later ones too, until you call ``open()`` or ``close()``.
    public func fail(with error: any Error) { answer(.failure(error), from: .fail(error)) }

    /// Makes one fetch fail: the one held longest, or the next to arrive if the gate holds none.
    public func failOnce(with error: any Error) { answerOnce(.failure(error)) }

    /// Holds all fetches that arrive from now on.
    public func close() {
        state.withLock { state in
            state.rule = .hold
            state.prepared = []
        }
    }

    private func answer(_ answer: Answer, from rule: Rule) {
        let held = state.withLock { state in
            state.rule = rule
            state.prepared = []
            defer { state.held = [] }
            return state.held
        }
        for visit in held { visit.end(answer) }
    }

    private func answerOnce(_ answer: Answer) {
        let visit = state.withLock { state -> Visit? in
            if !state.held.isEmpty { return state.held.removeFirst() }
            state.prepared.append(answer)
            return nil
        }
        visit?.end(answer)
    }

    private func wait(until isReady: @escaping @Sendable (_ arrivals: Int, _ held: Int) -> Bool) async {
        let (stream, signal) = AsyncStream.makeStream(of: Void.self)
        let isThere = state.withLock { state in
            if isReady(state.arrivals, state.held.count) { return true }
            state.watchers.append(Watcher(isReady: isReady, signal: signal))
            return false
        }
        if isThere { return }
        for await _ in stream {}
    }
}

/// One wait at a gate. It is a clock with a single alarm, which fires when the gate lets the fetch pass or fail.
///
/// QueryKit doesn't count a run that sleeps on a custom clock as working, and this is all that a gate needs.
private final class Visit: QueryClock {
    private struct State {
        var answer: Gate.Answer?
        var ring: (@Sendable () -> Void)?
    }

    private let state = Lock(State())

    var now: QueryInstant { .zero }
    var date: Date { Date(timeIntervalSinceReferenceDate: 0) }

    func schedule(at deadline: QueryInstant, _ action: @escaping @Sendable () -> Void) -> QueryAlarm {
        let isAnswered = state.withLock { state in
            if state.answer == nil { state.ring = action }
            return state.answer != nil
        }
        if isAnswered { action() }
        return QueryAlarm { [weak self] in self?.state.withLock { $0.ring = nil } }
    }

    func wait() async throws {
        try await sleep(until: QueryInstant.zero.advanced(by: .seconds(1)))
        try state.withLock { $0.answer }?.get()
    }

    func end(_ answer: Gate.Answer) {
        let ring = state.withLock { state in
            state.answer = answer
            defer { state.ring = nil }
            return state.ring
        }
        ring?()
    }
}
