import Foundation

extension QueryContext {
    private enum AppVersionKey: Key {
        static let defaultValue = Bundle.main.infoDictionary?["CFBundleShortVersionString"] as? String
    }

    /// The version of the app. It is part of the key of all persisted values, so values of another version are not read. Default: the short
    /// version of the main bundle; `nil` if it has none.
    ///
    /// Set it to a constant to keep caches across updates, and increase the version of a request when its value changes.
    public var appVersion: String? {
        get { self[AppVersionKey.self] }
        set { self[AppVersionKey.self] = newValue }
    }
}
