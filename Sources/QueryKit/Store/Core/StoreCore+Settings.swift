/// The settings that a store goes on knowing, and the tags that follow from them.
extension StoreCore {
    /// The settings of the request without modifiers, which is of a type, if the store has met it.
    func plainSettings(of type: ObjectIdentifier) -> RequestSettings? {
        contents.withBasis { basis, _ in
            if let plain = basis.rare?.plain { return plain }
            let base = basis.base
            return base.isWhole && ObjectIdentifier(Swift.type(of: base.request)) == type ? base : nil
        }
    }

    /// The settings of a request with modifiers, if the store was made for an equal one or asked by it last.
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
        // What is replaced is released outside the lock.
        _ = contents.withBasis { basis, _ -> RequestSettings? in
            guard settings !== basis.base, basis.rare?.plain !== settings else { return nil }
            let rare = basis.needRare()
            defer { rare.plain = settings }
            return rare.plain
        }
    }

    /// Carries out an event that brings settings, and leaves it to the caller when what follows is done.
    ///
    /// A session may have ended since the settings were made. Then the event comes with those of the present one: with its own it would bring
    /// the former user's context into that.
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

    /// The same, and does what follows.
    @discardableResult
    func change<Result: Sendable>(
        with settings: RequestSettings,
        _ body: (inout StoreContents, StoreInput, Freshness, RequestSettings) -> Result
    ) -> Result {
        let (result, actions) = decide(with: settings, body)
        perform(actions)
        return result
    }

    /// Notes that a handle was made with some settings.
    func mention(_ settings: RequestSettings) {
        let context = settings.context
        guard context.settings.retention != nil || settings.isRemembered else { return }
        change(with: settings) { contents, _, _, settings in contents.mention(settings, isCall: false) }
        guard !context.settings.tags.isEmpty || context.settings.computedTags != nil else { return }
        // A result that lands just now brings its own tags, by these settings too. So nothing may be taken away here.
        let (value, number) = contents.withBasis { basis, _ in (basis.value, basis.valueNumber) }
        guard let tags = tags(of: value)?.tags else { return }
        // The tags of a value that is gone by now may tell of a former session.
        contents.withBasis { basis, _ in
            if basis.valueNumber == number { host.setTags(tags, ticket, inAddition: true) }
        }
    }

    /// The tags of all settings, and those that are computed from a value; `nil` for a request without any.
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
