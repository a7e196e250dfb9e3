import Foundation

/// How a store describes all of itself to an inspector. Everything here calls foreign code, so no lock may be held.
extension StoreCore {
    func inspectedValue(limit: Int) -> InspectedValue? {
        box.shown.current.map { typing.inspect($0, limit: limit) }
    }

    /// The properties of the state.
    func stateFields(showsValues: Bool) -> [NamedText] {
        let record = box.shown.record
        var fields = [
            NamedText("revision", "\(record.revision)"), NamedText("value updates", "\(record.valueCount)"),
            NamedText("failed results", "\(record.errorCount)"),
        ]
        if record.valueTime.happened { fields.append(NamedText("value updated at", Self.text(of: record.valueTime.date))) }
        if record.errorTime.happened { fields.append(NamedText("failed at", Self.text(of: record.errorTime.date))) }
        if record.failures > 0 { fields.append(NamedText("failed attempts", "\(record.failures)")) }
        if let reason = record.failureReason { fields.append(NamedText("reason of the latest failure", ShortText.kind(of: reason))) }
        if record.flags.contains(.live) { fields.append(NamedText("stream", "open")) }
        if record.flags.contains(.paused) { fields.append(NamedText("waits for", "\(QueryPauseReason.offline)")) }
        if record.flags.contains(.partial) { fields.append(NamedText("value", "yielded by a run that is still under way")) }
        if let origin = record.cause.origin { fields.append(NamedText("origin", origin.text(showsValues: showsValues))) }
        return fields
    }

    /// The settings of the store, of each observer and of the last caller.
    var settingTexts: [NamedText] {
        let (observers, caller, base, retention) = contents.inspect { basis in
            ([], basis.caller, basis.base, basis.retention)
        } contents: { contents in
            (contents.outbox.numberedObservers, contents.caller, contents.base, contents.retention)
        }
        var texts: [NamedText] = []
        if let retention { texts.append(NamedText("retention", ShortText.duration(.nanoseconds(retention.count)))) }
        texts += Self.texts(of: base, "request")
        for (number, settings) in observers { texts += Self.texts(of: settings, "observer \(number)") }
        if let caller, caller !== base { texts += Self.texts(of: caller, "last caller") }
        return texts
    }

    private static func texts(of settings: RequestSettings, _ owner: String) -> [NamedText] {
        let own = settings.context.settings
        var texts: [(String, String)] = []
        let ttl = own.ttlRule != nil ? "by value" : own.isFreshUntilChanged ? "until changed" : ShortText.duration(own.ttl)
        texts.append(("ttl", ttl))
        if let retention = own.retention { texts.append(("retention", ShortText.duration(retention))) }
        if let limit = own.retry.limit { texts.append(("retries", "\(limit)")) }
        if let timeout = own.timeout { texts.append(("timeout", ShortText.duration(timeout))) }
        if own.networkMode != .offlineFirst { texts.append(("network", "\(own.networkMode)")) }
        if own.conditions.contains(where: { !$0.needsClosure }) { texts.append(("enabled", settings.context.isDisabled ? "no" : "yes")) }
        if own.conditions.contains(where: { $0.needsClosure && !$0.holds(settings.context) }) { texts.append(("closure", "none")) }
        for trigger in own.triggers { texts.append(("trigger", trigger.name)) }
        if own.abandonment == .finish { texts.append(("without observers", "runs to its end")) }
        let flags = [
            ("keeps the previous value", own.keepsPrevious), ("placeholder", own.placeholder != nil),
            ("notifies equal values", own.notifiesEqual),
            ("consistent", own.isConsistent), ("runs not shared", !own.isDeduplicated), ("persisted", own.persistence?.cache != nil),
            ("archived", own.persistence.map { $0.cache == nil } ?? false), ("inline", own.isInline),
        ]
        for (name, isSet) in flags where isSet { texts.append((name, "yes")) }
        return texts.map { NamedText("\(owner): \($0.0)", $0.1) }
    }

    private static func text(of date: Date) -> String { date.ISO8601Format() }

    /// The caches that keep the value.
    var cacheObjects: [ObjectIdentifier] { allCacheSettings.compactMap { $0.context.settings.persistence?.cache } }

    /// The identities of the requests that the store depends on, as far as they are linked.
    var linkedIdentities: [QueryIdentity] { contents.withBasis { basis, _ in basis.rare.map { Array($0.links.keys) } ?? [] } }

    /// The mutations with layers over the value, from the lowest to the highest.
    var layerOwners: [(owner: LayerStack.Owner, isPending: Bool)] { contents.withBasis { basis, _ in basis.rare?.layers.owners ?? [] } }

    /// Additional data in the state of a special kind of store, such as the calls of a mutation.
    var notes: (any StateNotes)? { contents.withBasis { basis, _ in basis.state.record.notes } }
}
