extension QueryRequest {
    /// Lets the library start runs itself only while `condition` returns `true`. `fetch` always works.
    ///
    /// The condition is checked whenever the library would start a run: on subscription, invalidation and triggers. If there are several
    /// conditions, all must hold. When something that the condition depends on has changed, call `client.reconsider(_:)`, or use
    /// ``enabled(observing:)``, which needs no call.
    ///
    /// ```swift
    /// Profile(user: id).enabled { context in
    ///     context[Session.self].isSignedIn
    /// }
    /// ```
    public func enabled(when condition: @escaping @Sendable (QueryContext) -> Bool) -> some QueryRequest<Value, State> {
        setting { $0.settings.conditions.append(RunCondition(holds: condition)) }
    }

    /// Lets the library start runs itself only if `isEnabled` is `true`. `fetch` always works.
    public func enabled(_ isEnabled: Bool) -> some QueryRequest<Value, State> {
        enabled { _ in isEnabled }
    }
}

extension QueryContext {
    /// Whether the library itself may start runs of this request.
    var isEnabled: Bool { settings.conditions.allSatisfy { $0.holds(self) } }

    /// Whether a condition of the app doesn't hold.
    var isDisabled: Bool { settings.conditions.contains { !$0.needsClosure && !$0.holds(self) } }
}

extension RequestSettings {
    /// Whether the library itself may start runs for an observer with these settings. Remembers the result.
    func askIfEnabled() -> Bool {
        let isEnabled = context.isEnabled
        note(isEnabled)
        return isEnabled
    }

    /// Whether the conditions hold now, but did not when they were last checked.
    func hasBecomeEnabled() -> Bool {
        let isEnabled = context.isEnabled
        return note(isEnabled) == false && isEnabled
    }
}
