extension QueryContext {
    private enum SessionKey: Key {
        static var defaultValue: String? { nil }
    }

    /// Whose data this is: what was fetched, cached or written down in one session never shows in another. Default: `nil`.
    ///
    /// Set it for the client's first session; from then on ``QueryClient/reset(session:)`` changes it.
    public var session: String? {
        get { self[SessionKey.self] }
        set { self[SessionKey.self] = newValue }
    }
}
