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
    /// What the modifiers of the request set, where all of them can be compared.
    let adjustment: SettingAdjustment.Kept?
    private let rare: Rare?

    /// What few requests have, behind one reference.
    private final class Rare: Sendable {
        let standIn: StandIn
        /// What the conditions said when they were asked last for an observer; `nil` where there are none.
        let wasEnabled: Lock<Bool>?

        init?(_ standIn: StandIn, isConditional: Bool) {
            if case .none = standIn, !isConditional { return nil }
            self.standIn = standIn
            wasEnabled = isConditional ? Lock(false) : nil
        }
    }

    /// What shows while there is no value and no failure.
    var standIn: StandIn { rare?.standIn ?? .none }

    // What each run asks, so that it is found in one place.

    let networkMode: QueryNetworkMode
    let isDeduplicated: Bool
    /// Whether values are fresh for the same time, whatever they are.
    let hasFixedTTL: Bool
    /// Whether the library may start a run without asking a condition.
    let isUnconditional: Bool
    /// Whether a store goes on knowing some of it: caches, handlers, tags.
    let isRemembered: Bool
    /// Whether making a handle with these settings changes the store or the client: retention, caches, handlers, tags, the previous value.
    let isMentioned: Bool
    /// Whether a caller with these settings wants nothing of a store but its value; see ``StoreCore/beginAlone(_:_:)``.
    let isPlain: Bool
    /// Whether these are all settings of the request; see ``kept``.
    let isWhole: Bool

    var hasHandlers: Bool { !context.settings.handlers.isEmpty }
    var computesTags: Bool { context.settings.computedTags != nil }
    var abandonment: QueryAbandonment { context.settings.abandonment }
    var notifiesEqual: Bool { context.settings.notifiesEqual }
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
        self.isWhole = isWhole
        // A request around a modified one has its identity, and settings of its own.
        adjustment =
            !isWhole ? nil : request.identity.adjustment.flatMap { $0.request == ObjectIdentifier(type(of: request)) ? .init($0) : nil }
        self.context = context
        let own = context.settings
        rare = Rare(standIn, isConditional: !own.conditions.isEmpty)
        networkMode = own.networkMode
        // A stream ends late or never, so a private run of it would not return.
        isDeduplicated = own.isDeduplicated || request.unwrapped is any StreamRequest
        hasFixedTTL = own.ttlRule == nil
        isUnconditional = own.conditions.isEmpty
        isRemembered = own.persistence != nil || !own.handlers.isEmpty || !own.tags.isEmpty || own.computedTags != nil
        isMentioned = isRemembered || own.retention != nil || own.keepsPrevious
        isPlain = !isRemembered && own.isDeduplicated && own.retention == nil && hasFixedTTL && own.networkMode != .online
    }

    // MARK: What a store keeps

    /// The settings without the parts that count only while a handle, an observer or a caller has them: for a store that keeps the rest longer.
    var kept: RequestSettings { without(handlers: true, computedTags: true) }

    var isKeptWhole: Bool { !hasHandlers && !computesTags }

    /// The settings without handlers, for a store that goes on computing their tags.
    var keptForTags: RequestSettings { without(handlers: true, computedTags: false) }

    /// The same for a run or a delivery, which may end a moment after the caller went on: what it holds keeps no handlers in force.
    var apart: RequestSettings { isRemembered && !isKeptWhole ? RequestSettings(request, context, standIn, isWhole: isWhole) : self }

    private func without(handlers: Bool, computedTags: Bool) -> RequestSettings {
        guard handlers && hasHandlers || computedTags && computesTags else { return self }
        var context = context
        if handlers { context.settings.handlers = [] }
        if computedTags { context.settings.computedTags = nil }
        return RequestSettings(request, context, standIn, isWhole: false)
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
