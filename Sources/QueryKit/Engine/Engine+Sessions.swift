/// One session of a client, such as that of a user who has logged in.
final class Session: Sendable {
    /// That of the tables, so that settings of former sessions are told apart.
    let number: UInt32
    /// The context to which each request applies its own settings.
    let context: QueryContext

    init(_ number: UInt32, _ context: QueryContext) { (self.number, self.context) = (number, context) }
}

/// A request as a store, an adapter or a group has it. Keeps nothing alive but the engine.
struct Handle: Sendable {
    let engine: Engine
    /// A hint: if the entry isn't listed any more, or not yet, its key is looked up.
    let entry: Entry
    let settings: Settings
}

extension Engine {
    // MARK: Handles

    /// A handle of a request. Lists no entry: that does its first use.
    func handle<Request: QueryRequest>(for request: Request, _ typing: @autoclosure () -> any StateTyping) -> Handle {
        // Looked at first: if another one begins now, the handle is of a former session.
        let session = session.withLock(\.self)
        let identity = request.identity
        let (head, found) = find(identity)
        guard let found else {
            let typing = typing()
            let entry = makeEntry(identity, request.path, typing, sibling: head)
            return Handle(engine: self, entry: entry, settings: make(request, in: session))
        }
        precondition(
            found.entry.typing?.stateType == ObjectIdentifier(Request.State.self),
            "\(Request.self) has the identity of a request with another type of state: \(found.entry.path)"
        )
        if let known = found.known, known.session == session.number, known.fit(identity, of: ObjectIdentifier(Request.self)) {
            return Handle(engine: self, entry: found.entry, settings: known)
        }
        let new = make(request, in: session)
        keep(new, found.entry)
        return Handle(engine: self, entry: found.entry, settings: new)
    }

    /// The listed entry of a request with the settings that were made for it last, and the latest entry with its hash. `==` of requests is
    /// code of the app, so it is called without the lock, over a chain that never changes.
    func find(_ identity: QueryIdentity) -> (head: Entry?, found: (entry: Entry, known: Settings?)?) {
        let head = enter { $0.head(identity.hash) }
        var next = head
        while let entry = next {
            if entry.key.isKey(of: identity), let known = enter({ $0.isListed(entry) ? .some($0[entry].known) : nil }) {
                return (head, (entry, known))
            }
            next = entry.sibling
        }
        return (head, nil)
    }

    private func keep(_ settings: Settings, _ entry: Entry) {
        if settings.isShareable { enter { $0.keep(settings, entry) } }
    }

    /// The listed entry of a handle and its settings in the present session, for a use.
    func present(_ handle: Handle) -> (entry: Entry, settings: Settings) {
        let session = session.withLock(\.self)
        let settings = handle.settings
        let (entry, known) = list(handle.entry, settings)
        if settings.session == session.number { return (entry, settings) }
        if let known, known.session == session.number, known.fit(settings) { return (entry, known) }
        let new = make(settings, in: session)
        keep(new, entry)
        return (entry, new)
    }

    private func list(_ entry: Entry, _ settings: Settings) -> (Entry, known: Settings?) {
        let known = enterNow { ledger -> Settings?? in
            guard ledger.isListed(entry) || ledger.insertUnused(entry) else { return nil }
            if ledger[entry].known == nil { ledger.keep(settings.kept, entry) }
            return .some(ledger[entry].known)
        }
        if let known { return (entry, known) }
        return (self.entry(for: entry.key.identity, entry.path, entry.typing), nil)
    }

    /// The listed entry of a handle; `nil` if there is none. For reads, and for changes that concern nothing if there is no entry.
    func look(_ handle: Handle) -> Entry? {
        let entry = handle.entry
        if enter({ $0.isListed(entry) }) { return entry }
        return find(entry.key.identity).found?.entry
    }

    // MARK: Sessions

    /// Sets the client that contexts find, when the client exists.
    func belong(to owner: WeakOwner) {
        change { $0.owner = owner }
    }

    /// Changes the context of all requests that are made from now on.
    func change(_ body: (inout QueryContext) -> Void) {
        session.withLock { session in
            var context = session.context
            body(&context)
            session = Session(session.number, context)
        }
    }

    /// Begins another session: all values end, and observers fetch again with settings of their own (R16, R24).
    func begin(session name: String?, _ owner: WeakOwner?) {
        var hasBegun = false
        repeat {
            let former = session.withLock(\.self)
            var context = former.context
            (context.session, context.owner) = (name, owner)
            let next = Session(former.number &+ 1, context)
            // From now on, code of the former session finds no client.
            former.context.owner?.end()
            hasBegun = enterNow { ledger in
                guard ledger.epoch == former.number else { return false }
                ledger.clear(.session)
                session.withLock { $0 = next }
                return true
            }
        } while !hasBegun
        sessions.send(name)
    }

    /// The client is deallocated: everything ends, and durable calls stay in the journal.
    func close() {
        // Held, so that it isn't released under the lock.
        let former = session.withLock(\.self)
        former.context.owner?.end()
        enterNow { ledger in
            ledger.close()
            session.withLock { $0 = Session(ledger.epoch, former.context) }
        }
        cancelTimer()
        endObservations()
        holder.close()
    }

    /// Makes the settings of observers again. Another session may begin in the meantime; it has an effect of its own.
    func exchange(_ entries: [Entry]) {
        let session = session.withLock(\.self)
        for first in stride(from: 0, to: entries.count, by: 128) {
            let part = entries[first..<min(first + 128, entries.count)]
            let former = enter { ledger in part.map { ($0, ledger.formerSettings($0)) } }
            let renewed = former.map { entry, observers in (entry, observers.map { ($0.observer, make($0.settings, in: session)) }) }
            enterNow { ledger in for (entry, observers) in renewed { ledger.exchange(entry, observers) } }
        }
        enter { $0.endWork() }
    }

    // MARK: Uses

    /// Enters an event of a request, with its listed entry and its settings in the present session.
    func enter<Result: Sendable>(_ handle: Handle, _ event: (inout Ledger, Entry, Settings) -> Result) -> Result {
        while true {
            let (entry, settings) = present(handle)
            // Repeated if the entry has ended, or another session has begun, since then.
            let result = enterNow { ledger in ledger.isPresent(entry, settings) ? event(&ledger, entry, settings) : nil }
            if let result { return result }
        }
    }

    /// - Parameter context: The environment of a run that this call begins. The entry keeps nothing of it.
    func fetch(_ handle: Handle, takesFresh: Bool = false, using context: QueryContext? = nil) async throws -> AnyValue {
        while true {
            let (entry, settings) = present(handle)
            let other = try context.map { try make(settings, in: $0, at: entry) }
            do { return try await fetch(entry, settings, takesFresh: takesFresh, using: other) } catch is Absent { continue }
        }
    }

    func subscribe(
        _ handle: Handle,
        observes: Bool = true,
        isOnMainActor: Bool = false,
        _ receive: @escaping Observer.Receive
    ) -> QuerySubscription {
        let (entry, settings, observer, first) = enter(handle) { ledger, entry, settings in
            let observer = Observer(settings, observes: observes, isOnMainActor: isOnMainActor, receive)
            return (entry, settings, observer, ledger.subscribe(entry, observer, ttl: settings.ttl))
        }
        Scope.outside {
            receive(Publication(state: first, changes: [.state, .first]), settings)
            while let missed = enter({ $0.catchUp(observer) }) { receive(missed, settings) }
        }
        return QuerySubscription { [weak self] in self?.enterNow { $0.unsubscribe(entry, observer) } }
    }

    /// The state of a request as it is now. Creates nothing.
    func state(_ handle: Handle) -> StateBox {
        // The entry of a handle of this session is emptied when it ends, so its published state belongs to the session, too.
        if handle.settings.session == session.withLock({ $0.number }), let state = handle.entry.look() { return state }
        while let entry = look(handle) {
            if let state = enter({ $0.isListed(entry) ? $0.state(entry) : nil }) { return state }
        }
        return StateBox()
    }
}

/// The entry of a caller has ended, or another session has begun, before the caller has come. It tries again.
struct Absent: Error {}
