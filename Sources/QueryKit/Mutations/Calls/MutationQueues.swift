import Foundation

/// A call that can be ended from outside.
protocol EndableCall: AnyObject, Sendable {
    var id: UUID { get }

    /// The path of its mutation.
    var path: QueryPath { get }

    /// The store that shows it.
    var ticket: StoreTicket { get }

    /// The context in which it was made. Its session may have ended.
    var context: QueryContext { get }

    /// Whether it ends as ``MutationQueues/End/kept``.
    var isKept: Bool { get }

    /// Requests an end. The first request counts. The call begins no attempt after it.
    func request(_ end: MutationQueues.End)

    /// Takes out the stores that show layers of the call, if an end was requested. The caller removes the layers.
    func takeLayered() -> [StoreCore]

    /// Cancels the call, if an end was requested.
    func carryOutEnd()
}

/// The pending mutation calls of a client: their places in the queues, and how to end them.
final class MutationQueues: Sendable {
    private struct State {
        var scopes = ScopeQueues()
        /// The order in which calls are written to the journal.
        var journal = ScopeQueues()
        /// The order of resumptions.
        var resumption = ScopeQueues()
        /// The calls that wait in a queue.
        var waiting: [Queue: [UUID: Waiting]] = [:]
        var active: [UUID: Call] = [:]
        /// How many calls have been made.
        var count = 0
        /// The calls that were pending at any time since the current resumption began; `nil` if there is no resumption.
        var known: Set<UUID>?
        /// The calls that are over and stay in the journal, unless they are repeated or withdrawn.
        var kept: [UUID: KeptCall] = [:]
        /// The calls that are being withdrawn, until they are removed from the journal.
        var withdrawing: Set<UUID> = []
        /// The call that a resumption is about to make, and whether it has been withdrawn since it was claimed.
        var claimed: (id: UUID, isWithdrawn: Bool)?
        /// The names of unknown mutations in the journal that were reported.
        var unknown: Set<String> = []
        /// The promises of tasks that wait for the end of a call.
        var awaited: [UUID: [Promise<Void>]] = [:]

        mutating func add(_ call: any EndableCall) {
            count += 1
            active[call.id] = Call(number: count, ending: call)
            kept[call.id] = nil
            known?.insert(call.id)
        }

        /// A promise for the end of a call; `nil` if it is over.
        mutating func end(of id: UUID) -> Promise<Void>? {
            guard active[id] != nil else { return nil }
            let end = Promise<Void>()
            awaited[id, default: []].append(end)
            return end
        }

        mutating func takeWaiting(_ queue: Queue, _ id: UUID) -> Waiting? {
            defer { if waiting[queue]?.isEmpty == true { waiting[queue] = nil } }
            return waiting[queue]?.removeValue(forKey: id)
        }
    }

    /// A queue. A call may wait in two queues, one after the other.
    enum Queue: Hashable {
        /// Calls are written to the journal in the order in which they were made.
        case journal
        case scope(String)
        /// Resumptions take place one after the other, so that calls are resumed in the order of the journal.
        case resumption
    }

    private struct Call {
        /// The number of the call, counted from the client's first.
        let number: Int
        let ending: any EndableCall

        var isOfFormerSession: Bool { ending.context.owner?.isEnded == true }
    }

    /// A call that is over and stays in the journal.
    private struct KeptCall {
        let path: QueryPath
        let owner: WeakOwner?

        var isOfFormerSession: Bool { owner?.isEnded == true }
    }

    /// What happens to the journal entry of a call that is ended from outside.
    enum End: Sendable {
        /// The entry is removed: the call will not be repeated.
        case withdrawn
        /// The entry stays. ``QueryClient/resumeMutations(of:)`` repeats the call.
        case kept
    }

    private struct Waiting {
        let promise: Promise<Void>
        /// Counts the call as work again, before the call that resumed it stops counting.
        let resume: @Sendable () -> Void
        /// Takes over the pass of the previous call.
        let hold: @Sendable (QuerySubscription) -> Void

        func admit() {
            resume()
            promise.resolve(.success(()))
        }
    }

    private let state = Lock(State())

    /// The leases that the client has in a shared journal.
    let leases = JournalLeases()

    // MARK: Lines

    /// Takes a place in a queue. Returns `nil` if it is the first.
    ///
    /// - Parameter isResumed: Whether the call comes from the journal. Then it precedes calls that were made after ``beginResumption()``.
    func enter(
        _ queue: Queue,
        _ id: UUID,
        isResumed: Bool = false,
        resume: @escaping @Sendable () -> Void,
        hold: @escaping @Sendable (QuerySubscription) -> Void
    ) -> Promise<Void>? {
        state.withLock { state in
            let isFirst =
                switch queue {
                case .journal: state.journal.enter("", id)
                case .resumption: state.resumption.enter("", id)
                case .scope(let scope): state.scopes.enter(scope, id, isExpected: isResumed)
                }
            if isFirst { return nil }
            let promise = Promise<Void>()
            state.waiting[queue, default: [:]][id] = Waiting(promise: promise, resume: resume, hold: hold)
            return promise
        }
    }

    /// Leaves the queue and admits the next call, which takes over the pass that makes queries wait.
    func leave(_ queue: Queue, _ id: UUID, handing pass: QuerySubscription? = nil) {
        // Release the closures of the leaving call outside the lock.
        let (left, next) = state.withLock { state -> (Waiting?, Waiting?) in
            let next =
                switch queue {
                case .journal: state.journal.leave("", id)
                case .resumption: state.resumption.leave("", id)
                case .scope(let scope): state.scopes.leave(scope, id)
                }
            return (state.takeWaiting(queue, id), next.flatMap { state.takeWaiting(queue, $0) })
        }
        withExtendedLifetime(left) {}
        if let pass { if let next { next.hold(pass) } else { pass.cancel() } }
        next?.admit()
    }

    /// If this call is the first in the queue of its scope, lets `others` go first: calls that precede it in the journal. Returns a promise
    /// to wait for; `nil` if this call isn't the first, or if none of the others is in the queue.
    func giveWay(
        in scope: String,
        _ id: UUID,
        to others: [UUID],
        handing pass: QuerySubscription?,
        resume: @escaping @Sendable () -> Void,
        hold: @escaping @Sendable (QuerySubscription) -> Void
    ) -> Promise<Void>? {
        let given = state.withLock { state -> (turn: Promise<Void>, next: Waiting?)? in
            guard let first = state.scopes.giveWay(scope, id, to: Set(others)) else { return nil }
            let turn = Promise<Void>()
            state.waiting[.scope(scope), default: [:]][id] = Waiting(promise: turn, resume: resume, hold: hold)
            return (turn, state.takeWaiting(.scope(scope), first))
        }
        guard let given else {
            pass.map(hold)
            return nil
        }
        if let pass { if let next = given.next { next.hold(pass) } else { pass.cancel() } }
        given.next?.admit()
        return given.turn
    }

    /// A new promise for a call whose wait was cancelled but that has kept its place; `nil` if its turn has come.
    func waitAgain(in queue: Queue, _ id: UUID) -> Promise<Void>? {
        state.withLock { state in
            guard let waiting = state.waiting[queue]?[id] else { return nil }
            let promise = Promise<Void>()
            state.waiting[queue]?[id] = Waiting(promise: promise, resume: waiting.resume, hold: waiting.hold)
            return promise
        }
    }

    // MARK: Resuming

    /// Begins a resumption, before the journal of a session is read. Until ``endResumption()``, new calls wait behind resumed ones.
    ///
    /// - Returns: The promises to wait for before the journal is read. They belong to calls that end as ``End/kept`` but are not over yet.
    ///   The resumption repeats these calls.
    func beginResumption(of session: String?) -> [Promise<Void>] {
        let kept = state.withLock { Array($0.active.values) }.filter { $0.ending.context.session == session && $0.ending.isKept }
        return state.withLock { state in
            state.known = Set(state.active.keys)
            state.scopes.expectOthers()
            return kept.compactMap { call in
                let id = call.ending.id
                state.known?.remove(id)
                return state.end(of: id)
            }
        }
    }

    /// Claims an entry of the journal for one resumption. Returns `true` for the first that claims it.
    ///
    /// Returns `false` if its call is pending, if it ended or was withdrawn while the journal was read, or if it was claimed before.
    func claim(_ id: UUID) -> Bool {
        state.withLock { state in
            guard state.active[id] == nil, !state.withdrawing.contains(id), state.known?.insert(id).inserted == true else { return false }
            state.claimed = (id, false)
            return true
        }
    }

    /// Ends a claim after its call has been made. Withdraws the call if that was requested just before.
    func endClaim() {
        let claimed = state.withLock { $0.claimed.take() }
        if let claimed, claimed.isWithdrawn { end([claimed.id], .withdrawn) }
    }

    /// Notes the name of an unknown mutation. Returns `true` for the first time.
    func isFirst(ofUnknown name: String) -> Bool { state.withLock { $0.unknown.insert(name).inserted } }

    func endResumption() {
        let next = state.withLock { state -> [Waiting] in
            (state.known, state.claimed) = (nil, nil)
            return state.scopes.expectNoOthers().compactMap { state.takeWaiting(.scope($0.scope), $0.id) }
        }
        for waiting in next { waiting.admit() }
    }

    // MARK: Pending calls

    /// Adds a call. If a call with the same id is pending, returns that call and changes nothing.
    @discardableResult
    func add(_ call: any EndableCall) -> (any EndableCall)? {
        let id = call.id
        return state.withLock { state in
            if let known = state.active[id] { return known.ending }
            state.add(call)
            return nil
        }
    }

    /// Removes a call that is over. In the same step, `close` decides whether it stays in the journal, and which call with the same id
    /// replaces it.
    func remove(_ id: UUID, _ close: () -> (staysInJournal: Bool, successor: (any EndableCall)?) = { (false, nil) }) {
        var ends: [Promise<Void>]?
        // Release the call outside the lock.
        let call = state.withLock { state in
            if !state.awaited.isEmpty { ends = state.awaited.removeValue(forKey: id) }
            let call = state.active.removeValue(forKey: id)
            let (staysInJournal, successor) = close()
            if staysInJournal, let call, !call.isOfFormerSession {
                state.kept[id] = KeptCall(path: call.ending.path, owner: call.ending.context.owner)
            }
            if let successor { state.add(successor) }
            return call
        }
        withExtendedLifetime(call) {}
        if let ends { for end in ends { end.resolve(.success(())) } }
    }

    /// The number of a pending call, counted from the client's first; `nil` if the call is over.
    func number(of id: UUID) -> Int? { state.withLock { $0.active[id]?.number } }

    /// The pending calls in the order in which they were made, with their numbers.
    var pending: [(number: Int, call: any EndableCall)] {
        state.withLock { $0.active.values.map { ($0.number, $0.ending) } }.sorted { $0.0 < $1.0 }
    }

    /// Whether a call is pending.
    func contains(_ id: UUID) -> Bool { state.withLock { $0.active[id] != nil } }

    /// Withdraws a call, and prevents resumptions from repeating it until ``endWithdrawal(_:)``.
    ///
    /// - Returns: A promise for the end of the call; `nil` if it is not pending.
    func beginWithdrawal(_ id: UUID) -> Promise<Void>? {
        let end = state.withLock { state in
            state.withdrawing.insert(id)
            state.kept[id] = nil
            if state.claimed?.id == id { state.claimed?.isWithdrawn = true }
            return state.end(of: id)
        }
        self.end([id], .withdrawn)
        return end
    }

    /// Ends a withdrawal, when the call is removed from the journal. A current resumption may have read the entry before.
    func endWithdrawal(_ id: UUID) {
        state.withLock { state in
            state.withdrawing.remove(id)
            state.known?.insert(id)
        }
    }

    /// Ends a call that another client makes, or that is no longer in the journal.
    func endKept(_ id: UUID) { end([id], .kept) }

    private func end(_ ids: [UUID], _ end: End) {
        self.end(state.withLock { state in ids.compactMap { state.active[$0]?.ending } }, end)
    }

    /// How many calls have been made so far.
    var count: Int { state.withLock { $0.count } }

    /// Ends the calls of all mutations that a pattern matches, but not those that were made later than number `count`.
    ///
    /// Calls of a session that has ended are not withdrawn, because they belong to another user.
    func end(matching pattern: QueryPattern, _ end: End, upTo count: Int = .max) {
        self.end(end) { call in
            call.number <= count && pattern.matches(call.ending.path) && (end == .kept || !call.isOfFormerSession)
        }
    }

    /// Takes out the calls of matching mutations that are over and were kept in the journal.
    func takeKept(matching pattern: QueryPattern) -> [(id: UUID, path: QueryPath)] {
        state.withLock { state in
            let found = state.kept.filter { pattern.matches($0.value.path) && !$0.value.isOfFormerSession }
            for id in found.keys { state.kept[id] = nil }
            return found.map { ($0.key, $0.value.path) }
        }
    }

    /// Ends the calls of one store as ``End/kept``, but not those that were made later than number `count`.
    func end(of store: StoreTicket, upTo count: Int = .max) { end(.kept) { $0.number <= count && $0.ending.ticket == store } }

    /// Ends the calls of sessions that have ended, as ``End/kept``. Calls of the current session, which may already have begun, continue.
    func endFormerSessions() {
        state.withLock { state in state.kept = state.kept.filter { !$0.value.isOfFormerSession } }
        end(.kept) { $0.isOfFormerSession }
    }

    private func end(_ end: End, where condition: (Call) -> Bool) {
        let calls = state.withLock { Array($0.active.values) }
        self.end(calls.filter(condition).sorted { $0.number < $1.number }.map(\.ending), end)
    }

    private func end(_ calls: [any EndableCall], _ end: End) {
        // Request all ends first: when the first call leaves its queue, the next one must not begin.
        for call in calls { call.request(end) }
        removeLayers(of: calls)
        for call in calls { call.carryOutEnd() }
    }

    /// Removes the layers of some calls as one change, so that each store computes its shown value once.
    private func removeLayers(of calls: [any EndableCall]) {
        var owners: [ObjectIdentifier: Set<LayerStack.Owner>] = [:]
        var stores: [StoreCore] = []
        for call in calls {
            for store in call.takeLayered() {
                if owners[ObjectIdentifier(store)] == nil { stores.append(store) }
                owners[ObjectIdentifier(store), default: []].insert(call.id)
            }
        }
        guard let host = stores.first?.host else { return }
        LayerFollowUps.carryOut(for: host) { followUps in
            for store in stores { store.removeLayers(of: owners[ObjectIdentifier(store)] ?? [], leaving: followUps) }
        }
    }
}
