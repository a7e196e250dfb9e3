/// A request with its settings, as a handle, an observer, a caller or a run brings them along (R30).
final class RequestSettings: Sendable {
    /// What shows while there is no value and no failure.
    enum StandIn: Sendable {
        case none
        /// The value of the request of the same type that was looked at before.
        case previous(AnyValue)
        /// A closure that makes the value: the request knows its type.
        case maker(any Sendable)
    }

    let request: any QueryRequest
    /// The client's context with defaults, setup and modifiers applied.
    let context: QueryContext
    private let rare: Rare?

    /// What few requests have, behind one reference: there is one of these settings for each store.
    private final class Rare: Sendable {
        let standIn: StandIn
        /// What the conditions said when they were asked last for an observer; `nil` where there are none.
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

    /// What shows while there is no value and no failure.
    var standIn: StandIn { rare?.standIn ?? .none }

    /// What the modifiers of the request set, where all of them can be compared.
    var adjustment: SettingAdjustment.Kept? { rare?.adjustment }

    /// Whether the request may hold a closure, which a store must not keep; see ``kept``.
    var isInline: Bool { context.traits.isInline }

    /// Whether these are all settings of the request; see ``kept``.
    var isWhole: Bool { rare?.isWhole ?? true }

    var networkMode: QueryNetworkMode { context.traits.networkMode }

    /// Whether callers share a run. A stream ends late or never, so a private run of it would not return.
    var isDeduplicated: Bool { context.traits.isDeduplicated || request.unwrapped is any StreamRequest }

    var hasFixedTTL: Bool { context.traits.hasFixedTTL }
    var isFreshUntilChanged: Bool { context.traits.isFreshUntilChanged }
    /// Whether no value is ever fresh, so that a caller who waits for a run has missed nothing.
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
        // A request around a modified one has its identity, and settings of its own.
        let adjustment: SettingAdjustment.Kept? =
            !isWhole ? nil : request.identity.adjustment.flatMap { $0.request == ObjectIdentifier(type(of: request)) ? .init($0) : nil }
        rare = Rare(standIn, isConditional: !context.traits.isUnconditional, adjustment, isWhole: isWhole)
    }

    // MARK: What a store keeps

    /// The settings without the parts that count only while a handle, an observer or a caller has them: for a store that keeps the rest longer.
    var kept: RequestSettings { without(handlers: true, computedTags: true) }

    var isKeptWhole: Bool { !hasHandlers && !computesTags && !isInline }

    /// The settings without handlers, for a store that goes on computing their tags.
    var keptForTags: RequestSettings { without(handlers: true, computedTags: false) }

    /// The same for a run or a delivery, which may end a moment after the caller went on: what it holds keeps no handlers in force.
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

    /// The request without its closure. Without one the library starts a run only while another closure is known.
    private func release<Request: QueryRequest>(of request: Request, in context: inout QueryContext) -> Request {
        let identity = request.identity
        context.settings.conditions.append { context in context.inlineSource(for: identity) != nil }
        return request.releasingClosure
    }

    /// Remembers what the conditions say; returns what they said before, `nil` where there are none.
    @discardableResult
    func note(_ isEnabled: Bool) -> Bool? {
        rare?.wasEnabled?.withLock { wasEnabled in
            defer { wasEnabled = isEnabled }
            return wasEnabled
        }
    }
}
