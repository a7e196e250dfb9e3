import Foundation

@testable import QueryKit

/// What the app does: it subscribes, fetches, writes, and changes the source.
extension LedgerLife {
    /// What an observer has seen.
    final class Seen {
        var revision: Int?
        var value: Value?
    }

    /// A cache that was asked for the value of a request, and answers later.
    struct Lookup {
        let request: Int
        let entry: Entry
        let change: ChangeNumber
        let moment: Int
    }

    func act() {
        switch roll(38) {
        case 0, 1, 2: subscribe(pick())
        case 3, 4: unsubscribe()
        case 5, 6: fetch(pick())
        case 7: leave()
        case 8, 9, 10: commit(roll(Self.regionCount))
        case 11: invalidate(pick())
        case 12: write(pick())
        case 13, 14: update()
        case 15, 16: submit()
        case 17: batch()
        case 18:
            note("network")
            event { $0.setOnline($0.network.isOffline) }
        case 19: pass([1, 5, 40, 120][roll(4)])
        case 20:
            isEnabled.toggle()
            note("condition \(isEnabled)")
            event { $0.reconsider("request/**") }
        case 21:
            isFailing.toggle()
            note("failing \(isFailing)")
        case 22: replaceAll()
        case 23: withdrawOrRetry()
        case 24: event { $0.settled(Signal()) }
        case 25: invalidateTags()
        case 26: lookUp(pick())
        case 27, 28: useCalls()
        case 29: releaseMemory()
        case 30: releaseStale(pick())
        case 31: awaitList()
        case 32: refetch(pick())
        case 33, 34: resume()
        case 35, 36: trigger()
        default: fetchMore(pick())
        }
    }

    // MARK: Observers and callers

    private func subscribe(_ request: Int) {
        let (isOnMain, observes) = (roll(4) == 0, roll(8) != 7)
        let (seen, entry) = (Seen(), entry(request))
        let settings = settings(request)
        let observer = Observer(settings, observes: observes, isOnMainActor: isOnMain) { _, _ in }
        note("subscribe \(request)\(isOnMain ? " on main" : "")\(observes ? "" : " without observing")")
        observers.append((request, observer, seen))
        disturb(request)
        let first = event { $0.subscribe(entry, observer, ttl: settings.ttl) }
        (seen.revision, seen.value) = (first.record.revision, first.current?.unboxed(as: Value.self))
        while let missed = event({ $0.catchUp(observer) }) { receive(missed, observer) }
    }

    private func unsubscribe() {
        guard !observers.isEmpty else { return }
        let gone = observers.remove(at: roll(observers.count))
        note("unsubscribe \(gone.request)")
        disturb(gone.request)
        let entry = entries[gone.request]!
        event { $0.unsubscribe(entry, gone.observer) }
    }

    func receive(_ publication: Publication, _ observer: Observer) {
        guard let seen = observers.first(where: { $0.observer === observer })?.seen else { return }
        let revision = publication.state.record.revision
        if !observer.isOnMainActor, let last = seen.revision, revision > last + 1 {
            problems.append("revision \(revision) follows \(last)")
        }
        if !observer.isOnMainActor, let last = seen.revision, revision < last {
            problems.append("revision \(revision) comes after \(last)")
        }
        seen.revision = max(revision, seen.revision ?? 0)
        seen.value = publication.state.current?.unboxed(as: Value.self)
    }

    private func fetch(_ request: Int) {
        let isDeduplicated = roll(4) != 0
        if !isDeduplicated { disturb(request) }
        let aim = request == Self.pages && roll(2) == 0 ? RunAim.next : .everything
        fetch(request, Caller(settings(request, isDeduplicated: isDeduplicated), aim: aim, takesFresh: roll(2) == 0))
    }

    /// A call that takes no fresh value; of pages, for the next one.

    private func leave() {
        guard !callers.isEmpty else { return }
        note("leave")
        let caller = callers.remove(at: roll(callers.count))
        event { $0.leave(caller) }
        if answers[ObjectIdentifier(caller)] == nil, case .delivery = ledger[caller].place { problems.append("a caller that leaves waits") }
    }

    // MARK: Changes of the source

    private func fetchMore(_ request: Int) { fetch(request, Caller(settings(request), aim: request == Self.pages ? .next : .everything)) }

    private func fetch(_ request: Int, _ caller: Caller) {
        note("fetch \(request), \(caller.aim)\(caller.takesFresh ? ", fresh" : "")\(caller.settings.isDeduplicated ? "" : ", alone")")
        kept.append(caller)
        callers.append(caller)
        asked[ObjectIdentifier(caller)] = (request, reported)
        let entry = entry(request)
        event { $0.fetch(entry, caller, ttl: caller.settings.ttl) }
    }

    /// A region gets another version, and open streams of it deliver it.
    func change(_ number: Int, _ report: (inout Ledger) -> Void) {
        versions[number] += 1
        reported[number] = versions[number]
        for attempt in attempts where attempt.source == number { attempt.hasElement = true }
        event(report)
    }

    private func commit(_ number: Int) {
        // What a run writes over a commit that isn't reported yet would include that, although it has read nothing of it.
        let mayWrite = !commits.contains { $0.region == number }
        let writer = roll(4) == 0 && mayWrite ? attempts.first { !$0.isCancelled && $0.inner == nil }?.run : nil
        note("commit \(number)\(writer.map { " by \(self.number(of: $0.entry))" } ?? "")")
        if roll(3) == 0 {
            change(number) { ledger in
                ledger.beginWork()
                self.halves.append(ledger.enter(changed: [self.region(number)], .regionChanged, by: writer))
            }
        } else {
            change(number) { $0.changed([self.region(number)], .regionChanged, by: writer) }
        }
        // A run isn't repeated for its own change: what it has read before is older.
        if let writer, let attempt = attempts.first(where: { $0.run === writer }), attempt.value.reads[number] != nil {
            attempt.value.reads[number] = versions[number]
        }
    }

    private func invalidate(_ request: Int) {
        let refetch: QueryRefetch = [.active, .none, .all, .inactive][roll(4)]
        note("invalidate \(request), \(refetch)")
        lastMark[request] = fresh()
        if refetch == .none || refetch == .inactive { mayBeStale.insert(request) }
        let list = list()
        event { $0.invalidate(.pattern(pattern(request)), .manual, refetch: refetch, list) }
    }

    private func invalidateTags() {
        note("invalidate tag")
        for request in 0..<Self.requestCount where isTagged(request) { lastMark[request] = fresh() }
        event { $0.invalidate(.tags(["tag"]), .manual) }
        checkTags()
    }

    // MARK: Writes

    private func replace(_ request: Int) {
        lastReplacement[request] = fresh()
        disturb(request)
    }

    private func write(_ request: Int) {
        let (number, entry) = (fresh(), entry(request))
        note("write \(request): \(number)")
        lastWrite[request] = number
        replace(request)
        event { $0.write(entry, .success(Value(write: number).boxed)) }
    }

    /// Prefers requests beneath layers.
    private func update() {
        let request = calls.last.flatMap { roll(2) == 0 ? layered[$0.number]?.first : nil } ?? pick()
        let (number, entry) = (fresh(), entry(request))
        note("update \(request): \(number)")
        disturb(request)
        let layer = Layer { $0.map { $0.unboxed(as: Value.self).updated(number).boxed } }
        if event({ $0.update(entry, layer) }) { lastUpdate[request] = number }
    }

    private func batch() {
        let requests = distinct(pick(), pick())
        let number = fresh()
        note("batch \(requests): \(number)")
        var changes: [Ledger.Change] = []
        for request in requests {
            if roll(5) == 0 { changes.append(.invalidation(.pattern(pattern(request)), .manual, .active, list())) }
            lastWrite[request] = number
            replace(request)
            if roll(5) == 0 { changes.append(.result(entry(request), .failure(Failure(number: number)))) }
            changes.append(.result(entry(request), .success(Value(write: number).boxed)))
            guard roll(3) == 0 else { continue }
            let update = fresh()
            lastUpdate[request] = update
            changes.append(.update(entry(request), Layer { $0.map { $0.unboxed(as: Value.self).updated(update).boxed } }))
        }
        event { $0.enter(changes) }
        batches.append((number, requests))
    }

    func distinct(_ first: Int, _ second: Int) -> [Int] { first == second ? [first] : [first, second] }

    private func replaceAll() {
        let kind = roll(4)
        note(["end session", "reset", "remove", "cancel"][kind])
        mayBeStale = Self.all
        running = []
        for request in 0..<Self.requestCount { disturb(request) }
        if kind < 3 {
            (lastWrite, lastUpdate) = ([:], [:])
            for request in 0..<Self.requestCount { replace(request) }
        }
        switch kind {
        case 0: event { $0.clear(.session) }
        case 1: event { $0.reset($0.matches(.all)) }
        case 2: event { $0.remove($0.matches(.all)) }
        default: event { ledger in for entry in ledger.matches(.all) { ledger.cancel(entry) } }
        }
    }

    // MARK: Caches

    private func lookUp(_ request: Int) {
        note("look up \(request)")
        lookups.append(Lookup(request: request, entry: entry(request), change: ledger.change, moment: fresh()))
    }

    /// A cache answers. A value that has read regions is never fresh, because changes of another process may be missing.
    func restore(_ lookup: Lookup) {
        let request = lookup.request
        note("restore \(request)")
        let value = Value(write: 0, moment: lookup.moment).boxed
        let (isListed, hadResult) = (ledger.isListed(lookup.entry), ledger[lookup.entry].record.hasResult)
        disturb(request)
        mayBeStale.insert(request)
        let time = ledger.time
        let isShown = event {
            $0.restore(lookup.entry, value, at: time, isInvalidated: request != Self.constant, asOf: lookup.change)
        }
        checkRestored(lookup, isShown: isShown, mayShow: isListed && !hadResult)
    }

    func pass(_ amount: Int64) {
        note("time \(amount)")
        isRoundAgreed = false
        advance(amount)
        timer = .never
        event { $0.fire() }
    }

    /// Something other than a change of the source happens to a request of the round.
    func disturb(_ request: Int) { if request == Self.consistent.0 || request == Self.consistent.1 { isRoundAgreed = false } }
}
