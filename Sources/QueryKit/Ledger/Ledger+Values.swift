/// Values: what is written, and what is shown of it.
///
/// A write, an update or a layer changes the *inputs* of an entry at once. What they show is decided by code of the app, outside the lock.
/// Its answer counts if it is newer than what is shown.
extension Ledger {
    // MARK: Inputs

    /// R19: a result from outside. A run under way doesn't overwrite it; another one follows if the entry is wanted.
    mutating func write(_ entry: Entry, _ result: Result<AnyValue, any Error>, _ cause: QueryCause = .written) {
        enter(entry, result, cause)
        derive([entry], result: result)
        // A fresh value needs no run, so none will replace layers.
        foldIfUnfetched(entry)
    }

    /// Changes the inputs by a write, which is shown later, in one step with others.
    mutating func enter(_ entry: Entry, _ result: Result<AnyValue, any Error>, _ cause: QueryCause = .written) {
        use(entry)
        holdRecord(entry)
        switch result {
        case .success(let value):
            dropUpdates(entry)
            setBase(entry, value)
            self[entry].record.succeed(at: time)
            self[entry].asOf = change
        case .failure(let error): self[entry].record.fail(error, at: time)
        }
        self[entry].record.cause = cause
        self[entry].record.notes = self[entry].record.notes?.overwritten
        supersede(entry, cause)
        rebase(entry)
    }

    /// Changes the value by a closure of the app, which is called outside the lock. Returns false if there is no value.
    mutating func update(_ entry: Entry, _ update: Layer) -> Bool {
        guard enter(entry, update) else { return false }
        derive([entry])
        foldIfUnfetched(entry)
        return true
    }

    /// Changes the inputs by an update, which is shown later, in one step with others.
    mutating func enter(_ entry: Entry, _ update: Layer) -> Bool {
        guard self[entry].base != nil else { return false }
        use(entry)
        holdRecord(entry)
        self[entry].updates.append(update)
        self[entry].record.succeed(at: time)
        self[entry].record.cause = .written
        self[entry].record.notes = self[entry].record.notes?.overwritten
        self[entry].asOf = change
        supersede(entry, .written)
        return true
    }

    private mutating func use(_ entry: Entry) {
        updateClaim(entry)
        retain(entry)
    }

    /// Runs that began before a write are not shown. A stream's next element is newer than the write.
    private mutating func supersede(_ entry: Entry, _ cause: QueryCause) {
        self[entry].lastOverwritten = self[entry].lastRun
        guard let run = self[entry].run, self[run].phase != .live, self[run].phase.hasBegun else { return }
        self[run].isSuperseded = true
        // A run for some pages is repeated by its callers.
        guard run.aim == .everything, self[entry].isObserved || !self[run].callers.isEmpty else { return }
        self[run].trailing = self[run].trailing ?? cause
    }

    /// Shows a value that a cache has kept, if nothing newer has come since the cache was asked.
    ///
    /// - Parameter asked: The latest change when the cache was asked. Emptied entries are as of a later one.
    mutating func restore(
        _ entry: Entry,
        _ value: AnyValue,
        at time: QueryTimestamp,
        isInvalidated: Bool,
        asOf asked: ChangeNumber
    ) -> Bool {
        guard isListed(entry), asked >= self[entry].asOf, !self[entry].record.hasResult, self[entry].updates.isEmpty else { return false }
        use(entry)
        holdRecord(entry)
        setBase(entry, value)
        self[entry].record.succeed(at: time)
        self[entry].record.cause = .restored
        // What was invalidated since the value was kept, or since the cache was asked, stays invalidated.
        self[entry].asOf = isInvalidated ? .none : asked
        if isInvalidated { self[entry].marked = max(self[entry].marked, .none.next) }
        rebase(entry)
        derive([entry])
        // A fresh value needs no run, so none will replace layers.
        foldIfUnfetched(entry)
        return true
    }

    mutating func setBase(_ entry: Entry, _ base: AnyValue?) {
        trash.add(self[entry].base)
        self[entry].base = base
        self[entry].isFinal = false
        self[entry].inputs &+= 1
    }

    mutating func dropUpdates(_ entry: Entry) {
        guard !self[entry].updates.isEmpty else { return }
        trash.add(self[entry].updates)
        self[entry].appliedUpdates &+= UInt32(self[entry].updates.count)
        self[entry].updates = []
    }

    /// While code of the app decides what the new inputs show, the record of what is shown stays.
    mutating func holdRecord(_ entry: Entry) { if self[entry].shownRecord == nil { self[entry].shownRecord = self[entry].record } }

    // MARK: Layers

    /// Removes layers from an entry; what it shows then is asked by the caller of this method.
    mutating func removeLayers(_ entry: Entry, _ layers: [Layer]) {
        if layers.isEmpty { return }
        for layer in layers {
            guard let index = self[entry].layers.firstIndex(where: { $0 === layer }) else { continue }
            trash.add(self[entry].layers.remove(at: index))
            if let call = layer.owner { noteRemoval(of: layer, from: entry, of: call) }
        }
        self[entry].inputs &+= 1
        updateUse(entry)
    }

    // MARK: Questions

    /// Shows what the inputs of entries amount to, all of them in one step.
    mutating func derive(_ entries: [Entry], result: Result<AnyValue, any Error>? = nil) {
        if entries.isEmpty { return }
        let joint = entries.count > 1 ? Joint(entries) : nil
        for entry in entries {
            self[entry].inputs &+= 1
            unpublish(entry)
            if let joint { self[entry].joint.append(joint) }
        }
        if let result { for entry in entries { self[entry].result = result } }
        guard entries.count == 1, let entry = entries.first, isPlain(entry) else { return ask(questions(of: entries)) }
        self[entry].shownInputs = self[entry].inputs
        self[entry].shownRecord = nil
        setValue(entry, self[entry].base)
        self[entry].isOptimistic = false
        publish(entry)
    }

    private func isPlain(_ entry: Entry) -> Bool {
        self[entry].joint.isEmpty && self[entry].layers.isEmpty && self[entry].updates.isEmpty
            && (!entry.isComparable || self[entry].value == nil || self[entry].base == nil)
    }

    mutating func ask(_ question: Question) {
        beginWork()
        effects.append(.ask(question))
    }

    /// One question for entries, and for those that must be shown together with them.
    private func questions(of entries: [Entry]) -> Question { joined(entries.map { valueQuestion($0) }) }

    /// One question for the ends of runs, and for the entries that must be shown together with them.
    func questions(_ runs: [Run]) -> Question { joined(runs.map { endQuestion($0) }) }

    private func joined(_ questions: [Question]) -> Question {
        let first = questions[0]
        guard questions.count > 1 || !self[first.entry].joint.isEmpty else { return first }
        var all = questions
        var known = Set(questions.map(\.entry))
        var joints: Set<ObjectIdentifier> = []
        var index = 0
        while index < all.count {
            for joint in self[all[index].entry].joint where joints.insert(ObjectIdentifier(joint)).inserted {
                for entry in joint.entries where known.insert(entry).inserted && self[entry].inputs != self[entry].shownInputs {
                    all.append(valueQuestion(entry))
                }
            }
            index += 1
        }
        first.others = Array(all.dropFirst())
        return first
    }

    func valueQuestion(_ entry: Entry) -> Question {
        let question = Question(entry, .value, self[entry].inputs)
        (question.base, question.layers, question.shown) = (self[entry].base, self[entry].layers, self[entry].value)
        question.updates = self[entry].updates
        question.updatesUntil = self[entry].appliedUpdates &+ UInt32(self[entry].updates.count)
        question.record = self[entry].record
        return question
    }

    func endQuestion(_ run: Run) -> Question {
        let entry = run.entry
        let question = Question(entry, .end(run), self[entry].inputs)
        (question.layers, question.shown) = (self[entry].layers, self[entry].value)
        guard case .success(let value)? = self[run].outcome else { return question }
        (question.base, question.value) = (value, value)
        // The result of a run for some pages shows nothing about the others.
        let isPart = run.aim != .everything && self[entry].base != nil
        if !isPart { question.landed = question.layers.filter { sight(of: $0, in: run, asOf: self[run].asOf) == .seen } }
        question.layers.removeAll { layer in question.landed.contains { $0 === layer } }
        return question
    }

    // MARK: Answers

    /// Takes the answers of code of the app.
    mutating func take(_ first: Question) {
        defer { endWork() }
        if case .conditions(let settings, let cause) = first.kind { return decide(first, settings, cause) }
        let all = [first] + first.others
        if all.contains(where: { isOutdated($0) }) { askAgain(all) } else { for question in all { accept(question) } }
    }

    private func runToEnd(_ question: Question) -> Run? {
        if case .end(let run) = question.kind, isCurrent(run) { run } else { nil }
    }

    /// Whether the end of a run would show something else now: layers or updates have come or gone, a value was written in between, or the
    /// run was given up.
    private func isOutdated(_ question: Question) -> Bool {
        guard case .end(let run) = question.kind else { return false }
        return self[question.entry].inputs != (isCurrent(run) ? question.version : self[question.entry].shownInputs)
    }

    /// Asks again for the ends of runs, and for all entries that must be shown together with them.
    private mutating func askAgain(_ all: [Question]) {
        for question in all { if let run = runToEnd(question), isIgnored(run) { end(run, question) } }
        var again: [Question] = []
        for question in all {
            if let run = runToEnd(question) {
                again.append(endQuestion(run))
            } else if self[question.entry].inputs != self[question.entry].shownInputs {
                again.append(valueQuestion(question.entry))
            }
        }
        if !again.isEmpty { ask(joined(again)) }
    }

    private mutating func accept(_ question: Question) {
        let entry = question.entry
        if case .end(let run) = question.kind { return end(run, question) }
        guard isNewer(question.version, than: self[entry].shownInputs) else { return }
        let count = Int(Int32(bitPattern: question.updatesUntil &- self[entry].appliedUpdates))
        if count > 0 {
            trash.add(Array(self[entry].updates.prefix(count)))
            self[entry].updates.removeFirst(count)
            self[entry].appliedUpdates = question.updatesUntil
            trash.add(self[entry].base)
            self[entry].base = question.base
            if let base = question.base { self[entry].result = .success(base) }
            rebase(entry)
        }
        self[entry].shownInputs = question.version
        if question.version == self[entry].inputs {
            self[entry].shownRecord = nil
            trash.add(self[entry].joint)
            self[entry].joint = []
        } else {
            self[entry].shownRecord = question.record
        }
        show(entry, question)
        publishNow(entry)
    }

    private func isNewer(_ version: UInt32, than other: UInt32) -> Bool { Int32(bitPattern: version &- other) > 0 }

    /// Shows a value as it is.
    mutating func show(_ entry: Entry, _ value: AnyValue?) {
        setValue(entry, value)
        // A layer may have gone whose question is still open.
        self[entry].isOptimistic = false
    }

    /// R5: of two equal values the old one stays, unless the new one is wanted.
    mutating func show(_ entry: Entry, _ answer: Question) {
        self[entry].isOptimistic = !answer.layers.isEmpty && answer.value != nil
        // It was compared with what was shown when the question was asked.
        let isEqual = answer.isEqual && isIdentical(self[entry].value, answer.shown)
        if isEqual, !self[entry].observers.contains(where: { self[$0].settings.notifiesEqual }) { return trash.add(answer.value) }
        setValue(entry, answer.value)
    }

    func isIdentical(_ left: AnyValue?, _ right: AnyValue?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return left.isIdentical(to: right)
    }

    private mutating func decide(_ question: Question, _ settings: [Settings], _ cause: QueryCause) {
        let entry = question.entry
        // A later question decides instead.
        guard self[entry].decision == question.version else { return }
        self[entry].isDeciding = false
        review(entry)
        guard question.isEnabled, isListed(entry) else { return dropLanded(entry) }
        // The observers that have wanted it may have left.
        let isWanted = settings.contains { $0 === self[entry].caller || $0 === self[entry].known }
        if self[entry].isObserved || isWanted { refresh(entry, cause) }
    }
}
