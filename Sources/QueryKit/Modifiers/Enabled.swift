extension QueryRequest {
    /// Lets the library start runs by itself only while `condition` holds; `fetch` always works.
    ///
    /// Asked whenever a run would start: on subscription, invalidation and triggers. Of several conditions all must hold. When what the condition
    /// depends on has changed, call `client.reconsider(_:)`, or use ``enabled(observing:)``, which needs no call.
    ///
    /// ```swift
    /// Profile(user: id).enabled { context in context[Session.self].isSignedIn }
    /// ```
    public func enabled(when condition: @escaping @Sendable (QueryContext) -> Bool) -> some QueryRequest<Value, State> {
        setting { $0.settings.conditions.append(condition) }
    }

    /// Lets the library start runs by itself only if `isEnabled`; `fetch` always works.
    public func enabled(_ isEnabled: Bool) -> some QueryRequest<Value, State> {
        enabled { _ in isEnabled }
    }
}

extension QueryContext {
    /// Whether the library may start runs of this request by itself.
    var isEnabled: Bool { settings.conditions.allSatisfy { $0(self) } }
}

extension RequestSettings {
    /// Whether the library may start runs for an observer with these settings. Remembers the answer.
    func askIfEnabled() -> Bool {
        let isEnabled = context.isEnabled
        note(isEnabled)
        return isEnabled
    }

    /// Whether the conditions hold and did not when they were asked last.
    func hasBecomeEnabled() -> Bool {
        let isEnabled = context.isEnabled
        return note(isEnabled) == false && isEnabled
    }
}
