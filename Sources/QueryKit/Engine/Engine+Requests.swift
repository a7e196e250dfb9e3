/// The calls of the API.
extension Engine {
    /// The listed entry of a request. Another thread may list one at the same time; then that one counts.
    func entry(for identity: QueryIdentity, _ path: QueryPath, _ typing: (any StateTyping)?) -> Entry {
        while true {
            let (head, found) = find(identity)
            if let found { return found.entry }
            let new = makeEntry(identity, path, typing, sibling: head)
            if enterNow({ $0.insert(new) }) { return new }
        }
    }

    /// - Parameter other: The settings of a run that this call begins, in place of its own.
    /// - Parameter isRight: Whether what the caller has seen is still so. If it isn't, the fetch throws ``Absent``, and nothing has begun.
    func fetch(
        _ entry: Entry,
        _ settings: Settings,
        _ aim: RunAim = .everything,
        takesFresh: Bool = false,
        using other: Settings? = nil,
        if isRight: (Ledger) -> Bool = { _ in true }
    ) async throws -> AnyValue {
        let scope = Scope.current
        let reader = own(scope)
        let elsewhere = reader == nil ? scope : nil
        if elsewhere == nil, takesFresh, let value = freshValue(entry, settings, reader) { return value }
        if let elsewhere, !beginWait(of: elsewhere, for: entry) { throw enter { $0.cycle(at: entry) } }
        let caller = Caller(
            settings,
            aim: aim,
            takesFresh: takesFresh,
            reader: reader,
            elsewhere: elsewhere.map { ($0, entry) },
            settingsOfRun: other
        )
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                var mayCross = false
                enterNow(calling: .task) { ledger in
                    ledger[caller].continuation = continuation
                    guard ledger.isPresent(entry, settings), isRight(ledger) else {
                        return ledger.answer(caller, .failure(Absent()), after: nil)
                    }
                    ledger.fetch(entry, caller, ttl: settings.ttl)
                    if reader?.run != nil { mayCross = ledger.waitsElsewhere(entry) }
                }
                if mayCross, let run = reader?.run, waits(entry, for: run.entry) {
                    enter(calling: .task) { $0.leave(caller, $0.cycle(at: entry)) }
                }
            }
        } onCancel: {
            enter(calling: .task) { $0.leave(caller) }
        }
    }

    /// A fresh value, unless handlers are still being called: a fetch returns after them.
    private func freshValue(_ entry: Entry, _ settings: Settings, _ reader: Scope?) -> AnyValue? {
        enterNow { ledger in
            guard ledger.isPresent(entry, settings), !ledger[entry].isDelivering else { return nil }
            return ledger.freshValue(entry, settings.ttl, for: reader)
        }
    }

    func subscribe(
        _ entry: Entry,
        _ settings: Settings,
        isOnMainActor: Bool = false,
        _ receive: @escaping Observer.Receive
    ) -> QuerySubscription {
        let observer = Observer(settings, isOnMainActor: isOnMainActor, receive)
        let first = enterNow { $0.subscribe(entry, observer, ttl: settings.ttl) }
        Scope.outside {
            receive(Publication(state: first, changes: [.state, .first]), settings)
            while let missed = enter({ $0.catchUp(observer) }) { receive(missed, settings) }
        }
        return QuerySubscription { [weak self] in self?.enterNow { $0.unsubscribe(entry, observer) } }
    }

    /// Waits until there is no work. Returns false if the waiting task was cancelled before.
    @discardableResult
    func settled() async -> Bool {
        let signal = Signal()
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in enter(calling: .task) { $0.settled(signal, continuation) } }
        } onCancel: {
            enter(calling: .task) { $0.leave(signal) }
        }
    }
}

extension Engine {
    // MARK: Memory

    func releaseMemory(_ pressure: MemoryPressure) { enter { $0.releaseMemory(pressure) } }

    /// Releases what patterns match, if it isn't in use and its value is stale.
    func releaseStale(_ patterns: [QueryPattern]) {
        for pattern in patterns.map({ elements.unique($0) }) { enterNow { $0.releaseStale($0.matches(pattern)) } }
    }
}
