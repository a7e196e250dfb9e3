/// The calls of the API.
extension Engine {
    /// The entry of a request. Its `==` is code of the app, so it is called without the lock, over a chain that never changes.
    func entry(for identity: QueryIdentity, _ path: QueryPath, _ typing: any StateTyping) -> Entry {
        while true {
            let head = enter { $0.head(identity.hash) }
            var next = head
            while let entry = next {
                if entry.key.isKey(of: identity), enter({ $0.isListed(entry) }) { return entry }
                next = entry.sibling
            }
            let new = Entry(identity, path, typing, isComparable: typing.areEqual != nil, sibling: head)
            if enterNow({ $0.insert(new) }) { return new }
        }
    }

    func fetch(_ entry: Entry, _ settings: Settings, takesFresh: Bool = false) async throws -> AnyValue {
        let reader = Run.current
        if takesFresh, let value = freshValue(entry, settings, reader) { return value }
        let caller = Caller(settings, takesFresh: takesFresh, reader: reader)
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                enterNow(calling: .task) { ledger in
                    ledger[caller].continuation = continuation
                    ledger.fetch(entry, caller, ttl: settings.ttl)
                }
            }
        } onCancel: {
            enter(calling: .task) { $0.leave(caller) }
        }
    }

    /// A fresh value, unless handlers are still being called: a fetch returns after them.
    private func freshValue(_ entry: Entry, _ settings: Settings, _ reader: Run?) -> AnyValue? {
        enterNow { ledger in ledger[entry].isDelivering ? nil : ledger.freshValue(entry, settings.ttl, for: reader) }
    }

    func subscribe(
        _ entry: Entry,
        _ settings: Settings,
        isOnMainActor: Bool = false,
        _ receive: @escaping @Sendable (Publication) -> Void
    ) -> QuerySubscription {
        let observer = Observer(settings, isOnMainActor: isOnMainActor, receive)
        let first = enterNow { $0.subscribe(entry, observer, ttl: settings.ttl) }
        receive(Publication(state: first, changes: .state))
        while let missed = enter({ $0.catchUp(observer) }) { receive(missed) }
        return QuerySubscription { [weak self] in self?.enterNow { $0.unsubscribe(entry, observer) } }
    }

    func settled() async {
        await withUnsafeContinuation { continuation in enter { $0.settled(Signal(continuation)) } }
    }
}

extension Settings {
    /// The settings of a request's modifiers.
    convenience init(_ app: RequestSettings) {
        let own = app.context.settings
        self.init(
            ttl: own.span,
            retention: own.retention.map { Nanoseconds($0) },
            timeout: own.timeout.map { Nanoseconds($0) },
            networkMode: own.networkMode,
            abandonment: own.abandonment,
            tags: Set(own.tags),
            isConsistent: own.isConsistent,
            notifiesEqual: own.notifiesEqual,
            isDeduplicated: own.isDeduplicated,
            isConditional: !own.conditions.isEmpty,
            app: app
        )
    }
}
