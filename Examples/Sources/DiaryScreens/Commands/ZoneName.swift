import Foundation
package import Terminal

/// Translates `TZ` to a time zone name that Foundation knows. Foundation silently treats unknown names as UTC.
package enum ZoneName {
    /// Sets `TZ` to such a name. Call this before any time is read. Returns a warning if the time zone is unknown.
    package static func settle(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> Line? {
        guard let value = environment["TZ"], !value.isEmpty else { return nil }
        guard let name = known(value) else {
            return Line("TZ=\(value) is not a known time zone, so times are in UTC. Use for example: TZ=Europe/Berlin", .warning)
        }
        if name != value {
            setenv("TZ", name, 1)
            NSTimeZone.resetSystemTimeZone()
        }
        return nil
    }

    /// The name of a zone from the forms that C libraries accept: with a colon before it (tzset(3)), or as the path of its file.
    static func known(_ value: String) -> String? {
        var name = value.hasPrefix(":") ? String(value.dropFirst()) : value
        if let folder = name.range(of: "/zoneinfo/") { name = String(name[folder.upperBound...]) }
        for folder in ["posix/", "right/"] where name.hasPrefix(folder) { name = String(name.dropFirst(folder.count)) }
        return TimeZone(identifier: name) == nil ? nil : name
    }
}
