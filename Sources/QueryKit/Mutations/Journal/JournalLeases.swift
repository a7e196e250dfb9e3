import Foundation

/// Holds the leases of one client in a shared journal, and decides when the client next looks for calls that other clients have held.
///
/// While the client holds calls, their leases are extended on the client's clock.
final class JournalLeases: Sendable {
    /// The duration of a lease that is not extended. A lease is extended after half of this time.
    static let span = Duration.seconds(60)
    /// How long a call waits before it checks again whether another client has made the earlier calls.
    static let pause = Duration.milliseconds(250)

    private struct State {
        var held: [UUID: StoreCore] = [:]
        var renewal: QueryAlarm?
        var look: QueryAlarm?
        /// Resumes calls that other clients no longer hold.
        var resume: (@Sendable () async -> Void)?
    }

    /// Identifies the client in the journal.
    let holder = UUID()
    private let state = Lock(State())

    init() { LivingHolders.insert(holder) }

    deinit { LivingHolders.remove(holder) }

    /// Called when the client is deallocated. The client holds no leases from now on.
    func close() {
        LivingHolders.remove(holder)
        let former = state.withLock { state in
            defer { state = State() }
            return state
        }
        former.renewal?.cancel()
        former.look?.cancel()
    }

    func lease(at date: Date) -> MutationLease {
        MutationLease(holder: holder, process: ProcessIdentity.current.text, until: date.addingTimeInterval(Self.span / .seconds(1)))
    }

    // MARK: Calls of this client

    /// Extends the lease of a call from now on. The client has just received it.
    ///
    /// - Parameter store: The store of the call, to report errors of the journal.
    func hold(_ id: UUID, of store: StoreCore, in journal: any SharedMutationJournal, on clock: any QueryClock) {
        let isFirst = state.withLock { state in
            defer { state.held[id] = store }
            return state.held.isEmpty
        }
        if isFirst { scheduleRenewal(for: store, in: journal, on: clock) }
    }

    /// Drops the lease of a call that is over, or that another client makes.
    func drop(_ id: UUID) {
        // The store and the alarm are released outside the lock.
        let (_, alarm) = state.withLock { state -> (StoreCore?, QueryAlarm?) in
            let store = state.held.removeValue(forKey: id)
            guard state.held.isEmpty else { return (store, nil) }
            defer { state.renewal = nil }
            return (store, state.renewal)
        }
        alarm?.cancel()
    }

    private func scheduleRenewal(for store: StoreCore, in journal: any SharedMutationJournal, on clock: any QueryClock) {
        let alarm = store.host.schedule(at: clock.now.advanced(by: Self.span / 2), on: clock) { [weak self] in
            self?.renew(in: journal, on: clock)
        }
        let (obsolete, isWanted) = state.withLock { state -> (QueryAlarm?, Bool) in
            guard !state.held.isEmpty else { return (nil, false) }
            defer { state.renewal = alarm }
            return (state.renewal, true)
        }
        obsolete?.cancel()
        if !isWanted { alarm.cancel() }
    }

    private func renew(in journal: any SharedMutationJournal, on clock: any QueryClock) {
        let held = state.withLock { $0.held }
        guard let store = held.first?.value else { return }
        let token = store.host.work.begin()
        // The task has no owner: it does one thing and ends.
        Task.detached { [self] in
            do {
                try await journal.extend(Array(held.keys), to: lease(at: clock.date))
            } catch {
                store.report(.storageFailed, .manual, error)
            }
            scheduleRenewal(for: store, in: journal, on: clock)
            token.end()
        }
    }

    // MARK: Calls of other clients

    /// Sets how to resume calls that other clients no longer hold. Returns whether it was set for the first time.
    func resume(with resume: @escaping @Sendable () async -> Void) -> Bool {
        // Release the previous closure outside the lock.
        let former = state.withLock { state in
            defer { state.resume = resume }
            return state.resume
        }
        return former == nil
    }

    /// Looks for calls that no client holds, and resumes them. Returns `false` if the app has not set how to resume them.
    func resumeFreeCalls() async -> Bool {
        guard let resume = state.withLock({ $0.resume }) else { return false }
        await resume()
        return true
    }

    /// Looks for calls that no client holds, in a new task. The task has no owner: it does one thing and ends.
    func look(for host: any StoreHost) {
        let token = host.work.begin()
        Task.detached { [weak self] in
            _ = await self?.resumeFreeCalls()
            token.end()
        }
    }

    /// Looks again after a duration, when the first lease of another client ends.
    func lookAgain(in duration: Duration, for host: any StoreHost, on clock: any QueryClock) {
        let alarm = host.schedule(at: clock.now.advanced(by: duration), on: clock) { [weak self, weak host] in
            if let host { self?.look(for: host) }
        }
        let obsolete = state.withLock { state in
            defer { state.look = alarm }
            return state.look
        }
        obsolete?.cancel()
    }
}

/// The clients of this process that may hold leases.
enum LivingHolders {
    private static let holders = Lock<Set<UUID>>([])

    static func insert(_ holder: UUID) { holders.withLock { _ = $0.insert(holder) } }
    static func remove(_ holder: UUID) { holders.withLock { _ = $0.remove(holder) } }
    static func contains(_ holder: UUID) -> Bool { holders.withLock { $0.contains(holder) } }
}
