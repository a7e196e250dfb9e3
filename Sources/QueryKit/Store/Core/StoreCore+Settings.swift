/// The settings that a store keeps, and the tags that they imply.
extension StoreCore {
    /// The settings of the request without modifiers, if the store knows them and the request is of the given type.
    func plainSettings(of type: ObjectIdentifier) -> RequestSettings? {
        contents.withBasis { basis, _ in
            if let plain = basis.rare?.plain { return plain }
            let base = basis.base
            return base.isWhole && ObjectIdentifier(Swift.type(of: base.request)) == type ? base : nil
        }
    }

    /// The settings of a request with modifiers, if the store was created for an equal request, or the last caller used one.
    func settings(knownFor identity: QueryIdentity, of request: ObjectIdentifier) -> RequestSettings? {
        guard let wanted = identity.adjustment, wanted.request == request else { return nil }
        return contents.withBasis { basis, _ in
            if let known = basis.base.adjustment, wanted.isSame(as: known) { return basis.base }
            if let caller = basis.caller, let known = caller.adjustment, wanted.isSame(as: known) { return caller }
            return nil
        }
    }

    func keepPlainSettings(_ settings: RequestSettings) {
        guard settings.isKeptWhole else { return }
        // The replaced settings are returned, so that they are released outside the lock.
        _ = contents.withBasis { basis, _ -> RequestSettings? in
            guard settings !== basis.base, basis.rare?.plain !== settings else { return nil }
            let rare = basis.needRare()
            defer { rare.plain = settings }
            return rare.plain
        }
    }

    /// Processes an event that has settings, and returns the actions for the caller to carry out.
    ///
    /// If a session has ended since the settings were created, the event is processed with the settings of the current session. Otherwise
    /// the previous user's context would get into the current session.
    @inline(__always)
    func decide<Result: Sendable>(
        with settings: RequestSettings,
        _ body: (inout StoreContents, StoreInput, Freshness, RequestSettings) -> Result
    ) -> (Result, StoreActions) {
        var settings = settings
        while true {
            let (result, actions) = decide(by: settings.context) { [settings] contents, input, freshness in
                settings.context.owner?.isEnded == true ? nil : body(&contents, input, freshness, settings)
            }
            if let result { return (result, actions) }
            perform(actions)
            settings = inPresentSession(settings)
        }
    }

    /// Processes an event that has settings, and carries out the actions; see `decide`.
    @discardableResult
    func change<Result: Sendable>(
        with settings: RequestSettings,
        _ body: (inout StoreContents, StoreInput, Freshness, RequestSettings) -> Result
    ) -> Result {
        let (result, actions) = decide(with: settings, body)
        perform(actions)
        return result
    }

    /// Notes that a handle was created with some settings.
    func register(_ settings: RequestSettings) {
        let context = settings.context
        guard context.settings.retention != nil || settings.isRemembered else { return }
        change(with: settings) { contents, _, _, settings in contents.register(settings, isCall: false) }
        guard !context.settings.tags.isEmpty || context.settings.computedTags != nil else { return }
        // A result that lands now sets its own tags, which include those of these settings. So tags may only be added here.
        let (value, number) = contents.withBasis { basis, _ in (basis.value, basis.valueNumber) }
        guard let tags = tags(of: value)?.tags else { return }
        // If the value was replaced in between, its tags may belong to an earlier session.
        contents.withBasis { basis, _ in
            if basis.valueNumber == number { host.setTags(tags, ticket, inAddition: true) }
        }
    }

    /// The tags of all settings, and those computed from a value; `nil` for a request without tags.
    func tags(of value: AnyValue?) -> ValueTags? {
        guard let tagging = contents.withLock({ $0.tagging }) else { return nil }
        var tags = tagging.tags
        guard let value else { return ValueTags(tags: tags, version: tagging.version) }
        RunScope.outside {
            for settings in tagging.computing {
                if let computed = settings.context.settings.computedTags { tags.formUnion(typing.tags(of: value, by: computed)) }
            }
        }
        return ValueTags(tags: tags, version: tagging.version)
    }
}
