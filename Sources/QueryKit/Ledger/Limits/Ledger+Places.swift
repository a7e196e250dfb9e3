/// Limits: no more runs make an attempt at the same time than a limit allows. The others wait in a queue, and show as fetching.
extension Ledger {
    struct Places: Sendable {
        fileprivate var limits: RunLimits
        /// The runs that wait for a place.
        fileprivate(set) var queued: [Int: Run] = [:]
        /// Those of them that have one, and begin at the end of the step.
        fileprivate var granted: [Int] = []

        init(_ limits: [Limits.Runs] = []) { self.limits = RunLimits(limits.map { max($0.count, 1) }) }

        /// How many places of a limit are taken, and the runs that wait for it, in order.
        func line(_ limit: Int) -> (taken: Int, waiting: [Run]) { (limits.taken(limit), limits.waiting(limit).compactMap { queued[$0] }) }
    }

    // MARK: Places

    /// Takes the places that a run needs for an attempt. Returns false if it has to wait for one.
    mutating func takePlaces(_ run: Run) -> Bool {
        // Another attempt at once keeps the places of the one before it.
        if run.entry.limits.isEmpty || self[run].place != nil { return true }
        let priority = run.task.priority ?? Task.currentPriority
        let (id, isGranted) = places.limits.enter(
            ObjectIdentifier(run.entry),
            priority: priority.rawValue,
            wanted: run.entry.limits,
            pass: level(of: waiting(for: .entry(run.entry)))
        )
        self[run].place = id
        if !isGranted { places.queued[id] = run }
        return isGranted
    }

    /// Gives the places of a run to the next ones.
    mutating func leavePlaces(_ run: Run) {
        guard let id = self[run].place.take() else { return }
        if places.queued.removeValue(forKey: id) != nil { trash.add(run) }
        places.granted += places.limits.leave(id)
    }

    /// Begins the attempts of runs that have got their places in this step.
    mutating func startGranted() {
        while !places.granted.isEmpty {
            let id = places.granted.removeFirst()
            // It may have been given up in this step.
            guard let run = places.queued.removeValue(forKey: id) else { continue }
            trash.add(run)
            startQueued(run)
        }
    }

    mutating func raiseQueued(_ run: Run, to priority: TaskPriority) {
        if self[run].phase.isQueued { places.limits.raise(ObjectIdentifier(run.entry), to: priority.rawValue) }
    }

    // MARK: Waits

    /// A scope waits for a run or a call. What that waits for needs no place where an outer run has one, because they could wait for each
    /// other.
    mutating func letPass(_ awaited: Awaited, for reader: Scope) {
        guard !places.queued.isEmpty, let own = reader.awaited else { return }
        let level = level(of: waiting(for: own).union([own]))
        if level < 0 { return }
        for case .entry(let inner) in reached(from: [awaited], self.awaited) {
            places.granted += places.limits.letPass(ObjectIdentifier(inner), upTo: level)
        }
    }

    private func level(of outer: Set<Awaited>) -> Int {
        outer.reduce(-1) { level, outer in
            if case .entry(let entry) = outer { max(level, places.limits.level(of: ObjectIdentifier(entry))) } else { level }
        }
    }

    /// What waits for a run or a call, directly or through others.
    private func waiting(for inner: Awaited) -> Set<Awaited> { reached(from: callers(of: inner), callers) }

    private func callers(of inner: Awaited) -> [Awaited] {
        switch inner {
        case .entry(let entry):
            let runs = [self[entry].run].compactMap(\.self) + self[entry].privateRuns
            return runs.flatMap { (self[$0].callers + self[$0].nextCallers).compactMap { $0.reader?.awaited } }
        case .call(let call):
            // Those of its scope begin after it.
            let later = call.scope.flatMap { scopes[$0] }?.calls.drop { $0 !== call }.dropFirst() ?? []
            return self[call].callers.compactMap { $0.reader?.awaited } + later.map { .call($0) }
        }
    }

    private func reached(from first: [Awaited], _ next: (Awaited) -> [Awaited]) -> Set<Awaited> {
        var (open, known) = (first, Set(first))
        while let step = open.popLast() { for found in next(step) where known.insert(found).inserted { open.append(found) } }
        return known
    }
}

extension Scope {
    /// What it is part of.
    fileprivate var awaited: Ledger.Awaited? {
        switch work {
        case .run(let run): .entry(run.entry)
        case .call(let call): .call(call)
        case .none: nil
        }
    }
}
