import Foundation

/// How calls are made: their context, their layers, and the step in which they begin. Setup, validation and `optimistic` are code of the
/// app, so they come before that step, and again if another session has begun in between.
extension Engine {
    /// A call to be made.
    struct Draft: Sendable {
        var arguments: AnyValue
        var id = UUID()
        /// The context to use instead of that of the request.
        var context: QueryContext?
        /// Whether another call with the same id was made before.
        var isRepeated = false
        var handlers: CallHandlers?
        /// The entry of the journal that the call is made from.
        var entry: MutationJournalEntry?
        /// Whether it waits for the call of a control under way, and replaces another one that waits.
        var isOfControl = false
        /// What the call does instead of the mutation of the request.
        var mutation: (any AnyMutation)?

        init(_ arguments: AnyValue) { self.arguments = arguments }
    }

    /// Makes a call. Its layers show when this returns. Throws, without any effect, if the request refuses it.
    @discardableResult
    func submit(_ handle: Handle, _ draft: Draft) throws -> CallEntry {
        let isInBatch = Batch.current(of: self) != nil
        let (call, _) = try prepare(handle, draft) { ledger, call in if !isInBatch { ledger.submit(call) } }
        if isInBatch { submit(call) }
        return call
    }

    /// Makes a call and awaits its result. If the task is cancelled, so is the call.
    func mutate(_ handle: Handle, _ draft: Draft) async throws -> AnyValue { try await result(of: submit(handle, draft)) }

    /// Makes a call in the present session, and enters it.
    func prepare<Result: Sendable>(
        _ handle: Handle,
        _ draft: Draft,
        _ event: (inout Ledger, CallEntry) -> Result
    ) throws -> (CallEntry, Result) {
        while true {
            let (own, settings) = present(handle)
            let (call, layered) = try make(draft, own, settings)
            let used = layered + [(own, settings)]
            // An entry may end before the call is entered, or another session begin.
            let result = enterNow { ledger -> Result? in
                guard used.allSatisfy({ ledger.isPresent($0.0, $0.1) }) else { return nil }
                for (entry, settings) in used { ledger.use(entry, settings) }
                return event(&ledger, call)
            }
            if let result { return (call, result) }
        }
    }

    // MARK: Making

    private func make(_ draft: Draft, _ own: Entry, _ settings: Settings) throws -> (CallEntry, [(Entry, Settings)]) {
        guard let app = settings.app else { preconditionFailure("A call needs a request") }
        var context = try draft.context.map { try inSession($0, app.context, own) } ?? app.context
        var mutation = draft.mutation ?? app.request.mutation
        if draft.isOfControl { mutation = SerialMutation(mutation, scope: ControlScope.name(of: mutation, at: own.path)) }
        if let entry = draft.entry {
            // The session of the entry may have ended while it was decoded.
            if entry.session != context.session { throw QueryError(.sessionEnded, path: own.path) }
            // The mutation was called by a control.
            if mutation.scope == nil, let scope = entry.scope { mutation = SerialMutation(mutation, scope: scope) }
        }
        mutation = mutation.completed(in: context)
        context.call = MutationCallArguments(id: draft.id, arguments: draft.arguments, type: mutation.argumentsType)
        try app.request.validate(in: context)
        let journal = try journal(of: mutation, draft, app.request, context)
        let layers = layers(of: mutation, draft.arguments, context)
        let call = CallEntry(
            enter { $0.nextCall() },
            scope: mutation.scope,
            isDurable: journal != nil,
            isResumed: draft.entry != nil,
            isShared: journal?.shared != nil,
            layers: layers.map { ($0.entry, $0.apply) },
            networkMode: context.settings.networkMode,
            timeout: context.settings.timeout.map { Nanoseconds($0) },
            isSourceBacked: mutation.isSourceBacked,
            isOfControl: draft.isOfControl,
            outer: self.own(Scope.current)?.call,
            shown: CallEntry.Shown(
                entry: own,
                note: CallNote(id: draft.id, arguments: draft.arguments, submittedAt: draft.entry?.date ?? clock.date),
                limit: context.settings.historyLength
            ),
            handlers: draft.handlers,
            work: TypedCall(mutation, draft.arguments, settings, context, journal)
        )
        return (call, layers.map { ($0.entry, $0.settings) })
    }

    private func journal(
        of mutation: any AnyMutation,
        _ draft: Draft,
        _ request: any QueryRequest,
        _ context: QueryContext
    ) throws -> TypedCall.Journal? {
        guard mutation.isDurable, let journal = context.mutationJournal else { return nil }
        try QueryError.refuse(mutation: mutation.name, of: type(of: request.unwrapped), in: context.owner?.shared)
        let shared = journal as? any SharedMutationJournal
        return TypedCall.Journal(id: draft.id, journal: journal, shared: shared, holder: holder, isRepeated: draft.isRepeated)
    }

    /// A context that was given for one call. That of a session that has ended belongs to another user.
    private func inSession(_ given: QueryContext, _ present: QueryContext, _ own: Entry) throws -> QueryContext {
        if given.owner?.isEnded == true { throw QueryError(.sessionEnded, path: own.path) }
        guard given.owner !== present.owner else { return given }
        var context = given
        (context.owner, context.session) = (present.owner, present.session)
        return context
    }

    // MARK: Layers

    private func layers(of mutation: any AnyMutation, _ arguments: AnyValue, _ context: QueryContext) -> [PreparedLayer] {
        var layers = QueryLayers(context)
        do {
            try Scope.outside { Result { try mutation.declareLayers(with: arguments, in: &layers) } }.get()
        } catch {
            return []
        }
        return layers.declarations.compactMap { ($0 as? any PreparedDeclaration)?.prepared(in: self) }
    }

    fileprivate func layer<Request: QueryRequest>(
        over request: Request,
        default initial: Request.Value?,
        _ change: @escaping @Sendable (inout Request.Value) throws -> Void
    ) -> PreparedLayer where Request.State.StateValue: ExpressibleByNilLiteral {
        let typing = Typing<Request.State>.shared
        let (entry, settings) = present(handle(for: request, typing))
        let boxes = typing.boxes
        return PreparedLayer(entry: entry, settings: settings) { value in
            guard var value = value?.unboxed(as: Request.Value.self) ?? initial else { return nil }
            do { try change(&value) } catch { return nil }
            return boxes.box(value)
        }
    }
}

/// A layer with the entry that it lies over.
private struct PreparedLayer {
    let entry: Entry
    let settings: Settings
    let apply: @Sendable (AnyValue?) -> AnyValue?
}

private protocol PreparedDeclaration {
    func prepared(in engine: Engine) -> PreparedLayer
}

extension TypedLayer: PreparedDeclaration {
    fileprivate func prepared(in engine: Engine) -> PreparedLayer { engine.layer(over: request, default: initial, change) }
}
