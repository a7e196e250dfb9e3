/// A request and its settings, as a handle, an observer, a caller or a run has them (R30).
final class RequestSettings: Opaque, Sendable {
    /// What to show while there is no value and no failure.
    enum StandIn: Sendable {
        case none
        /// The value of the request of the same type that was shown before.
        case previous(AnyValue)
        /// A closure that makes the placeholder. Untyped, because only the request knows the type.
        case maker(any Sendable)
    }

    let request: any QueryRequest
    /// The client's context with defaults, setup and modifiers applied.
    let context: QueryContext
    private let rare: Rare?

    /// The fields that few requests need, behind one reference, because each store holds an instance of `RequestSettings`.
    private final class Rare: Sendable {
        let standIn: StandIn
        /// Whether the conditions held when they were last checked for an observer; `nil` if there are no conditions.
        let wasEnabled: Lock<Bool>?
        let adjustment: SettingAdjustment.Kept?
        let isWhole: Bool

        init?(_ standIn: StandIn, isConditional: Bool, _ adjustment: SettingAdjustment.Kept?, isWhole: Bool) {
            if case .none = standIn, !isConditional, adjustment == nil, isWhole { return nil }
            self.standIn = standIn
            wasEnabled = isConditional ? Lock(false) : nil
            self.adjustment = adjustment
            self.isWhole = isWhole
        }
    }

    /// What to show while there is no value and no failure.
    var standIn: StandIn { rare?.standIn ?? .none }

    /// The settings of the request's modifiers, if all of them can be compared.
    var adjustment: SettingAdjustment.Kept? { rare?.adjustment }

    /// Whether the request may hold a closure, which a store must not retain; see ``kept``.
    var isInline: Bool { context.traits.isInline }

    /// Whether these are the complete settings of the request; see ``kept``.
    var isWhole: Bool { rare?.isWhole ?? true }

    var networkMode: QueryNetworkMode { context.traits.networkMode }

    /// Whether callers share a run. Always `true` for a stream: it ends late or never, so a private run would not return.
    var isDeduplicated: Bool { context.traits.isDeduplicated || request.unwrapped is any StreamRequest }

    var hasFixedTTL: Bool { context.traits.hasFixedTTL }
    var isFreshUntilChanged: Bool { context.traits.isFreshUntilChanged }
    /// Whether no value is ever fresh, so that waiting for a run is not a cache miss.
    var isNeverFresh: Bool { hasFixedTTL && context.settings.span == .zero }
    var isUnconditional: Bool { context.traits.isUnconditional }
    var isRemembered: Bool { context.traits.isRemembered }
    var isMentioned: Bool { context.traits.isMentioned }
    var isPlain: Bool { context.traits.isPlain }
    var hasTriggers: Bool { context.traits.hasTriggers }
    var abandonment: QueryAbandonment { context.traits.abandonment }
    var hasHandlers: Bool { !context.settings.handlers.isEmpty }
    var computesTags: Bool { context.settings.computedTags != nil }
    var notifiesEqual: Bool { context.settings.notifiesEqual }
    var isConsistent: Bool { context.settings.isConsistent }
    var isPersisted: Bool { context.settings.persistence != nil }
    var keepsPrevious: Bool { context.settings.keepsPrevious }

    convenience init(_ request: any QueryRequest, _ context: QueryContext, previous: AnyValue? = nil) {
        self.init(
            request,
            context,
            previous.map { .previous($0) } ?? context.settings.placeholder.map { .maker($0) } ?? .none,
            isWhole: true
        )
    }

    private init(_ request: any QueryRequest, _ context: QueryContext, _ standIn: StandIn, isWhole: Bool) {
        self.request = request
        self.context = context
        // A wrapper around a modified request has the identity of that request, but settings of its own.
        let adjustment: SettingAdjustment.Kept? =
            !isWhole ? nil : request.identity.adjustment.flatMap { $0.request == ObjectIdentifier(type(of: request)) ? .init($0) : nil }
        rare = Rare(standIn, isConditional: !context.traits.isUnconditional, adjustment, isWhole: isWhole)
    }

    // MARK: Settings kept by a store

    /// The settings without the parts that apply only while a handle, an observer or a caller has them. A store keeps the rest longer.
    var kept: RequestSettings { without(handlers: true, computedTags: true) }

    var isKeptWhole: Bool { !hasHandlers && !computesTags && !isInline }

    /// The settings without handlers, for a store that must still compute tags.
    var keptForTags: RequestSettings { without(handlers: true, computedTags: false) }

    /// A copy for a run or a delivery, which may outlive its caller by a moment and must not keep the caller's handlers in force.
    var apart: RequestSettings {
        isRemembered && (hasHandlers || computesTags) ? RequestSettings(request, context, standIn, isWhole: isWhole) : self
    }

    private func without(handlers: Bool, computedTags: Bool) -> RequestSettings {
        guard handlers && hasHandlers || computedTags && computesTags || isInline else { return self }
        var context = context
        if handlers && hasHandlers { context.settings.handlers = [] }
        if computedTags && computesTags { context.settings.computedTags = nil }
        return RequestSettings(isInline ? release(of: request, in: &context) : request, context, standIn, isWhole: false)
    }

    /// The request without its closure. A condition lets the library start a run only while another closure is known.
    private func release<Request: QueryRequest>(of request: Request, in context: inout QueryContext) -> Request {
        let identity = request.identity
        context.settings.conditions.append(.closure(of: identity))
        return request.releasingClosure
    }

    /// Remembers whether the conditions hold. Returns the result of the previous check, or `nil` if there are no conditions.
    @discardableResult
    func note(_ isEnabled: Bool) -> Bool? {
        rare?.wasEnabled?.withLock { wasEnabled in
            defer { wasEnabled = isEnabled }
            return wasEnabled
        }
    }
}
