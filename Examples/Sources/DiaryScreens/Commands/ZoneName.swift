import Foundation
package import Terminal

/// The time zone that `TZ` names, in the words in which Foundation knows it: it takes whatever it does not know for UTC, and says nothing.
package enum ZoneName {
    /// Puts what `TZ` says in those words, before anybody asks what time it is. Answers with a line for whoever has a zone that nobody knows.
    package static func settle(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> Line? {
        guard let value = environment["TZ"], !value.isEmpty else { return nil }
        guard let name = known(value) else {
            return Line("TZ=\(value) names no time zone that is known here, so times are those of UTC. Such as: TZ=Europe/Berlin", .warning)
        }
        if name != value {
            setenv("TZ", name, 1)
            NSTimeZone.resetSystemTimeZone()
        }
        return nil
    }

    /// The name of a zone, out of what C libraries take: with a colon before it (tzset(3)), or as the path of its file.
    static func known(_ value: String) -> String? {
        var name = value.hasPrefix(":") ? String(value.dropFirst()) : value
        if let folder = name.range(of: "/zoneinfo/") { name = String(name[folder.upperBound...]) }
        for folder in ["posix/", "right/"] where name.hasPrefix(folder) { name = String(name.dropFirst(folder.count)) }
        return TimeZone(identifier: name) == nil ? nil : name
    }
}
