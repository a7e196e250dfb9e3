/// The changes of one `batch` call. They are collected without the lock, and entered in one step at the end (R29). So two threads that
/// batch never meet. The task itself sees what it has written.
final class Batch: Sendable {
    @TaskLocal private static var innermost: Batch?

    private let engine: Engine
    /// The batch around this one, which is of another client.
    private let outer: Batch?
    private let content = Lock(Content())

    private struct Content: Sendable {
        var changes: [Ledger.Change] = []
        /// The session in which they were made.
        var session: UInt32 = 0
        /// A task that began in the batch still refers to it.
        var isOver = false
    }

    private init(_ engine: Engine) { (self.engine, outer) = (engine, Self.innermost) }

    /// The batch of an engine that the current task is in.
    static func current(of engine: Engine) -> Batch? {
        var batch = innermost
        while let candidate = batch {
            if candidate.engine === engine, !candidate.content.withLock({ $0.isOver }) { return candidate }
            batch = candidate.outer
        }
        return nil
    }

    /// The changes of the present session. Those of a former one don't count any more (R24).
    var collected: [Ledger.Change] {
        let session = engine.session.withLock { $0.number }
        return content.withLock { $0.session == session ? $0.changes : [] }
    }

    /// Returns false if the batch is over.
    func add(_ change: Ledger.Change) -> Bool {
        let session = engine.session.withLock { $0.number }
        var former: [Ledger.Change] = []
        // Counted until the end of the batch.
        if case .invalidation(_, _, _, let list) = change { engine.enter { $0.beginPart(of: list) } }
        let isAdded = content.withLock { content in
            if content.isOver { return false }
            if content.session != session { swap(&former, &content.changes) }
            content.session = session
            content.changes.append(change)
            return true
        }
        // What was collected in a former session doesn't count, nor does a change after the end. Released here, without the lock.
        if !former.isEmpty { engine.enterNow { [former] in $0.drop(former) } }
        drop(isAdded ? former : [change])
        return isAdded
    }

    private func end() {
        let (changes, session) = content.withLock { content in
            content.isOver = true
            defer { content.changes = [] }
            return (content.changes, content.session)
        }
        if changes.isEmpty { return }
        engine.enterNow { if $0.epoch == session { $0.enter(changes) } else { $0.drop(changes) } }
        drop(changes)
    }

    /// Ends the parts of refetches that changes are.
    private func drop(_ changes: [Ledger.Change]) {
        for case .invalidation(_, _, _, let list) in changes { engine.enter { $0.endPart(of: list) } }
    }

    fileprivate static func carryOut<Result>(_ engine: Engine, _ body: () throws -> Result) rethrows -> Result {
        let batch = Batch(engine)
        defer { batch.end() }
        return try $innermost.withValue(batch, operation: body)
    }
}

extension Engine {
    /// A nested batch becomes part of the outer one. If the closure throws, what it has changed before counts.
    func batch<Result>(_ body: () throws -> Result) rethrows -> Result {
        try Batch.current(of: self) == nil ? Batch.carryOut(self, body) : body()
    }

    func write(_ entry: Entry, _ result: Result<AnyValue, any Error>) {
        let result = result.map { measured($0, entry) }
        enter(.result(entry, result)) { $0.write(entry, result) }
    }

    /// Returns false if there is no value to change.
    @discardableResult
    func update(_ entry: Entry, _ change: @escaping @Sendable (AnyValue) -> AnyValue) -> Bool {
        let update = Layer { $0.map(change) }
        if let batch = Batch.current(of: self) {
            if !hasValue(entry, batch) { return false }
            if batch.add(.update(entry, update)) { return true }
        }
        return enterNow { $0.update(entry, update) }
    }

    @discardableResult
    func invalidate(_ subject: Ledger.Subject, _ cause: QueryCause, refetch: QueryRefetch = .active) -> Refetches {
        let (list, subject) = (Refetches(), subject.withUnique(elements))
        enter(.invalidation(subject, cause, refetch, list)) { $0.invalidate(subject, cause, refetch: refetch, list) }
        return list
    }

    func submit(_ call: CallEntry) { enter(.call(call)) { $0.submit(call) } }

    private func enter(_ change: Ledger.Change, _ event: (inout Ledger) -> Void) {
        if let batch = Batch.current(of: self), batch.add(change) { return }
        enterNow(event)
    }

    // MARK: What a batch sees

    /// Whether an entry has a value of its own, without layers.
    private func hasValue(_ entry: Entry, _ batch: Batch) -> Bool {
        batch.collected.contains { change in
            if case .result(let written, .success) = change { written === entry } else { false }
        } || enter { $0[entry].base != nil }
    }

    /// The state of an entry as the current task sees it: with what the batch around it has written.
    func shown(_ entry: Entry) -> StateBox {
        let changes = Batch.current(of: self)?.collected ?? []
        return changes.contains { $0.writes(entry) } ? state(entry, with: changes) : state(entry)
    }

    private func state(_ entry: Entry, with changes: [Ledger.Change]) -> StateBox {
        let (state, question) = enter { ($0.state(entry), $0.valueQuestion(entry)) }
        let time = QueryTimestamp(now: clock)
        var record = state.record
        for change in changes where change.writes(entry) {
            switch change {
            case .result(_, .success(let value)):
                (question.base, question.updates) = (value, [])
                record.succeed(at: time)
                record.flags.remove(.invalidated)
            case .result(_, .failure(let error)): record.fail(error, at: time)
            case .update(_, let update):
                question.updates.append(update)
                record.succeed(at: time)
                record.flags.remove(.invalidated)
            case .call(let call):
                for (layered, apply) in call.layers where layered === entry { question.layers.append(Layer(call, apply)) }
                record.flags.insert(.optimistic)
            case .invalidation: break
            }
        }
        answer(question)
        return StateBox(record: record, current: question.value, byteCount: question.value?.byteCount ?? 0)
    }
}

extension Ledger.Change {
    fileprivate func writes(_ entry: Entry) -> Bool {
        switch self {
        case .result(let written, _), .update(let written, _): written === entry
        case .call(let call): call.layers.contains { $0.entry === entry }
        case .invalidation: false
        }
    }
}

extension Ledger.Subject {
    fileprivate func withUnique(_ elements: PathElements) -> Ledger.Subject {
        if case .pattern(let pattern) = self { .pattern(elements.unique(pattern)) } else { self }
    }
}
